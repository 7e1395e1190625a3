// Git's packet lines (gitprotocol-common): four hexadecimal digits of length, which includes the digits, then the data.
import { Unavailable } from '../../../model/errors.js'
import { Slices } from '../../../lib/async/steps.js'

export type Packet =
  | { readonly kind: 'flush' }
  | { readonly kind: 'delimiter' }
  | { readonly kind: 'end' }
  | { readonly kind: 'data'; readonly bytes: Buffer }

export const FLUSH = Buffer.from('0000')
const DELIMITER = '0001'
const MARKS = ['flush', 'delimiter', 'end'] as const

/** A request of protocol version 2: the command, our agent name, and the arguments. */
export function writeRequest(command: string, lines: readonly string[]): Buffer {
  const head = [`command=${command}`, 'agent=gitmoor', 'object-format=sha1'].map(toPacket).join('')
  return Buffer.from(`${head}${DELIMITER}${lines.map(toPacket).join('')}${FLUSH.toString()}`)
}

/** A packet with one line. */
export function writeLine(line: string): Buffer {
  return Buffer.from(toPacket(line))
}

function toPacket(line: string): string {
  return `${(Buffer.byteLength(line) + 5).toString(16).padStart(4, '0')}${line}\n`
}

/**
 * Packets as they arrive. Throws `Unavailable` if the bytes are malformed or end inside a packet. `who`: the remote,
 * for messages.
 */
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

/** Splits chunks into packets. */
export class PacketSplitter {
  readonly #who: string
  #rest: Buffer = Buffer.alloc(0)

  constructor(who: string) {
    this.#who = who
  }

  /**
   * The packets that end in this chunk; read them before the next chunk. Throws `Unavailable` if the bytes are
   * malformed.
   */
  *packets(chunk: Uint8Array): Generator<Packet> {
    this.#rest = this.#rest.length === 0 ? toBuffer(chunk) : Buffer.concat([this.#rest, chunk])
    for (
      let length = readLength(this.#rest, this.#who);
      length !== undefined;
      length = readLength(this.#rest, this.#who)
    ) {
      const size = Math.max(4, length)
      const bytes = this.#rest
      if (size > bytes.length) break
      this.#rest = bytes.subarray(size)
      yield length < 4 ? { kind: MARKS[length as 0 | 1 | 2] } : { kind: 'data', bytes: bytes.subarray(4, length) }
    }
  }

  /** The end of the stream. Throws `Unavailable` if it is inside a packet. */
  end(): void {
    if (this.#rest.length > 0) throw truncated(this.#who)
  }
}

function toBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

/** Undefined: the length has not arrived yet. */
function readLength(bytes: Buffer, who: string): number | undefined {
  if (bytes.length < 4) return undefined
  const digits = bytes.toString('latin1', 0, 4)
  const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : 3
  if (length === 3) throw damaged(who)
  return length
}

export function truncated(who: string): Unavailable {
  return new Unavailable(`The response of ${who} is incomplete.`, {
    code: 'source/truncated',
    hint: 'If this persists, check for a proxy or a timeout between the agent and the server.',
  })
}

export function damaged(who: string, cause?: unknown): Unavailable {
  return new Unavailable(`The response of ${who} is corrupt.`, {
    code: 'source/damaged',
    hint: 'If this persists, check the repository with git fsck, and the network.',
    cause,
  })
}
