import { afterRunning } from '../lib/async/after-running.js'
import type { Change } from '../model/resources/change.js'
import { SyncError, Unavailable } from '../model/errors.js'
import type { Caller } from './platform.js'

/** A finished call of a driver. `call`: verb and object, `update Bucket/raw`; `code`: of the error, if it failed. */
export interface DriverCall extends Caller {
  readonly call: string
  readonly ms: number
  readonly code?: string
}

/** For which stack and run a driver is called, the time limit of a call, and a function that is called after each. */
export interface CallContext {
  readonly caller: Caller
  readonly limitMs: number
  /** The setting that the time limit comes from. Default: `limits.driverCall`. */
  readonly limitFrom?: string
  readonly onCall?: (call: DriverCall) => void
}

/** The context of calls for a change, with its own time limit. */
export function callContext({ timeoutMs }: Pick<Change, 'timeoutMs'>, calling: CallContext): CallContext {
  return timeoutMs === undefined ? calling : { ...calling, limitMs: timeoutMs, limitFrom: 'meta.timeout' }
}

/** Calls a driver, within the time limit. An unknown error becomes `Unavailable`, because the result is not known. */
export async function callDriver<T>(
  what: string,
  { caller, onCall, ...limit }: CallContext,
  call: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  outer?.throwIfAborted()
  const began = performance.now()
  const report = (code?: string): void =>
    onCall?.({
      ...caller,
      call: what,
      ms: Math.round(performance.now() - began),
      ...(code === undefined ? {} : { code }),
    })
  try {
    const answer = await withinLimit(what, limit, call, outer)
    report()
    return answer
  } catch (error) {
    const failure = outer?.aborted === true ? error : asSyncError(what, error)
    report(failure instanceof SyncError ? failure.code : 'aborted')
    throw failure
  }
}

async function withinLimit<T>(
  what: string,
  { limitMs, limitFrom = 'limits.driverCall' }: Pick<CallContext, 'limitMs' | 'limitFrom'>,
  call: (signal: AbortSignal) => Promise<T>,
  outer: AbortSignal | undefined,
): Promise<T> {
  const timeout = new AbortController()
  const signal = outer === undefined ? timeout.signal : AbortSignal.any([outer, timeout.signal])
  let cancel = (): void => {}
  const late = new Promise<never>((_, reject) => {
    cancel = afterRunning(limitMs, () => {
      const error = new Unavailable(`The target did not answer within ${limitMs / 1000} s (${what}).`, {
        code: 'platform/timeout',
        hint: `The time limit is \`${limitFrom}\`.`,
      })
      timeout.abort(error)
      reject(error)
    })
  })
  try {
    return await Promise.race([call(signal), late])
  } finally {
    cancel()
  }
}

function asSyncError(what: string, error: unknown): SyncError {
  if (error instanceof SyncError) return error
  return new Unavailable(`The target failed (${what}): ${error instanceof Error ? error.message : String(error)}`, {
    code: 'platform/failed',
    cause: error,
  })
}
