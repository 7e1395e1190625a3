// How long the process may block in total for synchronous questions to a thread.

/**
 * `firstMs`: for one question; `afterTimeoutMs`: for one after a timeout; `perMinuteMs`: for all slow questions of a
 * minute.
 */
export interface TimeBudgetLimits {
  readonly firstMs: number
  readonly afterTimeoutMs: number
  readonly perMinuteMs: number
}

const minute = 60_000
/** Faster questions are not counted. */
const slowMs = 25

export class TimeBudget {
  readonly #limits: TimeBudgetLimits
  readonly #now: () => number
  #since = 0
  #spentMs = 0
  #isHurried = false

  /** `now`: milliseconds of a monotonic clock. */
  constructor(limits: TimeBudgetLimits, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
  }

  /** The time for the next question, in milliseconds; undefined: nothing is left of this minute. */
  next(): number | undefined {
    if (this.#now() - this.#since >= minute) this.#startMinute()
    const { firstMs, afterTimeoutMs, perMinuteMs } = this.#limits
    const left = perMinuteMs - this.#spentMs
    return left <= 0 ? undefined : Math.min(this.#isHurried ? afterTimeoutMs : firstMs, left)
  }

  /** Records the time of a question. `inVain`: it got no answer. */
  spend(ms: number, inVain: boolean): void {
    if (!inVain && ms < slowMs) return
    if (this.#spentMs === 0 && !this.#isHurried) this.#since = this.#now()
    this.#spentMs += ms
    this.#isHurried ||= inVain
  }

  #startMinute(): void {
    this.#since = this.#now()
    this.#spentMs = 0
    this.#isHurried = false
  }
}
