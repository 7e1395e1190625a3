// How long the process may stand still, all in all, for questions to a thread that it waits for.

/**
 * `wholeMs`: of one question; `hurriedMs`: of those after one that was asked in vain; `minuteMs`: of all that are slow,
 * within a minute.
 */
export interface TimeBudgetLimits {
  readonly firstMs: number
  readonly afterTimeoutMs: number
  readonly perMinuteMs: number
}

const minute = 60_000
/** What takes less is not counted. */
const slowMs = 25

export class TimeBudget {
  readonly #limits: TimeBudgetLimits
  readonly #now: () => number
  #since = 0
  #spentMs = 0
  #isHurried = false

  /** `now`: milliseconds of a clock that nobody sets. */
  constructor(limits: TimeBudgetLimits, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
  }

  /** For the next question, in milliseconds; undefined: nothing is left of this minute. */
  next(): number | undefined {
    if (this.#now() - this.#since >= minute) this.#begin()
    const { firstMs, afterTimeoutMs, perMinuteMs } = this.#limits
    const left = perMinuteMs - this.#spentMs
    return left <= 0 ? undefined : Math.min(this.#isHurried ? afterTimeoutMs : firstMs, left)
  }

  /** A question that took this long. `inVain`: without an answer. */
  spend(ms: number, inVain: boolean): void {
    if (!inVain && ms < slowMs) return
    if (this.#spentMs === 0 && !this.#isHurried) this.#since = this.#now()
    this.#spentMs += ms
    this.#isHurried ||= inVain
  }

  #begin(): void {
    this.#since = this.#now()
    this.#spentMs = 0
    this.#isHurried = false
  }
}
