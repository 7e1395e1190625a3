import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** The last 20 bytes of a pack are its checksum. */
const CHECKSUM_BYTES = 20

/** A pack on disk, read in pieces, never as a whole. Close it after use. Throws file system errors. */
export class PackBytes implements Disposable {
  /** The end of the entries, where the checksum starts. */
  readonly end: number
  readonly path: string
  readonly #file: number
  readonly #ahead: number
  #window: Buffer = Buffer.alloc(0)
  #start = 0

  /** `ahead`: how much is read at once. */
  constructor(path: string, ahead: number) {
    this.path = path
    this.#file = openSync(path, 'r')
    this.#ahead = ahead
    this.end = Math.max(0, fstatSync(this.#file).size - CHECKSUM_BYTES)
  }

  /** Bytes from an offset; fewer at the end of the entries. Later reads do not overwrite them. */
  read(at: number, length: number): Buffer {
    const available = Math.min(length, this.end - at)
    if (available <= 0) return Buffer.alloc(0)
    const begin = at - this.#start
    if (begin >= 0 && begin + available <= this.#window.length) return this.#window.subarray(begin, begin + available)
    this.#start = at
    this.#window = this.#load(at, Math.min(this.end - at, Math.max(available, this.#ahead)))
    return this.#window.subarray(0, available)
  }

  /** The checksum at its end. */
  checksum(): Buffer {
    return this.#load(this.end, CHECKSUM_BYTES)
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }

  #load(at: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    let done = 0
    for (let read = 1; read > 0 && done < length; done += read)
      read = readSync(this.#file, bytes, done, length - done, at + done)
    return bytes.subarray(0, done)
  }
}
