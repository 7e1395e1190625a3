import type { Clock } from '../model/clock.js'
import { Timetable } from './timetable.js'

const longestSleepMs = 3_600_000

/** Sleeps until something in its timetable is due, and tells what. */
export class Timekeeper {
  readonly timetable = new Timetable(() => this.#alarm())
  readonly #clock: Clock
  #alarm: () => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Until `stop`. */
  async run(onDue: (key: string) => void, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      for (const key of this.timetable.take(this.#clock.now())) onDue(key)
      await this.#untilNext(stop)
    }
  }

  async #untilNext(stop: AbortSignal): Promise<void> {
    const woken = new AbortController()
    this.#alarm = (): void => woken.abort()
    const ms = Math.min(Math.max(0, this.timetable.next() - this.#clock.now()), longestSleepMs)
    await this.#clock.sleep(ms, AbortSignal.any([woken.signal, stop])).catch(() => {})
  }
}
