// Git's packet lines (gitprotocol-common): four hexadecimal digits of length, then that many bytes, the digits counted.
import { Unavailable } from '../../../model/errors.js'
import { Slices } from '../../../lib/steps.js'

export type Packet =
  | { readonly kind: 'flush' }
  | { readonly kind: 'delimiter' }
  | { readonly kind: 'end' }
  | { readonly kind: 'data'; readonly bytes: Buffer }

export const FLUSH = Buffer.from('0000')
const DELIMITER = '0001'
const MARKS = ['flush', 'delimiter', 'end'] as const

/** A request of protocol v2: `command`, our name, its arguments. */
export function writeRequest(command: string, lines: readonly string[]): Buffer {
  const head = [`command=${command}`, 'agent=gitmoor', 'object-format=sha1'].map(packetOf).join('')
  return Buffer.from(`${head}${DELIMITER}${lines.map(packetOf).join('')}${FLUSH.toString()}`)
}

/** A line as a packet. */
export function writeLine(line: string): Buffer {
  return Buffer.from(packetOf(line))
}

function packetOf(line: string): string {
  return `${(Buffer.byteLength(line) + 5).toString(16).padStart(4, '0')}${line}\n`
}

/** Packets as they come. Throws `Unavailable` where the bytes end inside one, or are none. `who` is for messages. */
export async function* readPackets(chunks: AsyncIterable<Uint8Array>, who: string): AsyncGenerator<Packet> {
  const cut = new PacketSplitter(who)
  const turns = new Slices()
  for await (const chunk of chunks)
    for (const packet of cut.packets(chunk)) {
      await turns.afterStep()
      yield packet
    }
  cut.end()
}

/** Cuts what comes into packets. */
export class PacketSplitter {
  readonly #who: string
  #rest: Buffer = Buffer.alloc(0)

  constructor(who: string) {
    this.#who = who
  }

  /** Those that end in this chunk, to be read before the next one. Throws `Unavailable` where the bytes are none. */
  *packets(chunk: Uint8Array): Generator<Packet> {
    this.#rest = this.#rest.length === 0 ? bufferOf(chunk) : Buffer.concat([this.#rest, chunk])
    for (let length = lengthOf(this.#rest, this.#who); length !== undefined; length = lengthOf(this.#rest, this.#who)) {
      const size = Math.max(4, length)
      const bytes = this.#rest
      if (size > bytes.length) break
      this.#rest = bytes.subarray(size)
      yield length < 4 ? { kind: MARKS[length as 0 | 1 | 2] } : { kind: 'data', bytes: bytes.subarray(4, length) }
    }
  }

  /** Nothing comes any more. Throws `Unavailable` where that is inside a packet. */
  end(): void {
    if (this.#rest.length > 0) throw truncated(this.#who)
  }
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

/** Undefined: not even that is here. */
function lengthOf(bytes: Buffer, who: string): number | undefined {
  if (bytes.length < 4) return undefined
  const digits = bytes.toString('latin1', 0, 4)
  const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : 3
  if (length === 3) throw damaged(who)
  return length
}

export function truncated(who: string): Unavailable {
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
