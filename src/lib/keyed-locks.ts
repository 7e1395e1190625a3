import { Lock } from './lock.js'

/** A lock for each key, made at its first use. */
export class KeyedLocks {
  readonly #locks = new Map<string, Lock>()

  /** Runs `work` after earlier work of this key. See `Lock`. */
  run<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    let lock = this.#locks.get(key)
    if (lock === undefined) this.#locks.set(key, (lock = new Lock()))
    return lock.run(signal, work)
  }
}
