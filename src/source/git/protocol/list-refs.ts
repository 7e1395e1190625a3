// One look at a remote: the command ls-refs of protocol v2 (gitprotocol-v2), for exactly the names that are wanted. In
// version 0 all refs are listed.
import { Rejected } from '../../../model/errors.js'
import { Slices } from '../../../lib/steps.js'
import { truncated, damaged, PacketSplitter, readPackets, writeRequest } from './packets.js'
import type { ListedRef } from '../refs/ref-names.js'
import { otherFormat, remoteError, type GitRequest } from './protocol.js'

/** Asks for the names and, always, for HEAD: whether anything is there at all is known without a second request. */
export function refsRequest(names: readonly string[]): GitRequest {
  const prefixes = [...new Set(['HEAD', ...names])].map((name) => `ref-prefix ${name}`)
  return { v2: writeRequest('ls-refs', ['peel', 'symrefs', ...prefixes]) }
}

/** Asks for everything, for one who reads only the first line. */
export function allRefsRequest(): GitRequest {
  return { v2: writeRequest('ls-refs', []) }
}

/**
 * Refs by full name, as they are listed; a prefix matches more than the name that was asked for, and version 0 lists
 * everything. Throws `Rejected` past `refsBytes`, `Unavailable` for an answer that is cut short or damaged.
 */
export async function readRefs(
  chunks: AsyncIterable<Uint8Array>,
  remote: string,
  refsBytes: number,
): Promise<ReadonlyMap<string, ListedRef>> {
  const listed = new Map<string, ListedRef>()
  const cut = new PacketSplitter(remote)
  const turns = new Slices()
  let bytes = 0
  let ended = false
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > refsBytes) throw tooManyRefs(remote, refsBytes)
    for (const packet of cut.packets(chunk)) {
      await turns.afterStep()
      if (ended) throw damaged(remote)
      if (packet.kind === 'data') readRefLine(packet.bytes, remote, listed)
      else ended = packet.kind === 'flush'
    }
  }
  cut.end()
  if (!ended) throw truncated(remote)
  return listed
}

/** True where the remote lists any ref. Reads no further than the first. */
export async function hasAnyRef(chunks: AsyncIterable<Uint8Array>, remote: string): Promise<boolean> {
  for await (const packet of readPackets(chunks, remote)) {
    if (packet.kind !== 'data') return false
    const line = lineText(packet.bytes)
    if (line.startsWith('ERR ')) throw remoteError(remote, line)
    if (!isNoRef(line)) return true
  }
  throw truncated(remote)
}

/** Without its line end and what version 0 says behind its first ref: what it can do. */
function lineText(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  const behind = text.indexOf('\0')
  if (behind >= 0) return text.slice(0, behind)
  return text.endsWith('\n') ? text.slice(0, -1) : text
}

/** What version 0 and 1 list beside refs, and version 2 of a HEAD that leads nowhere. */
function isNoRef(line: string): boolean {
  return /^(?:version 1$|shallow |unborn |0{40} capabilities\^\{\}$)/.test(line)
}

function isOfSha256(id: string): boolean {
  return /^[0-9a-f]{64}$/.test(id)
}

function readRefLine(bytes: Buffer, remote: string, listed: Map<string, ListedRef>): void {
  const line = lineText(bytes)
  if (line.startsWith('ERR ')) throw remoteError(remote, line)
  if (isNoRef(line)) return
  const [object = '', name = '', ...attributes] = line.split(' ')
  const peeled = attributes.find((attribute) => attribute.startsWith('peeled:'))
  const commit = peeled === undefined ? object : peeled.slice('peeled:'.length)
  if (isOfSha256(object)) throw otherFormat(remote, 'sha256')
  if (name === '' || !isId(object) || (commit !== object && !isId(commit))) throw damaged(remote)
  const tag = name.endsWith('^{}') ? listed.get(name.slice(0, -3)) : undefined // version 0: what the tag before it peels to
  if (tag !== undefined) listed.set(name.slice(0, -3), { object: tag.object, commit })
  else listed.set(name, { object, commit, ...(name === 'HEAD' ? branchOfHead(bytes) : {}) })
}

/** Version 2 says it behind HEAD, version 0 among what it can do. */
function branchOfHead(line: Buffer): Pick<ListedRef, 'target'> {
  const [, target] = /(?: symref-target:|[ \0]symref=HEAD:)(refs\/heads\/[^ \n]+)/.exec(line.toString('utf8')) ?? []
  return target === undefined ? {} : { target }
}

function isId(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text)
}

/** At most so many bytes of a listing. Throws `Rejected` past them. */
export async function* limitListing(
  chunks: AsyncIterable<Uint8Array>,
  remote: string,
  most: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > most) throw tooManyRefs(remote, most)
    yield chunk
  }
}

function tooManyRefs(remote: string, most: number): Rejected {
  return new Rejected(`The list of refs of ${remote} is larger than ${most} bytes (limits.refsBytes).`, {
    code: 'source/refs-too-large',
    hint: 'Follow full names (refs/heads/…), which match fewer refs, or raise limits.refsBytes.',
  })
}
