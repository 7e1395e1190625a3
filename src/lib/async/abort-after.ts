/**
 * A signal that aborts after `ms` with a `TimeoutError`, or with `outer`, whichever comes first. Instead of
 * `AbortSignal.timeout`: `AbortSignal.any` refers to its sources weakly, so the garbage collector removes a timeout
 * that nothing else refers to, and the wait for it never ends. Here the timer refers to its controller.
 */
export function abortAfter(ms: number, outer?: AbortSignal): AbortSignal {
  const timeout = new AbortController()
  setTimeout(() => timeout.abort(new DOMException(`No answer within ${ms} ms.`, 'TimeoutError')), ms).unref()
  return outer === undefined ? timeout.signal : AbortSignal.any([outer, timeout.signal])
}
