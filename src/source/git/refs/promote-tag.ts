// Moves a tag in a remote by a push of our own: one annotated tag, made here, and one ref that moves from what was seen
// or not at all (gitprotocol-pack).
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { RefTip } from '../../../model/channel.js'
import { Refused, Rejected } from '../../../model/errors.js'
import type { Promotion } from '../../ref-tips.js'
import { FLUSH, writeLine } from '../protocol/packets.js'
import { readReport } from '../protocol/push-report.js'
import type { GitRequest } from '../protocol/protocol.js'

export interface PromoteDeps {
  /** Moves the ref from what was seen, or not at all. */
  readonly move: (move: TagMove) => Promise<void>
  /** What the tag is at now; null: it is not there; undefined: that cannot be found out. */
  readonly readTip: (ref: string) => Promise<RefTip | null | undefined>
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface TagMove {
  readonly ref: string
  /** The id of what was seen there; undefined: nothing. */
  readonly from: string | undefined
  /** What the tag leads to. */
  readonly commit: string
  readonly tag: StoredObject
}

const nothing = '0'.repeat(40)

/** Whatever fails, the remote is asked what became of the tag: an answer may be lost though the push arrived. */
export async function promoteTag(
  remote: string,
  promotion: Promotion,
  { move, readTip, now }: PromoteDeps,
): Promise<RefTip> {
  const ref = `refs/tags/${promotion.tag}`
  const tag = tagObject(promotion, now)
  const promoted = { object: tag.id, commit: promotion.commit }
  try {
    await move({ ref, from: promotion.expected?.object, commit: promotion.commit, tag })
    return promoted
  } catch (error) {
    const at = await readTip(ref).catch(() => undefined)
    if (at?.object === promoted.object) return promoted
    if (at !== undefined && at?.object !== promotion.expected?.object) throw movedMeanwhile(remote, promotion, at)
    throw error
  }
}

function movedMeanwhile(remote: string, { tag }: Promotion, at: RefTip | null): Refused {
  const where = at === null ? 'is not there any more' : `is at ${at.commit} by now`
  return new Refused('conflict', `The tag ${tag} of ${remote} ${where}: somebody else moved it meanwhile.`, {
    code: 'source/tag-moved',
    hint: 'Look at what was released, and promote again.',
  })
}

/** No push is begun without leave. */
export function noPush(remote: string): Rejected {
  return new Rejected(`Nothing may be pushed to ${remote}.`, {
    code: 'source/push-not-allowed',
    hint: 'Give its entry in `credentials` of the configuration file `push: true`, and a token that may write tags.',
  })
}

interface StoredObject {
  readonly id: string
  readonly bytes: Buffer
}

function tagObject({ tag, commit, by, note }: Promotion, now: number): StoredObject {
  const tagger = `${taggerName(by)} <> ${Math.floor(now / 1000)} +0000`
  const bytes = Buffer.from(`object ${commit}\ntype commit\ntag ${tag}\ntagger ${tagger}\n\n${tagMessage(note)}\n`)
  return { id: createHash('sha1').update(`tag ${bytes.length}\0`).update(bytes).digest('hex'), bytes }
}

/** What git takes as a name: no end of it, no end of the line. */
function taggerName(by: string): string {
  const name = by.replace(/[\p{Cc}<>]/gu, ' ').trim()
  return name === '' ? 'gitmoor' : name
}

/** No line of it begins a signature. */
function tagMessage(note: string): string {
  return note
    .replaceAll('\0', ' ')
    .trim()
    .replace(/^-----BEGIN/gm, ' -----BEGIN')
}

/** Moves a tag over a network. Errors: those of `readReport`. */
export async function pushTag(
  remote: string,
  move: TagMove,
  ask: (question: GitRequest) => AsyncIterable<Uint8Array>,
): Promise<void> {
  await readReport(ask({ service: 'git-receive-pack', v0: pushRequest(move) }), { remote, ref: move.ref })
}

function pushRequest({ ref, from = nothing, tag }: TagMove): Buffer {
  const command = `${from} ${tag.id} ${ref}\0 report-status side-band-64k atomic agent=gitmoor`
  return Buffer.concat([writeLine(command), FLUSH, packWithTag(tag.bytes)])
}

/** A pack that holds one tag object (gitformat-pack). */
function packWithTag(tag: Buffer): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\x01', 'latin1')
  const bytes = Buffer.concat([head, entryHead(tagType, tag.length), deflateSync(tag)])
  return Buffer.concat([bytes, createHash('sha1').update(bytes).digest()])
}

const tagType = 4

/** Four bits of the size, then seven in each byte; the first bit says that more follow. */
function entryHead(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)]
  for (let rest = size >> 4; rest > 0; rest >>= 7) {
    bytes[bytes.length - 1]! |= 128
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}
