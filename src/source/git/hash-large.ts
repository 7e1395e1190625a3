import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { createInflate } from 'node:zlib'
import type { PackBytes } from './pack-bytes.js'
import { mostPacked, type PackEntry } from './pack-entry.js'

const PIECE_BYTES = 64 * 1024

/**
 * The id of a large object, unpacked piece by piece, and how many bytes of the pack it took. Undefined: not exactly the
 * announced size, or damaged.
 */
export async function hashLarge(
  pack: PackBytes,
  { type, size, data }: PackEntry,
): Promise<{ readonly id: Buffer; readonly packed: number } | undefined> {
  const hash = createHash('sha1').update(`${type} ${size}\0`)
  const inflate = Readable.from(pieces(pack, data, data + mostPacked(size))).pipe(createInflate())
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
