// A pack is walked before it is indexed: what its objects would take in memory is known, and held to a limit, before anything is unpacked for good.
import { inflateSync } from 'node:zlib'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Rejected } from '../model/errors.js'
import { damaged } from './packets.js'

/** What a pack may unpack to, in sum, as a multiple of what it may weigh. */
const UNPACKED_PER_PACKED = 8

interface Header {
  readonly type: number
  readonly size: number
  /** Where the compressed bytes begin. */
  readonly end: number
}

/**
 * Gives the number of objects of a pack (gitformat-pack). Throws `Rejected` where they unpack to more than 8 times `packBytes`,
 * `Unavailable` where it is not well formed: wrong version or type, sizes or number not as announced, bytes too many or too few.
 */
export async function checkPack(
  pack: Buffer,
  { remote, packBytes }: { readonly remote: string; readonly packBytes: number },
): Promise<number> {
  const most = packBytes * UNPACKED_PER_PACKED
  if (pack.toString('latin1', 0, 4) !== 'PACK' || pack.readUInt32BE(4) !== 2) throw damaged(remote)
  const count = pack.readUInt32BE(8)
  let at = 12
  let unpacked = 0
  for (let index = 0; index < count; index++) {
    const header = readHeader(pack, at, remote)
    unpacked += header.size
    if (unpacked > most) throw unpacksToTooMuch(remote, most)
    const { bytes, consumed } = inflate(pack.subarray(header.end, -20), header.size, remote)
    if (header.type >= 6) unpacked += resultSize(bytes, remote)
    if (unpacked > most) throw unpacksToTooMuch(remote, most)
    at = header.end + consumed
    if (index % 500 === 499) await nextTurn()
  }
  if (at !== pack.length - 20) throw damaged(remote)
  return count
}

function readHeader(pack: Buffer, start: number, remote: string): Header {
  let at = start
  let byte = pack[at++] ?? 0
  const type = (byte >> 4) & 7
  let size = byte & 15
  for (let scale = 16; byte >= 128; scale *= 128) {
    byte = pack[at++] ?? 0
    size += (byte & 127) * scale
  }
  if (type === 0 || type === 5 || at > pack.length - 20) throw damaged(remote)
  if (type === 7) at += 20
  if (type === 6) while ((pack[at++] ?? 0) >= 128);
  return { type, size, end: at }
}

/** Unpacks one object, which must have exactly the announced size. */
function inflate(packed: Buffer, size: number, remote: string): { readonly bytes: Buffer; readonly consumed: number } {
  try {
    const options = { info: true, maxOutputLength: size + 1, chunkSize: Math.max(64, size + 1) }
    const { buffer, engine } = inflateSync(packed, options) as unknown as { buffer: Buffer; engine: { bytesWritten: number } }
    if (buffer.length !== size) throw damaged(remote)
    return { bytes: buffer, consumed: engine.bytesWritten }
  } catch (error) {
    throw damaged(remote, error)
  }
}

/** A delta announces the size of its base, then of its result. */
function resultSize(delta: Buffer, remote: string): number {
  let at = 0
  let size = 0
  for (let number = 0; number < 2; number++) {
    size = 0
    for (let scale = 1, byte = 128; byte >= 128; scale *= 128) {
      byte = delta[at++] ?? 0
      size += (byte & 127) * scale
    }
  }
  if (at > delta.length) throw damaged(remote)
  return size
}

function unpacksToTooMuch(remote: string, most: number): Rejected {
  return new Rejected(
    `What ${remote} sends for this commit unpacks to more than ${most} bytes (${UNPACKED_PER_PACKED} times limits.packBytes).`,
    {
      code: 'source/pack-too-large',
      hint: 'Keep the package in a smaller repository, or raise limits.packBytes.',
    },
  )
}
