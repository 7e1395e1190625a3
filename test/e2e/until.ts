import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'

const longestPauseMs = 5
/** More than any work takes that needs neither time to pass nor another process. */
const enoughTurns = 100

/**
 * The first value of `read` that is neither undefined nor false. Fails with `what` after `timeoutMs`: before the test
 * times out, and later than a busy machine needs.
 */
export async function until<T>(
  what: string,
  read: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 100_000,
): Promise<T> {
  const end = Date.now() + timeoutMs
  for (let checks = 1; ; checks++) {
    const seen = await read()
    if (seen !== undefined && seen !== false) return seen
    if (Date.now() > end) throw new Error(`It did not come to pass within ${timeoutMs} ms: ${what}`)
    await pause(Math.min(checks, longestPauseMs))
  }
}

/**
 * Until everything in a world in memory waits for its clock. Only for work that needs no real timer, no socket and no
 * other process.
 */
export async function settled(): Promise<void> {
  for (let turns = 0; turns < enoughTurns; turns++) await turn()
}
