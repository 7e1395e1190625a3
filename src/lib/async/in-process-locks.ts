import type { HeldLock, Locks } from './locks.js'
import { orAborted } from './or-aborted.js'

/** Locks of one process. */
export class InProcessLocks implements Locks {
  /** Of each lock that is held: what gives it to those who wait, the first one first. */
  readonly #waiting = new Map<string, Set<() => void>>()
  #tokens = 0

  isHeld(name: string): boolean {
    return this.#waiting.has(name)
  }

  async acquire(name: string, signal: AbortSignal): Promise<HeldLock> {
    signal.throwIfAborted()
    const waiting = this.#waiting.get(name)
    if (waiting === undefined) this.#waiting.set(name, new Set())
    else await this.#turn(name, waiting, signal)
    return this.#hold(name)
  }

  async #turn(name: string, waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
    let give = (): void => {}
    const turn = new Promise<void>((resolve) => (give = resolve))
    waiting.add(give)
    try {
      await orAborted(turn, signal)
    } catch (error) {
      // Its turn may have come at the same time: then the next one gets the lock.
      if (!waiting.delete(give)) this.#release(name)
      throw error
    }
  }

  #hold(name: string): HeldLock {
    let isHeld = true
    const release = (): void => {
      if (isHeld) this.#release(name)
      isHeld = false
    }
    return { token: ++this.#tokens, [Symbol.dispose]: release }
  }

  #release(name: string): void {
    const waiting = this.#waiting.get(name)!
    const [next] = waiting
    if (next === undefined) return void this.#waiting.delete(name)
    waiting.delete(next)
    next()
  }
}
