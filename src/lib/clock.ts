import { onAbort } from './async/on-abort.js'

/** Time, passed in so tests control it. */
export interface Clock {
  /** Milliseconds since the epoch. The system clock may be changed: use it for times that are stored and shown. */
  now(): number
  /** Milliseconds since some moment, unaffected by the system clock: use it for durations and deadlines. */
  elapsed(): number
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error)
      const timer = setTimeout(() => {
        ignoreAbort()
        resolve()
      }, ms)
      const ignoreAbort = onAbort(signal, () => {
        clearTimeout(timer)
        reject(signal.reason as Error)
      })
    }),
}
