import { setTimeout as pause } from 'node:timers/promises'

const longestPauseMs = 5

/** What `look` gives as soon as it is neither undefined nor false. Fails with `what` after `timeoutMs`. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 10_000,
): Promise<T> {
  const end = Date.now() + timeoutMs
  for (let checks = 1; ; checks++) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    if (Date.now() > end) throw new Error(`It did not come to pass within ${timeoutMs} ms: ${what}`)
    await pause(Math.min(checks, longestPauseMs))
  }
}
