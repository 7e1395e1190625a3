import type { HeldLock, Locks } from './locks.js'
import { orAborted } from './or-aborted.js'

interface Waiting {
  readonly shares: boolean
  readonly give: () => void
}

/** A lock that is held. */
interface Lock {
  holders: number
  isShared: boolean
  /** Who waits, the first one first. */
  readonly waiting: Set<Waiting>
}

/** Locks of one process. */
export class InProcessLocks implements Locks {
  /** Those that are held. */
  readonly #locks = new Map<string, Lock>()
  #tokens = 0

  isHeld(name: string): boolean {
    return this.#locks.has(name)
  }

  acquire(name: string, signal: AbortSignal): Promise<HeldLock> {
    return this.#take(name, false, signal)
  }

  share(name: string, signal: AbortSignal): Promise<HeldLock> {
    return this.#take(name, true, signal)
  }

  async #take(name: string, shares: boolean, signal: AbortSignal): Promise<HeldLock> {
    signal.throwIfAborted()
    const lock = this.#locks.get(name)
    if (lock === undefined) this.#locks.set(name, { holders: 1, isShared: shares, waiting: new Set() })
    else if (shares && lock.isShared && lock.waiting.size === 0) lock.holders++
    else await this.#turn(name, lock, { shares, signal })
    return this.#hold(name)
  }

  async #turn(
    name: string,
    lock: Lock,
    { shares, signal }: { readonly shares: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    let give = (): void => {}
    const turn = new Promise<void>((resolve) => (give = resolve))
    const waiting = { shares, give }
    lock.waiting.add(waiting)
    try {
      await orAborted(turn, signal)
    } catch (error) {
      // Its turn may have come at the same time: then the next one gets the lock.
      if (lock.waiting.delete(waiting)) this.#admit(name, lock)
      else this.#release(name)
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
    const lock = this.#locks.get(name)!
    lock.holders--
    this.#admit(name, lock)
  }

  /** Gives the lock to the first that waits, and to those after it that share it, too. */
  #admit(name: string, lock: Lock): void {
    for (const one of lock.waiting) {
      if (lock.holders > 0 && !(lock.isShared && one.shares)) return
      lock.waiting.delete(one)
      lock.isShared = one.shares
      lock.holders++
      one.give()
    }
    if (lock.holders === 0) this.#locks.delete(name)
  }
}
