// Fetches one commit without its history: the command fetch of protocol version 2 (gitprotocol-v2), and its equivalent
// in version 0 (gitprotocol-pack).
import { truncated, damaged, FLUSH, readPackets, writeLine, writeRequest } from './packets.js'
import { packLimits, tooMuchOverhead } from '../pack/pack-limits.js'
import { remoteError, type GitRequest } from './protocol.js'

/**
 * `haves`: complete commits of the mirror, without their history. The server omits their trees and blobs, or sends
 * differences to them. Without the capability thin-pack, git omits nothing for a commit without history.
 */
export function commitRequest(commit: string, haves: readonly string[]): GitRequest {
  return fetchRequest(commit, {
    capabilities: haves.length > 0 ? ['thin-pack'] : [],
    bounds: [...haves.map((one) => `shallow ${one}`), 'deepen 1'],
    haves,
  })
}

/** The target of a ref: all tag objects on the way and the commit, without trees. Servers may refuse that. */
export function tipRequest(object: string): GitRequest {
  return fetchRequest(object, { capabilities: [], bounds: ['deepen 1', commitsOnly], haves: [] })
}

/** The tag objects only: the commit is complete in the mirror. */
export function tagRequest(object: string, commit: string): GitRequest {
  return fetchRequest(object, { capabilities: [], bounds: [`shallow ${commit}`, 'deepen 1'], haves: [commit] })
}

/**
 * The history of `to` without that of `from`, at most `depth` commits deep. `commits`: without trees, which servers may
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
/** Azure DevOps rejects requests without multi_ack. Its extra lines before the pack are skipped. */
const version0Capabilities = ['multi_ack_detailed', 'side-band-64k']

interface FetchOptions {
  readonly capabilities: readonly string[]
  readonly bounds: readonly string[]
  readonly haves: readonly string[]
}

function fetchRequest(id: string, { capabilities, bounds, haves }: FetchOptions): GitRequest {
  const all = [...capabilities, 'ofs-delta', 'no-progress']
  const filter = bounds.includes(commitsOnly) ? ['filter'] : []
  const end = [...haves.map((one) => `have ${one}`), 'done']
  const want = `want ${id}`
  const wantWithAll = [want, ...version0Capabilities, ...all, ...filter, 'agent=gitmoor'].join(' ')
  return {
    v2: writeRequest('fetch', [...all, want, ...bounds, ...end]),
    v0: Buffer.concat([...[wantWithAll, ...bounds].map(writeLine), FLUSH, ...end.map(writeLine)]),
  }
}

/**
 * The bytes of the pack in a response of any version. `onCut` is called for each commit whose parents were omitted.
 * Throws `Unavailable` (incomplete, corrupt, the remote failed) or `Rejected` (no such commit).
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
      if (section === 'pack') section = 'ended' // an earlier flush ends the shallow commits in version 0
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

/** The bytes of a packet's length. */
const packetHead = 4

/** Side bands: 1 is the pack, 2 is progress, 3 is an error. */
function packBytes(bytes: Buffer, remote: string): Buffer | undefined {
  const band = bytes[0]
  if (band === 1) return bytes.subarray(1)
  if (band === 2) return undefined
  throw band === 3 ? remoteError(remote, bytes.toString('utf8', 1)) : damaged(remote)
}
