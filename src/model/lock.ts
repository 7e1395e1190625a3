/** One at a time, in order of arrival. Waiting can be given up. */
export class Lock {
  #last: Promise<void> = Promise.resolve()

  /** Runs `work` when all before it have ended. Rejects with the signal's reason if that comes first; `work` is not begun then. */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last
    const turn = orAbort(before, signal).then(work)
    this.#last = Promise.allSettled([before, turn]).then(() => undefined)
    return turn
  }
}

/** The promise, which never rejects, or a rejection with the signal's reason if that comes first. */
function orAbort(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error)
    const onTurn = (): void => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    void promise.then(onTurn)
  })
}
