import { orAborted } from '../../lib/async/or-aborted.js'

/** Work in progress that a shutdown waits for. */
export class Tasks {
  readonly #inProgress = new Set<Promise<unknown>>()

  /** Keeps track of the work until it ends. Its errors are the caller's. */
  keep<T>(work: Promise<T>): Promise<T> {
    this.#inProgress.add(work)
    void work.finally(() => this.#inProgress.delete(work)).catch(() => {})
    return work
  }

  /** Resolves when no work is in progress: true; or after `limitMs` if some still is: false. */
  async idle(limitMs: number | undefined): Promise<boolean> {
    const late = new AbortController()
    const timer = limitMs === undefined ? undefined : setTimeout(() => late.abort(), limitMs)
    while (this.#inProgress.size > 0 && !late.signal.aborted)
      await orAborted(Promise.allSettled(this.#inProgress), late.signal).catch(() => {})
    clearTimeout(timer)
    return this.#inProgress.size === 0
  }
}
