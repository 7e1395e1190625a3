// Indexes a received pack and rejects malformed or too expensive ones. The pack is never completely in memory.
import { writeFile } from 'node:fs/promises'
import { crc32, createInflate } from 'node:zlib'
import { readDeltaHead } from './apply-delta.js'
import { IndexedObjects } from './indexed-objects.js'
import type { PackedObjects } from './packed-objects.js'
import { packLimits, refuseLargeAuthored, deltasTooLarge, packTooLarge } from './pack-limits.js'
import { PackBytes } from './pack-bytes.js'
import { inflateEntry, readEntry, type PackEntry, mostPackedBytes } from './pack-entry.js'
import { writeIndex } from './pack-index.js'
import { damaged } from '../protocol/packets.js'
import { Slices } from '../../../lib/async/steps.js'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'

/** Larger objects are unpacked piece by piece. */
const LARGE_BYTES = 4 * 1024 * 1024
const AHEAD_BYTES = 256 * 1024

export interface Indexing {
  readonly remote: string
  /** limits.packBytes */
  readonly packBytes: number
  /** The possible bases of a thin pack. */
  readonly bases: PackedObjects
}

/**
 * Writes the index next to a pack (gitformat-pack). Throws `Rejected` if the pack is too large, `Unavailable` if it is
 * malformed, `DamagedMirror` if a base is missing.
 */
export async function indexPack(path: string, indexing: Indexing, signal: AbortSignal): Promise<void> {
  using pack = new PackBytes(path, AHEAD_BYTES)
  const bytes = await new PackIndexing(pack, indexing, signal).run()
  await writeFile(path.replace(/pack$/, 'idx'), bytes, { mode: 0o600 })
}

class PackIndexing {
  readonly #pack: PackBytes
  readonly #remote: string
  readonly #mostUnpacked: number
  readonly #turns: Slices
  readonly #objects: IndexedObjects
  #unpacked = 0

  constructor(pack: PackBytes, { remote, packBytes, bases }: Indexing, signal: AbortSignal) {
    this.#pack = pack
    this.#remote = remote
    this.#mostUnpacked = packBytes * packLimits.unpackedPerPacked
    this.#turns = new Slices(signal)
    this.#objects = new IndexedObjects(pack, this.#readCount(), { remote, bases, turns: this.#turns })
  }

  async run(): Promise<Buffer> {
    const sums = new Uint32Array(this.#objects.count)
    let at = 12
    for (let number = 0; number < sums.length; number++) {
      const end = await this.#take(at)
      sums[number] = await packedChecksum(this.#pack, { from: at, to: end }, this.#turns)
      at = end
    }
    if (at !== this.#pack.end) throw damaged(this.#remote)
    await this.#objects.resolve()
    const index = writeIndex({ ids: this.#objects.ids, offsets: this.#objects.offsets, sums }, this.#pack.checksum())
    if (index === undefined) throw damaged(this.#remote)
    return index
  }

  #readCount(): number {
    const head = this.#pack.read(0, 12)
    if (head.length < 12 || head.toString('latin1', 0, 4) !== 'PACK' || head.readUInt32BE(4) !== 2)
      throw damaged(this.#remote)
    const count = head.readUInt32BE(8)
    if (count > packLimits.objects) throw packTooLarge(this.#remote, `has more than ${packLimits.objects} objects`)
    if (count * 9 > this.#pack.end) throw damaged(this.#remote) // an entry has at least nine bytes
    return count
  }

  /** Adds the entry at an offset; returns the offset of the next one. */
  async #take(offset: number): Promise<number> {
    const entry = readEntry(this.#pack, offset)
    if (entry === undefined) throw damaged(this.#remote)
    refuseLargeAuthored(this.#remote, entry.type, entry.size)
    this.#countUnpacked(entry.size)
    if (entry.type !== 'delta' && entry.size > LARGE_BYTES) return this.#takeLarge(entry)
    if (entry.type === 'delta') refuseLargeDelta(this.#remote, entry.size)
    const inflated = await inflateEntry(this.#pack, entry)
    if (inflated === undefined) throw damaged(this.#remote)
    if (entry.type === 'delta') await this.#takeDelta(entry, inflated.bytes)
    else await this.#objects.add(offset, { type: entry.type, bytes: inflated.bytes })
    return entry.data + inflated.packed
  }

  async #takeDelta(entry: PackEntry, delta: Buffer): Promise<void> {
    const head = readDeltaHead(delta)
    if (head === undefined) throw damaged(this.#remote)
    refuseLargeDelta(this.#remote, Math.max(head.base, head.result))
    this.#countUnpacked(head.result)
    await this.#objects.addDelta(entry, delta)
  }

  async #takeLarge(entry: PackEntry): Promise<number> {
    const large = await hashLarge(this.#pack, entry)
    if (large === undefined) throw damaged(this.#remote)
    this.#objects.addHashed(entry.offset, large.id)
    return entry.data + large.packed
  }

  #countUnpacked(bytes: number): void {
    this.#unpacked += bytes
    const most = this.#mostUnpacked
    if (this.#unpacked > most)
      throw packTooLarge(
        this.#remote,
        `unpacks to more than ${most} bytes (${packLimits.unpackedPerPacked} times limits.packBytes)`,
      )
  }
}

function refuseLargeDelta(remote: string, bytes: number): void {
  if (bytes > packLimits.deltaBytes)
    throw deltasTooLarge(remote, `contains a delta between files of more than ${packLimits.deltaBytes} bytes`)
}

/** The CRC-32 of an entry's packed bytes. */
async function packedChecksum(
  pack: PackBytes,
  { from, to }: { readonly from: number; readonly to: number },
  turns: Slices,
): Promise<number> {
  let sum = 0
  for (let at = from; at < to; at += AHEAD_BYTES) {
    await turns.afterStep()
    sum = crc32(pack.read(at, Math.min(AHEAD_BYTES, to - at)), sum)
  }
  return sum
}

const PIECE_BYTES = 64 * 1024

/**
 * The ID of a large object, unpacked piece by piece, and the bytes of the pack that it used. Undefined: damaged, or not
 * exactly the announced size.
 */
async function hashLarge(
  pack: PackBytes,
  { type, size, data }: PackEntry,
): Promise<{ readonly id: Buffer; readonly packed: number } | undefined> {
  const hash = createHash('sha1').update(`${type} ${size}\0`)
  const inflate = Readable.from(pieces(pack, data, data + mostPackedBytes(size))).pipe(createInflate())
  let bytes = 0
  try {
    for await (const piece of inflate as AsyncIterable<Buffer>) {
      bytes += piece.length
      if (bytes > size) return undefined
      hash.update(piece)
    }
  } catch {
    return undefined
  }
  return bytes === size ? { id: hash.digest(), packed: inflate.bytesWritten } : undefined
}

function* pieces(pack: PackBytes, from: number, to: number): Generator<Buffer> {
  for (let at = from; at < Math.min(to, pack.end); at += PIECE_BYTES) yield pack.read(at, PIECE_BYTES)
}
