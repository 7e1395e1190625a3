// Counts the rounds of the event loop during work, to check that it pauses between its items. An item that a slice has
// no time for takes a round of its own, however fast the machine is.
import { setImmediate as nextRound } from 'node:timers/promises'

/** Blocks the event loop for longer than a slice. */
export function outlastSlice(): void {
  const until = performance.now() + 11
  while (performance.now() < until);
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
