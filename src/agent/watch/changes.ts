import { onAbort } from '../../lib/async/on-abort.js'

type Listener = (stack: string) => void

/** Reports that something about a stack changed: to parts of the agent, and to requests that wait for it. */
export class Changes {
  readonly #listeners: Listener[] = []
  readonly #waiting = new Map<string, Set<() => void>>()

  notify(stack: string): void {
    const waiting = this.#waiting.get(stack)
    this.#waiting.delete(stack)
    for (const wake of waiting ?? []) wake()
    for (const listener of this.#listeners) listener(stack)
  }

  /** Calls the listener for each change from now on. */
  subscribe(listener: Listener): void {
    this.#listeners.push(listener)
  }

  /** Resolves at the next change of the stack; rejects with the signal's reason. */
  next(stack: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error)
      const waiting = this.#waiting.get(stack) ?? new Set()
      this.#waiting.set(stack, waiting)
      const done = (settle: () => void): void => {
        waiting.delete(wake)
        ignoreAbort()
        settle()
      }
      const wake = (): void => done(resolve)
      const ignoreAbort = onAbort(signal, () => done(() => reject(signal.reason as Error)))
      waiting.add(wake)
    })
  }
}
