// Packs made by hand (gitformat-pack), right ones and wrong ones.
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

/** An object as a pack has it: 1 commit, 2 tree, 3 blob, 6 and 7 differences. `size`: what is announced. */
export interface PackObject {
  readonly type: number
  readonly bytes: Buffer
  readonly size?: number
  /** Between header and compressed bytes: what a difference leans on. */
  readonly base?: Buffer
}

export function packOf(objects: readonly PackObject[], count = objects.length): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
  head.writeUInt32BE(count, 8)
  return withSum(Buffer.concat([head, ...objects.map(objectBytes)]))
}

/** With the sum at its end, as a pack has it. */
export function withSum(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, createHash('sha1').update(bytes).digest()])
}

export function objectBytes({ type, bytes, size = bytes.length, base = Buffer.alloc(0) }: PackObject): Buffer {
  return Buffer.concat([headerBytes(type, size), base, deflateSync(bytes)])
}

function headerBytes(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)]
  for (let left = size >> 4; left > 0; left >>= 7) {
    bytes[bytes.length - 1]! |= 128
    bytes.push(left & 127)
  }
  return Buffer.from(bytes)
}
