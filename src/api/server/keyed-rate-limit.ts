import { LRUCache } from 'lru-cache'

/** A burst, then a number per second. */
export interface Rate {
  readonly burst: number
  readonly perSecond: number
}

interface Bucket {
  readonly left: number
  readonly at: number
}

/** Keys that are counted; beyond that, the least recently used one is dropped. */
const mostKeys = 10_000

/** Counts requests by key. Times are those of `performance.now()`. */
export class KeyedRateLimit {
  readonly #rate: Rate
  readonly #buckets = new LRUCache<string, Bucket>({ max: mostKeys })

  constructor(rate: Rate) {
    this.#rate = rate
  }

  /** Counts one request. Gives the milliseconds to wait before a retry; 0: it is allowed. */
  take(key: string, now: number): number {
    const { burst, perSecond } = this.#rate
    const { left, at } = this.#buckets.get(key) ?? { left: burst, at: now }
    const filled = Math.min(burst, left + ((now - at) * perSecond) / 1000)
    this.#buckets.set(key, { left: Math.max(0, filled - 1), at: now })
    return filled >= 1 ? 0 : Math.ceil(((1 - filled) * 1000) / perSecond)
  }
}
