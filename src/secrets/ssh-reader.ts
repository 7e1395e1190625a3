// The way SSH writes things down (RFC 4251, 5): numbers of four bytes, and strings with their length before them.

/** Reads from the front. What is not there is undefined, and so is all that follows. */
export class SshReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  bytes(length: number): Buffer | undefined {
    const end = this.#at + length
    const found = end <= this.#bytes.length ? this.#bytes.subarray(this.#at, end) : undefined
    this.#at = found === undefined ? Number.POSITIVE_INFINITY : end
    return found
  }

  number(): number | undefined {
    return this.bytes(4)?.readUInt32BE()
  }

  string(): Buffer | undefined {
    const length = this.number()
    return length === undefined ? undefined : this.bytes(length)
  }

  /** A number that is not negative, without zeros before it; with `size` filled up to so many bytes. */
  unsigned(size?: number): Buffer | undefined {
    const found = this.string()
    if (found === undefined || found.length === 0 || found[0]! > 127) return undefined
    const bytes = found[0] === 0 ? found.subarray(1) : found
    if (size === undefined) return bytes
    return bytes.length <= size ? Buffer.concat([Buffer.alloc(size - bytes.length), bytes]) : undefined
  }
}

/** With its length before it. */
export function sshString(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
