import { LRUCache } from 'lru-cache'
import type { Json } from '../model/json.js'

/** One entry of a file: a YAML document, or one entry of a list that a document or a JSON text holds. */
export interface Entry {
  readonly value: Json
  /** Where it begins, from 1. */
  readonly line: number
  /** Which YAML document of the file, and which entry of its list. */
  readonly document: number
  readonly item: number | undefined
}

/**
 * What files say, by the id of their contents, so that what was read before is not parsed again. Who shares one must read with the same limits.
 * `maxBytes` is of the texts; what is kept of them takes several times that.
 */
export class ParsedCache {
  readonly #files: LRUCache<string, readonly Entry[]>

  constructor(maxBytes: number) {
    this.#files = new LRUCache({ maxSize: Math.max(1, maxBytes) })
  }

  get(key: string): readonly Entry[] | undefined {
    return this.#files.get(key)
  }

  set(key: string, entries: readonly Entry[], bytes: number): void {
    this.#files.set(key, entries, { size: bytes + 1 })
  }
}
