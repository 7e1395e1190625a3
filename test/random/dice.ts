import { seeded } from '../package/seeded.js'

/** Chance that is the same for the same seed. */
export class Dice {
  readonly #below: (below: number) => number

  constructor(seed: number) {
    this.#below = seeded(seed)
  }

  /** A whole number from 0 below a bound. */
  below(bound: number): number {
    return this.#below(bound)
  }

  /** True so many times out of a hundred. */
  chance(percent: number): boolean {
    return this.#below(100) < percent
  }

  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)]!
  }

  seed(): number {
    return this.#below(2 ** 31)
  }
}
