// Lists refs: the command ls-refs of protocol version 2 (gitprotocol-v2), limited to the requested names. Version 0
// lists all refs.
import { Rejected } from '../../../model/errors.js'
import { Slices } from '../../../lib/async/steps.js'
import { truncated, damaged, PacketSplitter, readPackets, writeRequest } from './packets.js'
import type { ListedRef } from '../refs/ref-names.js'
import { otherFormat, remoteError, type GitRequest } from './protocol.js'

/** Requests the names, and always HEAD, which shows without a second request whether the repository is empty. */
export function refsRequest(names: readonly string[]): GitRequest {
  const prefixes = [...new Set(['HEAD', ...names])].map((name) => `ref-prefix ${name}`)
  return { v2: writeRequest('ls-refs', ['peel', 'symrefs', ...prefixes]) }
}

/** Requests all refs, for a caller that reads only the first line. */
export function allRefsRequest(): GitRequest {
  return { v2: writeRequest('ls-refs', []) }
}

/**
 * The listed refs by full name. A prefix can match other names, and version 0 lists everything. Throws `Rejected` over
 * `refsBytes`, `Unavailable` if the response is incomplete or corrupt.
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

/** True if the remote lists any ref. Reads only the first line. */
export async function hasAnyRef(chunks: AsyncIterable<Uint8Array>, remote: string): Promise<boolean> {
  for await (const packet of readPackets(chunks, remote)) {
    if (packet.kind !== 'data') return false
    const line = lineText(packet.bytes)
    if (line.startsWith('ERR ')) throw remoteError(remote, line)
    if (!isNoRef(line)) return true
  }
  throw truncated(remote)
}

/** The line without its line end, and without the capabilities that follow the first ref in version 0. */
function lineText(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  const behind = text.indexOf('\0')
  if (behind >= 0) return text.slice(0, behind)
  return text.endsWith('\n') ? text.slice(0, -1) : text
}

/** Lines that are not refs: of versions 0 and 1, and of version 2 for a HEAD without a target. */
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
  // Version 0 lists the commit of a tag after the tag.
  const tag = name.endsWith('^{}') ? listed.get(name.slice(0, -3)) : undefined
  if (tag !== undefined) listed.set(name.slice(0, -3), { object: tag.object, commit })
  else listed.set(name, { object, commit, ...(name === 'HEAD' ? branchOfHead(bytes) : {}) })
}

/** The branch of HEAD. Version 2 lists it with HEAD, version 0 in the capabilities. */
function branchOfHead(line: Buffer): Pick<ListedRef, 'target'> {
  const [, target] = /(?: symref-target:|[ \0]symref=HEAD:)(refs\/heads\/[^ \n]+)/.exec(line.toString('utf8')) ?? []
  return target === undefined ? {} : { target }
}

function isId(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text)
}

/** Passes on at most `most` bytes of a listing. Throws `Rejected` if there are more. */
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
    hint: 'Use full ref names (refs/heads/…), which match fewer refs, or raise limits.refsBytes.',
  })
}
