import type { Clock } from '../src/lib/clock.js'

/** A clock that only the test moves. `advance` wakes sleepers in order. */
export class ManualClock implements Clock {
  #now: number
  #elapsed = 0
  #sleepers: { readonly at: number; readonly wake: () => void }[] = []
  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now
  }
  now(): number {
    return this.#now
  }
  elapsed(): number {
    return this.#elapsed
  }
  /** Sets the time of day; no time elapses. */
  set(now: number): void {
    this.#now = now
  }
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error)
      const sleeper = { at: this.#elapsed + ms, wake: resolve }
      this.#sleepers.push(sleeper)
      signal.addEventListener(
        'abort',
        () => {
          this.#sleepers = this.#sleepers.filter((one) => one !== sleeper)
          reject(signal.reason as Error)
        },
        { once: true },
      )
    })
  }
  advance(ms: number): void {
    this.#now += ms
    this.#elapsed += ms
    const due = this.#sleepers.filter((one) => one.at <= this.#elapsed).sort((a, b) => a.at - b.at)
    this.#sleepers = this.#sleepers.filter((one) => one.at > this.#elapsed)
    for (const sleeper of due) sleeper.wake()
  }
}
