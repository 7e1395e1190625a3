/** Tells those who wait for it that something about a stack changed. */
export class Changes {
  readonly #waiting = new Map<string, Set<() => void>>()

  notify(stack: string): void {
    const waiting = this.#waiting.get(stack)
    this.#waiting.delete(stack)
    for (const wake of waiting ?? []) wake()
  }

  /** Resolves at the next change; rejects with the signal's reason. */
  next(stack: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error)
      const waiting = this.#waiting.get(stack) ?? new Set()
      this.#waiting.set(stack, waiting)
      const done = (settle: () => void): void => {
        waiting.delete(wake)
        signal.removeEventListener('abort', onAbort)
        settle()
      }
      const wake = (): void => done(resolve)
      const onAbort = (): void => done(() => reject(signal.reason as Error))
      waiting.add(wake)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }
}
