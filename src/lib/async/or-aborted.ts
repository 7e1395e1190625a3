import { onAbort } from './on-abort.js'

/** The promise's result, or a rejection with the signal's reason if that comes first. The promise itself continues. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason as Error)
    if (signal.aborted) {
      promise.catch(() => {})
      return giveUp()
    }
    void promise.then(resolve, reject).finally(onAbort(signal, giveUp))
  })
}
