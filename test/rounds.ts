// Counts the rounds of the event loop during work, to check that it pauses between its items. An item that a slice has
// no time for takes a round of its own, however fast the machine is.
import { setImmediate as nextRound } from 'node:timers/promises'

/** The same, but reading the field blocks the event loop for longer than a slice. */
export function slow<T extends object>(value: T, field: keyof T & string): T {
  const read = value[field]
  return Object.defineProperty({ ...value }, field, {
    get: () => {
      const until = performance.now() + 11
      while (performance.now() < until);
      return read
    },
  })
}

/** The rounds until the work ends. */
export async function roundsDuring(work: Promise<unknown>): Promise<number> {
  const progress = { rounds: 0, done: false }
  const counted = work.finally(() => (progress.done = true))
  counted.catch(() => {})
  for (; !progress.done; progress.rounds++) await nextRound()
  await counted
  return progress.rounds
}
