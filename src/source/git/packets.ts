// Git's packet lines (gitprotocol-common): four hexadecimal digits of length, then that many bytes, the digits counted.
import { Unavailable } from '../../model/errors.js'

export type Packet =
  { readonly kind: 'flush' } | { readonly kind: 'delimiter' } | { readonly kind: 'end' } | { readonly kind: 'data'; readonly bytes: Buffer }

export const FLUSH = Buffer.from('0000')
const DELIMITER = Buffer.from('0001')
const MARKS = ['flush', 'delimiter', 'end'] as const

/** A request of protocol v2: `command`, our name, its arguments. */
export function writeRequest(command: string, lines: readonly string[]): Buffer {
  const head = [`command=${command}`, 'agent=gitmoor', 'object-format=sha1'].map(writeLine)
  return Buffer.concat([...head, DELIMITER, ...lines.map(writeLine), FLUSH])
}

/** A line as a packet. */
export function writeLine(line: string): Buffer {
  const bytes = Buffer.from(`${line}\n`)
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
}

/** Packets as they come. Throws `Unavailable` where the bytes end inside one, or are none. `who` is for messages. */
export async function* readPackets(chunks: AsyncIterable<Uint8Array>, who: string): AsyncGenerator<Packet> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk])
    let at = 0
    for (let length = lengthAt(rest, at, who); length !== undefined; length = lengthAt(rest, at, who)) {
      const size = Math.max(4, length)
      if (at + size > rest.length) break
      yield length < 4 ? { kind: MARKS[length as 0 | 1 | 2] } : { kind: 'data', bytes: rest.subarray(at + 4, at + length) }
      at += size
    }
    rest = rest.subarray(at)
  }
  if (rest.length > 0) throw cutShort(who)
}

function lengthAt(bytes: Buffer, at: number, who: string): number | undefined {
  if (at + 4 > bytes.length) return undefined
  const digits = bytes.toString('latin1', at, at + 4)
  const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : 3
  if (length === 3) throw damaged(who)
  return length
}

export function cutShort(who: string): Unavailable {
  return new Unavailable(`The answer of ${who} was cut short.`, {
    code: 'source/cut-short',
    hint: 'gitmoor tries again by itself. If it stays, look for a proxy or a time limit between here and the server.',
  })
}

export function damaged(who: string, cause?: unknown): Unavailable {
  return new Unavailable(`The answer of ${who} is damaged.`, {
    code: 'source/damaged',
    hint: 'gitmoor tries again by itself. If it stays, check the repository with git fsck, and the connection to it.',
    cause,
  })
}
