import { LRUCache } from 'lru-cache'
import type { Json } from '../model/json.js'

/** One entry of a file: a YAML document, or one item of a list in a document or a JSON text. */
export interface PackageEntry {
  readonly value: Json
  /** Its first line, from 1. */
  readonly line: number
  /** The index of the YAML document in the file, and of the entry in its list. */
  readonly document: number
  readonly item: number | undefined
  /** Lines of its values; absent: they are found by parsing the text again. */
  readonly lines?: EntryLines
}

/** Lines of an entry's values, in the order of the text; `ends`: where the value after each begins. */
export interface EntryLines {
  readonly lines: readonly number[]
  readonly ends: readonly number[]
}

/** The entries of a file. `values`: an upper bound of their number. */
export interface ParsedFile {
  readonly entries: readonly PackageEntry[]
  readonly values: number
}

/** The approximate memory of a value beside its text: measured with 157,000 values of dashboards and buckets. */
const valueBytes = 72

/**
 * Entries of files by the id of their contents, so a known file is not parsed again. All users of one cache must read
 * with the same limits. `maxBytes`: the approximate size of the cache.
 */
export class ParsedCache {
  readonly #files: LRUCache<string, ParsedFile>

  constructor(maxBytes: number) {
    this.#files = new LRUCache({ maxSize: Math.max(1, maxBytes) })
  }

  get(key: string): ParsedFile | undefined {
    return this.#files.get(key)
  }

  /** `bytes`: of the text. */
  set(key: string, parsed: ParsedFile, bytes: number): void {
    this.#files.set(key, parsed, { size: bytes + 1 + parsed.values * valueBytes })
  }
}
