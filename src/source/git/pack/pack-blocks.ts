import { LRUCache } from 'lru-cache'
import { PackBytes } from './pack-bytes.js'

/** What entries are read from. */
export interface PackContent {
  readonly path: string
  /** Bytes from an offset; fewer at the end of the entries. Later reads do not overwrite them. */
  read(at: number, length: number): Buffer
}

const BLOCK_BYTES = 16 * 1024
const MOST_BLOCKS = 8

/**
 * Reads packs in blocks, and keeps the last ones in memory until `clear`: objects that are read one after the other are
 * often next to each other. No file stays open. Throws file system errors.
 */
export class PackBlocks {
  readonly #blocks = new LRUCache<string, Buffer>({ max: MOST_BLOCKS })

  pack(path: string): PackContent {
    return { path, read: (at, length) => this.#read(path, at, length) }
  }

  clear(): void {
    this.#blocks.clear()
  }

  #read(path: string, at: number, length: number): Buffer {
    const first = Math.floor(at / BLOCK_BYTES)
    const last = Math.floor((at + length - 1) / BLOCK_BYTES)
    if (last > first + 1) return bytesOf(path, at, length)
    const begin = at - first * BLOCK_BYTES
    const head = this.#block(path, first).subarray(begin, begin + length)
    if (last === first) return head
    return Buffer.concat([head, this.#block(path, last).subarray(0, length - head.length)])
  }

  #block(path: string, index: number): Buffer {
    const key = `${path}:${index}`
    const known = this.#blocks.get(key)
    if (known !== undefined) return known
    const block = bytesOf(path, index * BLOCK_BYTES, BLOCK_BYTES)
    this.#blocks.set(key, block)
    return block
  }
}

function bytesOf(path: string, at: number, length: number): Buffer {
  using file = new PackBytes(path, length)
  return file.read(at, length)
}
