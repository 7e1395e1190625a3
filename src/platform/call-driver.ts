import { afterRunning } from '../lib/after-running.js'
import { SyncError, Unavailable } from '../model/errors.js'
import type { Caller } from './platform.js'

/**
 * One call of a driver that has ended. `call`: the verb and what it was about, `update Bucket/raw`; `code`: of the
 * error it ended with.
 */
export interface DriverCall extends Caller {
  readonly call: string
  readonly ms: number
  readonly code?: string
}

/** For whom a driver is called, how long a call may take, and who is told of each. */
export interface CallContext {
  readonly caller: Caller
  readonly limitMs: number
  readonly onCall?: (call: DriverCall) => void
}

/**
 * One call of a driver, within its time limit. What is not one of our errors is `Unavailable`: nobody knows what came
 * of it.
 */
export async function callDriver<T>(
  what: string,
  { caller, limitMs, onCall }: CallContext,
  call: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  outer?.throwIfAborted()
  const began = performance.now()
  const tell = (code?: string): void =>
    onCall?.({
      ...caller,
      call: what,
      ms: Math.round(performance.now() - began),
      ...(code === undefined ? {} : { code }),
    })
  try {
    const answer = await withinLimit(what, limitMs, call, outer)
    tell()
    return answer
  } catch (error) {
    const failure = outer?.aborted === true ? error : failureOf(what, error)
    tell(failure instanceof SyncError ? failure.code : 'aborted')
    throw failure
  }
}

async function withinLimit<T>(
  what: string,
  limitMs: number,
  call: (signal: AbortSignal) => Promise<T>,
  outer: AbortSignal | undefined,
): Promise<T> {
  const timeout = new AbortController()
  const signal = outer === undefined ? timeout.signal : AbortSignal.any([outer, timeout.signal])
  let callOff = (): void => {}
  const late = new Promise<never>((_, reject) => {
    callOff = afterRunning(limitMs, () => {
      const error = new Unavailable(`The target did not answer within ${limitMs / 1000} s (${what}).`, {
        code: 'platform/timeout',
        hint: 'It is asked again later. The limit is `limits.driverCall`.',
      })
      timeout.abort(error)
      reject(error)
    })
  })
  try {
    return await Promise.race([call(signal), late])
  } finally {
    callOff()
  }
}

function failureOf(what: string, error: unknown): SyncError {
  if (error instanceof SyncError) return error
  return new Unavailable(`The target failed (${what}): ${error instanceof Error ? error.message : String(error)}`, {
    code: 'platform/failed',
    cause: error,
  })
}
