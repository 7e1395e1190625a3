// Reads SSH's binary encoding (RFC 4251, 5): four-byte numbers, and strings with their length.

/** Reads from the front. A missing value is undefined, and so is everything after it. */
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

  /** A non-negative number, without leading zeros or padded to `size` bytes. undefined: it is negative or too long. */
  unsigned(size?: number): Buffer | undefined {
    const found = this.string()
    if (found === undefined || found.length === 0 || found[0]! > 127) return undefined
    const bytes = found[0] === 0 ? found.subarray(1) : found
    if (size === undefined) return bytes
    return bytes.length <= size ? Buffer.concat([Buffer.alloc(size - bytes.length), bytes]) : undefined
  }
}

/** The bytes with their length in front. */
export function sshString(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
