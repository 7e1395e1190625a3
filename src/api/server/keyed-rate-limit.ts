import { LRUCache } from 'lru-cache'

/** So many at once, then so many a second. */
export interface Rate {
  readonly burst: number
  readonly perSecond: number
}

interface Bucket {
  readonly left: number
  readonly at: number
}

/** Keys whose requests are counted; of more, the one that asked longest ago is forgotten. */
const mostKeys = 10_000

/** Counts requests by key. Times are those of `performance.now()`. */
export class KeyedRateLimit {
  readonly #rate: Rate
  readonly #buckets = new LRUCache<string, Bucket>({ max: mostKeys })

  constructor(rate: Rate) {
    this.#rate = rate
  }

  /** Counts one. Gives after how many milliseconds to ask again; 0: it may go on. */
  take(key: string, now: number): number {
    const { burst, perSecond } = this.#rate
    const { left, at } = this.#buckets.get(key) ?? { left: burst, at: now }
    const filled = Math.min(burst, left + ((now - at) * perSecond) / 1000)
    this.#buckets.set(key, { left: Math.max(0, filled - 1), at: now })
    return filled >= 1 ? 0 : Math.ceil(((1 - filled) * 1000) / perSecond)
  }
}
