import { setImmediate as nextTurn } from 'node:timers/promises'

const MOST_BYTES = 2 * 1024 * 1024
const MOST_TIMES = 200

/** Long work in pieces: after some of it others have their turn, and the signal is heeded. */
export class Turns {
  readonly #signal: AbortSignal
  #bytes = 0
  #times = 0

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** One more piece is done. Undefined: go on at once. Throws the signal's reason. */
  took(bytes: number): Promise<void> | undefined {
    this.#bytes += bytes
    if (++this.#times < MOST_TIMES && this.#bytes < MOST_BYTES) return undefined
    this.#bytes = 0
    this.#times = 0
    this.#signal.throwIfAborted()
    return nextTurn()
  }
}
