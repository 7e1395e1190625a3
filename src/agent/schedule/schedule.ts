import type { Clock } from '../../lib/clock.js'
import { TimerHeap } from './timer-heap.js'

/** A change of the system clock is noticed within this time. */
const noticeEveryMs = 60_000
/** Smaller differences are clock synchronisation. */
const leastSettingMs = 5_000

export interface TimerHandlers {
  /** A timer is due. */
  readonly onDue: (key: string) => void
  /** The system clock was set. */
  readonly onClockSet: () => void
}

/**
 * Timers by key. Times are given as the system clock shows them, and stored as elapsed time: setting the clock moves no
 * timer.
 */
export class Timers {
  readonly #heap = new TimerHeap(() => this.#alarm())
  readonly #clock: Clock
  #noticed: number
  #alarm: () => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
    this.#noticed = this.#ahead
  }

  set(key: string, at: number): void {
    this.#heap.set(key, at - this.#ahead)
  }

  /** Only makes it earlier. */
  atLatest(key: string, at: number): void {
    this.#heap.atLatest(key, at - this.#ahead)
  }

  delete(key: string): void {
    this.#heap.delete(key)
  }

  get(key: string): number | undefined {
    const due = this.#heap.get(key)
    return due === undefined ? undefined : Math.round(due + this.#ahead)
  }

  /** Calls the handlers until `stop`. */
  async run({ onDue, onClockSet }: TimerHandlers, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      if (this.#noticeClockSet()) onClockSet()
      for (const key of this.#heap.take(this.#clock.elapsed())) onDue(key)
      await this.#untilNext(stop)
    }
  }

  /** The difference between the system clock and elapsed time. */
  get #ahead(): number {
    return this.#clock.now() - this.#clock.elapsed()
  }

  #noticeClockSet(): boolean {
    const ahead = this.#ahead
    if (Math.abs(ahead - this.#noticed) < leastSettingMs) return false
    this.#noticed = ahead
    return true
  }

  async #untilNext(stop: AbortSignal): Promise<void> {
    const woken = new AbortController()
    this.#alarm = (): void => woken.abort()
    const ms = Math.min(Math.max(0, this.#heap.next() - this.#clock.elapsed()), noticeEveryMs)
    await this.#clock.sleep(ms, AbortSignal.any([woken.signal, stop])).catch(() => {})
  }
}
