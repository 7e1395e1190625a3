// One entry of a pack (gitformat-pack): its header and its content.
import { promisify } from 'node:util'
import { inflate, inflateSync, type InputType, type ZlibOptions } from 'node:zlib'
import type { PackContent } from './pack-blocks.js'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

export interface PackEntry {
  /** Its offset in the pack. */
  readonly offset: number
  readonly type: ObjectType | 'delta'
  /** The size of the unpacked content; for a delta, that of the delta itself. */
  readonly size: number
  /** For a delta: the offset or the ID of its base. */
  readonly base?: number | string
  /** The offset of its compressed content. */
  readonly data: number
}

const TYPES: Readonly<Record<number, ObjectType | 'delta'>> = {
  1: 'commit',
  2: 'tree',
  3: 'blob',
  4: 'tag',
  6: 'delta',
  7: 'delta',
}
/** More bytes than an entry header has: the size, and the base of a delta. */
const HEAD_BYTES = 40

/** The entry at an offset. Undefined: there is none, or it is malformed. */
export function readEntry(pack: PackContent, offset: number): PackEntry | undefined {
  const bytes = pack.read(offset, HEAD_BYTES)
  let at = 0
  let byte = bytes[at++] ?? 0
  const code = (byte >> 4) & 7
  const type = TYPES[code]
  let size = byte & 15
  for (let scale = 16; byte >= 128 && at < 8; scale *= 128) {
    byte = bytes[at++] ?? 0
    size += (byte & 127) * scale
  }
  if (type === undefined || byte >= 128) return undefined
  if (type !== 'delta') return at < bytes.length ? { offset, type, size, data: offset + at } : undefined
  return code === 7 ? withId({ offset, size, bytes, at }) : withDistance({ offset, size, bytes, at })
}

interface Head {
  readonly offset: number
  readonly size: number
  readonly bytes: Buffer
  /** The offset after the size. */
  readonly at: number
}

function withId({ offset, size, bytes, at }: Head): PackEntry | undefined {
  if (at + 20 >= bytes.length) return undefined
  return { offset, type: 'delta', size, base: bytes.toString('hex', at, at + 20), data: offset + at + 20 }
}

function withDistance({ offset, size, bytes, at: start }: Head): PackEntry | undefined {
  let at = start
  let byte = bytes[at++] ?? 0
  let distance = byte & 127
  while (byte >= 128 && at - start < 6) {
    byte = bytes[at++] ?? 0
    distance = (distance + 1) * 128 + (byte & 127)
  }
  if (byte >= 128 || at >= bytes.length || distance === 0 || distance > offset) return undefined
  return { offset, type: 'delta', size, base: offset - distance, data: offset + at }
}

/** The most bytes of a pack that an entry of this size needs: zlib adds little to incompressible content. */
export function mostPackedBytes(size: number): number {
  return size + (size >> 2) + 1024
}

/** Larger entries are unpacked in another thread. */
const LARGE_BYTES = 256 * 1024

/** The result with `info: true`, which the types lack. */
interface Inflated {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

const inflateElsewhere = promisify(inflate) as unknown as (input: InputType, options: ZlibOptions) => Promise<Inflated>

/**
 * The unpacked content of an entry, and the bytes of the pack that it used. Undefined: damaged, or not exactly the
 * announced size.
 */
export async function inflateEntry(
  pack: PackContent,
  { data, size }: PackEntry,
): Promise<{ readonly bytes: Buffer; readonly packed: number } | undefined> {
  const options = { info: true, maxOutputLength: size + 1, chunkSize: Math.max(64, size + 1) }
  try {
    const packed = pack.read(data, mostPackedBytes(size))
    const inflated =
      size > LARGE_BYTES
        ? await inflateElsewhere(packed, options)
        : (inflateSync(packed, options) as unknown as Inflated)
    return inflated.buffer.length === size
      ? { bytes: inflated.buffer, packed: inflated.engine.bytesWritten }
      : undefined
  } catch {
    return undefined
  }
}
