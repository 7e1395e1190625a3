import { SyncError, Unavailable } from '../model/errors.js'

/** One call of a driver, within its time limit. What is not one of our errors is `Unavailable`: nobody knows what came of it. */
export async function callDriver<T>(
  what: string,
  limitMs: number,
  call: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  outer?.throwIfAborted()
  const timeout = new AbortController()
  const signal = outer === undefined ? timeout.signal : AbortSignal.any([outer, timeout.signal])
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Unavailable(`The target did not answer within ${limitMs / 1000} s (${what}).`, {
        code: 'platform/timeout',
        hint: 'It is asked again later. The limit is `limits.driverCall`.',
      })
      timeout.abort(error)
      reject(error)
    }, limitMs)
  })
  try {
    return await Promise.race([call(signal), late])
  } catch (error) {
    if (error instanceof SyncError || outer?.aborted === true) throw error
    throw new Unavailable(`The target failed (${what}): ${error instanceof Error ? error.message : String(error)}`, {
      code: 'platform/failed',
      cause: error,
    })
  } finally {
    clearTimeout(timer)
  }
}
