import type { Clock } from '../../lib/clock.js'
import { TimerHeap } from './timer-heap.js'

/** How soon it is noticed that the clock was set. */
const noticeEveryMs = 60_000
/** Less is a clock that is kept right, not one that is set. */
const leastSettingMs = 5_000

export interface TimerHandlers {
  /** Of the key of what is due. */
  readonly onDue: (key: string) => void
  /** That somebody set the clock, back or forth. */
  readonly onClockSet: () => void
}

/**
 * Sleeps until something is due, and tells what. Times are given and told as the clock shows them, and kept so that a
 * clock that is set moves none.
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

  /** Only brings it forward. */
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

  /** Until `stop`. */
  async run({ onDue, onClockSet }: TimerHandlers, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      if (this.#noticeClockSet()) onClockSet()
      for (const key of this.#heap.take(this.#clock.elapsed())) onDue(key)
      await this.#untilNext(stop)
    }
  }

  /** What the clock shows, less the time that nobody sets. */
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
