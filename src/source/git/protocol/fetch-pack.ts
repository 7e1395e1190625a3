// One commit without its history, and only what is not here yet: the command fetch of protocol v2 (gitprotocol-v2), and
// its like in version 0 (gitprotocol-pack).
import { truncated, damaged, FLUSH, readPackets, writeLine, writeRequest } from './packets.js'
import { packLimits, tooMuchOverhead } from '../pack/pack-limits.js'
import { remoteError, type GitRequest } from './protocol.js'

/**
 * `held`: commits that are complete here, without their history. Their trees and blobs are left out, or sent as
 * differences to them (a thin pack: without that capability git leaves nothing out for a commit that has no history
 * here).
 */
export function commitRequest(commit: string, haves: readonly string[]): GitRequest {
  return fetchRequest(commit, {
    capabilities: haves.length > 0 ? ['thin-pack'] : [],
    bounds: [...haves.map((one) => `shallow ${one}`), 'deepen 1'],
    haves,
  })
}

/** What a ref leads to: all tags on the way, and the commit; nothing of its trees, which servers may refuse. */
export function tipRequest(object: string): GitRequest {
  return fetchRequest(object, { capabilities: [], bounds: ['deepen 1', commitsOnly], haves: [] })
}

/** The same but for the commit, which is complete here. */
export function tagRequest(object: string, commit: string): GitRequest {
  return fetchRequest(object, { capabilities: [], bounds: [`shallow ${commit}`, 'deepen 1'], haves: [commit] })
}

/**
 * The history of `to` without that of `from`, at most so deep. `commits`: nothing of its trees, which servers may
 * refuse.
 */
export function historyRequest(
  { from, to }: { readonly from: string; readonly to: string },
  { depth, commits }: { readonly depth: number; readonly commits: boolean },
): GitRequest {
  return fetchRequest(to, {
    capabilities: [],
    bounds: [`deepen ${depth}`, ...(commits ? [commitsOnly] : [])],
    haves: [from],
  })
}

const commitsOnly = 'filter tree:0'

interface FetchOptions {
  readonly capabilities: readonly string[]
  readonly bounds: readonly string[]
  readonly haves: readonly string[]
}

function fetchRequest(id: string, { capabilities: some, bounds, haves }: FetchOptions): GitRequest {
  const abilities = [...some, 'ofs-delta', 'no-progress']
  const filter = bounds.includes(commitsOnly) ? ['filter'] : []
  const end = [...haves.map((one) => `have ${one}`), 'done']
  const want = `want ${id}`
  return {
    v2: writeRequest('fetch', [...abilities, want, ...bounds, ...end]),
    v0: Buffer.concat([
      ...[`${want} ${['side-band-64k', ...abilities, ...filter, 'agent=gitmoor'].join(' ')}`, ...bounds].map(writeLine),
      FLUSH,
      ...end.map(writeLine),
    ]),
  }
}

/**
 * The bytes of the pack in an answer of either version. `onCut` is told of commits whose parents were left out. Throws
 * `Unavailable` (cut short, damaged, the remote gave up) or `Rejected` (no such commit).
 */
export async function* readPack(
  chunks: AsyncIterable<Uint8Array>,
  remote: string,
  onCut: (commit: string) => void = () => {},
): AsyncGenerator<Buffer> {
  let section: 'before' | 'pack' | 'ended' = 'before'
  let beside = 0
  let packed = 0
  for await (const packet of readPackets(chunks, remote)) {
    beside += packetHead + (packet.kind === 'data' ? packet.bytes.length : 0)
    if (beside > packLimits.overheadBytes + packed * packLimits.overheadPerPacked) throw tooMuchOverhead(remote)
    if (section === 'ended' || packet.kind === 'end') throw damaged(remote)
    if (packet.kind === 'flush') {
      if (section === 'pack') section = 'ended' // before it, the flush ends what version 0 says of shallow commits
    } else if (packet.kind === 'delimiter') {
      if (section === 'pack') throw damaged(remote)
    } else if (section === 'before') {
      const line = packet.bytes.toString('utf8')
      if (line.startsWith('ERR ')) throw remoteError(remote, line)
      if (/^(packfile|NAK|ACK [0-9a-f]{40})\n$/.test(line)) section = 'pack'
      if (line.startsWith('shallow ')) onCut(line.slice('shallow '.length).trim())
    } else {
      const bytes = packBytes(packet.bytes, remote)
      if (bytes === undefined) continue
      packed += bytes.length
      beside -= bytes.length
      yield bytes
    }
  }
  if (section !== 'ended') throw truncated(remote)
}

/** The length of a packet. */
const packetHead = 4

/** Band 1 is the pack, 2 is progress, 3 is an error. */
function packBytes(bytes: Buffer, remote: string): Buffer | undefined {
  const band = bytes[0]
  if (band === 1) return bytes.subarray(1)
  if (band === 2) return undefined
  throw band === 3 ? remoteError(remote, bytes.toString('utf8', 1)) : damaged(remote)
}
