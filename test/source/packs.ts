// Packs made by hand (gitformat-pack), well formed or not.
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

const CODES = { commit: 1, tree: 2, blob: 3, tag: 4, 'to offset': 6, 'to id': 7 } as const

/** An entry: head, base if it is a difference, compressed content. `size` and `packed` where they shall lie. */
export function entry(
  kind: keyof typeof CODES,
  content: Buffer,
  {
    base = Buffer.alloc(0),
    size = content.length,
    packed = deflateSync(content),
  }: { base?: Buffer; size?: number; packed?: Buffer } = {},
): Buffer {
  const head: number[] = []
  let rest = Math.floor(size / 16)
  head.push((CODES[kind] << 4) | (size % 16))
  for (; rest > 0; rest = Math.floor(rest / 128)) {
    head[head.length - 1]! |= 128
    head.push(rest % 128)
  }
  return Buffer.concat([Buffer.from(head), base, packed])
}

export const blob = (text: string): Buffer => entry('blob', Buffer.from(text))

export function idOf(type: string, content: Buffer): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex')
}

/** A distance as the base of an entry. */
export function distance(bytes: number): Buffer {
  const digits = [bytes % 128]
  for (let rest = Math.floor(bytes / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift(128 | (--rest % 128))
  return Buffer.from(digits)
}

/**
 * What makes `result` of a base of this size, and copies nothing of it. `announced`: the size it says the result has.
 */
export function delta(baseBytes: number, result: string, announced = result.length): Buffer {
  return Buffer.concat([sizeOf(baseBytes), sizeOf(announced), Buffer.from([result.length]), Buffer.from(result)])
}

export function sizeOf(bytes: number): Buffer {
  const digits: number[] = []
  for (let rest = bytes; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...digits, rest])
    digits.push(128 | (rest % 128))
  }
}

export function pack(entries: readonly Buffer[], count = entries.length): Buffer {
  const head = Buffer.alloc(12)
  head.write('PACK')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(count, 8)
  const body = Buffer.concat([head, ...entries])
  return Buffer.concat([body, createHash('sha1').update(body).digest()])
}
