import type { Clock } from '../../lib/clock.js'
import { orAborted } from '../../lib/async/or-aborted.js'
import { fullBucket, takeToken, type Bucket, type Rate } from '../../lib/token-bucket.js'

interface Waiter {
  readonly key: string
  readonly pass: () => void
}

/** Limits polls to a rate, in the order of their arrival; urgent ones go first. */
export class RateLimit {
  readonly #rate: Rate
  readonly #clock: Clock
  readonly #stop: AbortSignal
  #bucket: Bucket
  #waiting: readonly Waiter[] = []

  constructor(rate: Rate, clock: Clock, stop: AbortSignal) {
    this.#rate = rate
    this.#clock = clock
    this.#stop = stop
    this.#bucket = fullBucket(rate, clock.elapsed())
  }

  /** How many polls wait. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** How long the last of them has to wait from now on. */
  get longestMs(): number {
    return Math.ceil((this.#waiting.length * 1000) / this.#rate.perSecond)
  }

  /** Resolves when the rate allows it; rejects when the agent stops. */
  async take(key: string, isUrgent: boolean): Promise<void> {
    if ((this.#waiting.length === 0 || isUrgent) && this.#take() === 0) return
    const passed = new Promise<void>((pass) => {
      const others = this.#waiting
      this.#waiting = isUrgent ? [{ key, pass }, ...others] : [...others, { key, pass }]
      if (others.length === 0) void this.#serve()
    })
    await orAborted(passed, this.#stop)
  }

  /** Puts those with this key first. */
  prioritise(key: string): void {
    const first = this.#waiting.filter((one) => one.key === key)
    if (first.length > 0) this.#waiting = [...first, ...this.#waiting.filter((one) => one.key !== key)]
  }

  #take(): number {
    const { bucket, waitMs } = takeToken(this.#bucket, this.#rate, this.#clock.elapsed())
    this.#bucket = bucket
    return waitMs
  }

  async #serve(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#stop.aborted) {
      const waitMs = this.#take()
      if (waitMs > 0) await this.#clock.sleep(waitMs, this.#stop).catch(() => {})
      else this.#serveFirst()
    }
  }

  #serveFirst(): void {
    const [first, ...others] = this.#waiting
    this.#waiting = others
    first?.pass()
  }
}
