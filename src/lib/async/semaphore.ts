import { orAborted } from './or-aborted.js'

/** At most so many at once; others wait in order of arrival. A signal ends the waiting. */
export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  /** If the signal aborts before its turn, rejects with its reason and does not begin `work`. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#turn(signal)
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#free > 0) return void this.#free--
    const turn = new Promise<void>((resolve) => this.#waiting.push(resolve))
    if (signal === undefined) return turn
    try {
      await orAborted(turn, signal)
    } catch (error) {
      void turn.then(() => this.#leave()) // the place that comes nevertheless goes to the next
      throw error
    }
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free++
    else next()
  }
}
