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
  /** Of what it holds; absent: they are found by reading the text again. */
  readonly lines?: EntryLines
}

/** Lines of an entry's values, in the order of the text; `ends`: where what follows each begins. */
export interface EntryLines {
  readonly lines: readonly number[]
  readonly ends: readonly number[]
}

/** What a file says. `values`: how many there are in it, at most. */
export interface Parsed {
  readonly entries: readonly Entry[]
  readonly values: number
}

/** What one value takes in memory beside its text, about. */
const valueBytes = 60

/**
 * What files say, by the id of their contents, so that what was read before is not parsed again. Who shares one must read with the same limits.
 * `maxBytes` is of what is kept, about.
 */
export class ParsedCache {
  readonly #files: LRUCache<string, Parsed>

  constructor(maxBytes: number) {
    this.#files = new LRUCache({ maxSize: Math.max(1, maxBytes) })
  }

  get(key: string): Parsed | undefined {
    return this.#files.get(key)
  }

  /** `bytes`: of the text. */
  set(key: string, parsed: Parsed, bytes: number): void {
    this.#files.set(key, parsed, { size: bytes + 1 + parsed.values * valueBytes })
  }
}
