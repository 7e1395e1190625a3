// One commit without its history, and only what is not here yet: the command fetch of protocol v2 (gitprotocol-v2), and its like in version 0 (gitprotocol-pack).
import { cutShort, damaged, FLUSH, readPackets, writeLine, writeRequest } from './packets.js'
import { remoteError } from './transport.js'
import type { Question } from './transport.js'

/**
 * `held`: commits that are complete here, without their history. Their trees and blobs are left out, or sent as differences to them
 * (a thin pack: without that capability git leaves nothing out for a commit that has no history here).
 */
export function packRequest(commit: string, held: readonly string[]): Question {
  const abilities = [...(held.length > 0 ? ['thin-pack'] : []), 'ofs-delta', 'no-progress']
  const shallow = [...held.map((one) => `shallow ${one}`), 'deepen 1']
  const end = [...held.map((one) => `have ${one}`), 'done']
  const want = `want ${commit}`
  return {
    v2: writeRequest('fetch', [...abilities, want, ...shallow, ...end]),
    v0: Buffer.concat([
      ...[`${want} ${['side-band-64k', ...abilities, 'agent=gitmoor'].join(' ')}`, ...shallow].map(writeLine),
      FLUSH,
      ...end.map(writeLine),
    ]),
  }
}

/** The bytes of the pack in an answer of either version. Throws `Unavailable` (cut short, damaged, the remote gave up) or `Rejected` (no such commit). */
export async function* readPack(chunks: AsyncIterable<Uint8Array>, remote: string): AsyncGenerator<Buffer> {
  let section: 'before' | 'pack' | 'ended' = 'before'
  for await (const packet of readPackets(chunks, remote)) {
    if (section === 'ended' || packet.kind === 'end') throw damaged(remote)
    if (packet.kind === 'flush') {
      if (section === 'pack') section = 'ended' // before it, the flush ends what version 0 says of shallow commits
    } else if (packet.kind === 'delimiter') {
      if (section === 'pack') throw damaged(remote)
    } else if (section === 'before') {
      const line = packet.bytes.toString('utf8')
      if (line.startsWith('ERR ')) throw remoteError(remote, line)
      if (/^(packfile|NAK|ACK [0-9a-f]{40})\n$/.test(line)) section = 'pack'
    } else {
      const bytes = bandOne(packet.bytes, remote)
      if (bytes !== undefined) yield bytes
    }
  }
  if (section !== 'ended') throw cutShort(remote)
}

/** Band 1 is the pack, 2 is progress, 3 is an error. */
function bandOne(bytes: Buffer, remote: string): Buffer | undefined {
  const band = bytes[0]
  if (band === 1) return bytes.subarray(1)
  if (band === 2) return undefined
  throw band === 3 ? remoteError(remote, bytes.toString('utf8', 1)) : damaged(remote)
}
