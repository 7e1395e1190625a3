// Reads that several connections need at once: they share one.
import type { Clock } from '../../lib/clock.js'
import { orAborted } from '../../lib/async/or-aborted.js'

interface Execution<T> {
  /** Elapsed milliseconds. */
  readonly began: number
  readonly result: Promise<T>
  /** Of the caller that began it. */
  readonly signal: AbortSignal
}

/** Results by key, as long as callers accept them. */
export class SharedWork<T> {
  readonly #clock: Clock
  readonly #executions = new Map<string, Execution<T>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** True if a caller that accepts work by its begin would share it. */
  has(key: string, accepts: (began: number) => boolean): boolean {
    const known = this.#executions.get(key)
    return known !== undefined && accepts(known.began)
  }

  /**
   * Shares work that began when `accepts` says, in elapsed milliseconds; else begins `work`. A failure is shared, too,
   * unless its caller left: then the next one begins. Errors: those of the work; the signal's reason.
   */
  async get(key: string, accepts: (began: number) => boolean, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      signal.throwIfAborted()
      const known = this.#executions.get(key)
      if (known === undefined || !accepts(known.began)) return this.#begin(key, work, signal)
      try {
        return await orAborted(known.result, signal)
      } catch (error) {
        signal.throwIfAborted()
        if (!known.signal.aborted) throw error
        this.#drop(key, known)
      }
    }
  }

  /** Drops what began before this time. */
  sweep(before: number): void {
    for (const [key, { began }] of this.#executions) if (began < before) this.#executions.delete(key)
  }

  async #begin(key: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const execution = { began: this.#clock.elapsed(), result: work(), signal }
    this.#executions.set(key, execution)
    try {
      return await execution.result
    } catch (error) {
      this.#drop(key, execution)
      throw error
    }
  }

  #drop(key: string, execution: Execution<T>): void {
    if (this.#executions.get(key) === execution) this.#executions.delete(key)
  }
}
