import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** The last 20 bytes of a pack are its checksum. */
const CHECKSUM_BYTES = 20

/**
 * A pack on the disk, read in pieces: never all of it is in memory. To be closed. Throws what the file system refuses.
 */
export class PackBytes implements Disposable {
  /** Where the entries end and the checksum begins. */
  readonly end: number
  readonly path: string
  readonly #file: number
  readonly #ahead: number
  #window: Buffer = Buffer.alloc(0)
  #start = 0

  /** `ahead`: how much is read at once, for what follows. */
  constructor(path: string, ahead: number) {
    this.path = path
    this.#file = openSync(path, 'r')
    this.#ahead = ahead
    this.end = Math.max(0, fstatSync(this.#file).size - CHECKSUM_BYTES)
  }

  /** Bytes from a place on; fewer where the entries end. They are overwritten by no later reading. */
  read(at: number, length: number): Buffer {
    const wanted = Math.min(length, this.end - at)
    if (wanted <= 0) return Buffer.alloc(0)
    const begin = at - this.#start
    if (begin >= 0 && begin + wanted <= this.#window.length) return this.#window.subarray(begin, begin + wanted)
    this.#start = at
    this.#window = this.#load(at, Math.min(this.end - at, Math.max(wanted, this.#ahead)))
    return this.#window.subarray(0, wanted)
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
