// The index of a pack (version 2, gitformat-pack): sorted IDs, and the offset of each object.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const HEAD = Buffer.from('ff744f6300000002', 'hex')
const IDS = HEAD.length + 256 * 4

/** For each object, in pack order: its ID (20 bytes), its offset, and the CRC-32 of its packed bytes. */
export interface PackContents {
  readonly ids: Buffer
  readonly offsets: Uint32Array
  readonly sums: Uint32Array
}

/** The bytes of an index. Undefined: an ID occurs twice. */
export function writeIndex({ ids, offsets, sums }: PackContents, packSum: Buffer): Buffer | undefined {
  const order = inOrder(ids, offsets.length)
  if (order === undefined) return undefined
  const count = order.length
  const body = Buffer.alloc(IDS + count * 28 + 40)
  HEAD.copy(body)
  order.forEach((from, to) => {
    ids.copy(body, IDS + to * 20, from * 20, from * 20 + 20)
    body.writeUInt32BE(sums[from]!, IDS + count * 20 + to * 4)
    body.writeUInt32BE(offsets[from]!, IDS + count * 24 + to * 4)
    const first = HEAD.length + ids[from * 20]! * 4
    body.writeUInt32BE(body.readUInt32BE(first) + 1, first)
  })
  for (let first = 1; first < 256; first++) {
    const at = HEAD.length + first * 4
    body.writeUInt32BE(body.readUInt32BE(at) + body.readUInt32BE(at - 4), at)
  }
  packSum.copy(body, body.length - 40)
  createHash('sha1')
    .update(body.subarray(0, -20))
    .digest()
    .copy(body, body.length - 20)
  return body
}

/** Compares by the first six bytes of the IDs, which nearly always differ. */
function inOrder(ids: Buffer, count: number): Uint32Array | undefined {
  const keys = Float64Array.from({ length: count }, (_, at) => ids.readUIntBE(at * 20, 6))
  const compare = (a: number, b: number): number =>
    keys[a]! - keys[b]! || ids.compare(ids, b * 20, b * 20 + 20, a * 20, a * 20 + 20)
  const order = Uint32Array.from({ length: count }, (_, at) => at).sort(compare)
  return order.some((one, at) => at > 0 && compare(order[at - 1]!, one) === 0) ? undefined : order
}

export class PackIndex {
  readonly #bytes: Buffer
  readonly #count: number

  private constructor(bytes: Buffer, count: number) {
    this.#bytes = bytes
    this.#count = count
  }

  /** Undefined: the index is damaged. Throws file system errors. */
  static read(path: string): PackIndex | undefined {
    const bytes = readFileSync(path)
    const count = bytes.length < IDS + 40 ? 0 : bytes.readUInt32BE(IDS - 4)
    if (bytes.length !== IDS + count * 28 + 40 || !bytes.subarray(0, HEAD.length).equals(HEAD)) return undefined
    const sum = createHash('sha1').update(bytes.subarray(0, -20)).digest()
    return sum.equals(bytes.subarray(-20)) ? new PackIndex(bytes, count) : undefined
  }

  /** The offset of an object; undefined: it is not in this pack. */
  offsetOf(id: string): number | undefined {
    const bytes = Buffer.from(id, 'hex')
    const fan = (first: number): number => (first < 0 ? 0 : this.#bytes.readUInt32BE(HEAD.length + first * 4))
    let low = fan(bytes[0]! - 1)
    let high = fan(bytes[0]!)
    while (low < high) {
      const middle = (low + high) >> 1
      const at = IDS + middle * 20
      const order = this.#bytes.compare(bytes, 0, 20, at, at + 20)
      if (order === 0) return this.#bytes.readUInt32BE(IDS + this.#count * 24 + middle * 4)
      if (order < 0) low = middle + 1
      else high = middle
    }
    return undefined
  }
}
