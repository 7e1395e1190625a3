import { orAborted } from './or-aborted.js'

/**
 * Concurrent callers share one execution. A caller whose signal aborts stops waiting; the execution goes on for the
 * others.
 */
export function shareExecution<T>(work: () => Promise<T>): (signal?: AbortSignal) => Promise<T> {
  let inProgress: Promise<T> | undefined
  return (signal) => {
    inProgress ??= work().finally(() => (inProgress = undefined))
    return signal === undefined ? inProgress : orAborted(inProgress, signal)
  }
}
