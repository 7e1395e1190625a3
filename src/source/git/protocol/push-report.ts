// What a remote says of a push (report-status, gitprotocol-pack): inside the first band; what it tells people is in the
// second.
import { Rejected } from '../../../model/errors.js'
import { showText } from '../../../lib/printable.js'
import { truncated, damaged, readPackets } from './packets.js'
import { remoteError } from './protocol.js'

/** Of all that it says. */
const mostBytes = 64 * 1024
const mostShown = 500

/**
 * Throws `Rejected` where the remote refuses to move the ref, with its own words; `Unavailable` for an answer that is
 * cut short or damaged.
 */
export async function readReport(
  chunks: AsyncIterable<Uint8Array>,
  { remote, ref }: { readonly remote: string; readonly ref: string },
): Promise<void> {
  const { report, told } = await readBands(chunks, remote)
  const lines: string[] = []
  for await (const packet of readPackets(single(report), remote)) {
    if (packet.kind === 'data') lines.push(packet.bytes.toString('utf8').replace(/\n$/, ''))
  }
  if (lines.includes('unpack ok') && lines.includes(`ok ${ref}`)) return
  const reason = lines.find((line) => line.startsWith(`ng ${ref} `))?.slice(`ng ${ref} `.length) ?? lines[0]
  if (reason === undefined) throw truncated(remote)
  throw refused({ remote, ref }, [reason, told].filter((text) => text !== '').join('; '))
}

function refused({ remote, ref }: { readonly remote: string; readonly ref: string }, said: string): Rejected {
  return new Rejected(`${remote} did not move ${ref}: it says '${showText(said, mostShown)}'.`, {
    code: 'source/push-refused',
    hint: 'The tag is where it was. See whether it is protected there, and what the account may do.',
  })
}

async function readBands(
  chunks: AsyncIterable<Uint8Array>,
  remote: string,
): Promise<{ readonly report: Buffer; readonly told: string }> {
  const bands: { readonly report: Buffer[]; readonly told: Buffer[] } = { report: [], told: [] }
  let bytes = 0
  for await (const packet of readPackets(chunks, remote)) {
    if (packet.kind !== 'data') continue
    bytes += packet.bytes.length
    if (bytes > mostBytes) throw damaged(remote)
    const [band] = packet.bytes
    if (band === 3) throw remoteError(remote, packet.bytes.toString('utf8', 1))
    if (band !== 1 && band !== 2) throw damaged(remote)
    bands[band === 1 ? 'report' : 'told'].push(packet.bytes.subarray(1))
  }
  return { report: Buffer.concat(bands.report), told: Buffer.concat(bands.told).toString('utf8').trim() }
}

async function* single(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
