import { orAborted } from './or-aborted.js'

/** At most so many at once; the others wait in order of arrival. Waiting can be given up. */
export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  /** Rejects with the signal's reason if that comes before the turn; `work` is not begun then. */
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
