import { LRUCache } from 'lru-cache'
import { fullBucket, takeToken, type Bucket, type Rate } from '../../lib/token-bucket.js'

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
    const { bucket, waitMs } = takeToken(this.#buckets.get(key) ?? fullBucket(this.#rate, now), this.#rate, now)
    this.#buckets.set(key, bucket)
    return waitMs
  }
}
