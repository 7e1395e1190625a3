import type { Clock } from '../../lib/clock.js'

/** When gitmoor last wrote to each family of an organisation: what was read before is no longer true. */
export class Writes {
  readonly #clock: Clock
  /** Elapsed milliseconds. */
  readonly #last = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A write to the family begins or ends. */
  note(family: string): void {
    this.#last.set(family, this.#clock.elapsed())
  }

  /** True if what began then began after the last write. */
  isAfter(began: number, family: string): boolean {
    return began > (this.#last.get(family) ?? -1)
  }
}
