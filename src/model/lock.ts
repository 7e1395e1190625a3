import { orAborted } from './or-aborted.js'

/** One at a time, in order of arrival. Waiting can be given up. */
export class Lock {
  #last: Promise<void> = Promise.resolve()

  /** Runs `work` when all before it have ended. Rejects with the signal's reason if that comes first; `work` is not begun then. */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last
    const turn = orAborted(before, signal).then(work)
    this.#last = Promise.allSettled([before, turn]).then(() => undefined)
    return turn
  }
}
