import { orAborted } from './or-aborted.js'

/** One at a time, in order of arrival. A signal ends the waiting. */
export class Lock {
  #last: Promise<void> = Promise.resolve()
  #turns = 0

  /** Work is in progress, or waits. */
  get isHeld(): boolean {
    return this.#turns > 0
  }

  /** Runs `work` after earlier work. If the signal aborts first, rejects with its reason and does not begin `work`. */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last
    const turn = orAborted(before, signal).then(work)
    this.#turns++
    this.#last = Promise.allSettled([before, turn]).then(() => void this.#turns--)
    return turn
  }
}
