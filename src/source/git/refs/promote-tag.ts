// Promotes: moves a tag at a remote by our own push of one annotated tag and one conditional ref update
// (gitprotocol-pack).
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { RefTip } from '../../../model/sources/channel.js'
import { Refused, Rejected } from '../../../model/errors.js'
import type { Promotion } from '../../ref-tips.js'
import { FLUSH, writeLine } from '../protocol/packets.js'
import { readReport } from '../protocol/push-report.js'
import type { GitRequest } from '../protocol/protocol.js'

export interface PromoteDeps {
  /** Moves the ref if it is at the expected object. */
  readonly move: (move: TagMove) => Promise<void>
  /** The current tip of the tag; null: it does not exist; undefined: unknown. */
  readonly readTip: (ref: string) => Promise<RefTip | null | undefined>
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface TagMove {
  readonly ref: string
  /** The expected object ID; undefined: the tag must not exist. */
  readonly from: string | undefined
  /** The target of the tag. */
  readonly commit: string
  readonly tag: StoredObject
}

const nothing = '0'.repeat(40)

/** After any failure, reads the tag again: the response can be lost although the push arrived. */
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
  const where = at === null ? 'was deleted' : `is now at ${at.commit.slice(0, 7)}`
  return new Refused('conflict', `The tag ${tag} of ${remote} ${where}: somebody else changed it.`, {
    code: 'source/tag-moved',
    hint: 'Check the released commit, then promote again.',
  })
}

/** Pushes need `push: true` in the configuration. */
export function noPush(remote: string): Rejected {
  return new Rejected(`Pushing to ${remote} is not allowed.`, {
    code: 'source/push-not-allowed',
    hint: 'Set `push: true` on its credential in the configuration file. Its token needs permission to write tags.',
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

/** A valid name for git: without angle brackets and line breaks. */
function taggerName(by: string): string {
  const name = by.replace(/[\p{Cc}<>]/gu, ' ').trim()
  return name === '' ? 'gitmoor' : name
}

/** The message, indented so that no line starts a signature. */
function tagMessage(note: string): string {
  return note
    .replaceAll('\0', ' ')
    .trim()
    .replace(/^-----BEGIN/gm, ' -----BEGIN')
}

/** Moves a tag over the network. Errors: those of `readReport`. */
export async function pushTag(
  remote: string,
  move: TagMove,
  send: (request: GitRequest) => AsyncIterable<Uint8Array>,
): Promise<void> {
  await readReport(send({ service: 'git-receive-pack', v0: pushRequest(move) }), { remote, ref: move.ref })
}

function pushRequest({ ref, from = nothing, tag }: TagMove): Buffer {
  const command = `${from} ${tag.id} ${ref}\0 report-status side-band-64k atomic agent=gitmoor`
  return Buffer.concat([writeLine(command), FLUSH, packWithTag(tag.bytes)])
}

/** A pack with one tag object (gitformat-pack). */
function packWithTag(tag: Buffer): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\x01', 'latin1')
  const bytes = Buffer.concat([head, entryHead(tagType, tag.length), deflateSync(tag)])
  return Buffer.concat([bytes, createHash('sha1').update(bytes).digest()])
}

const tagType = 4

/** Four bits of the size, then seven in each byte. The first bit shows that more bytes follow. */
function entryHead(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)]
  for (let rest = size >> 4; rest > 0; rest >>= 7) {
    bytes[bytes.length - 1]! |= 128
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}
