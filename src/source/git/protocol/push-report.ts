// Reads the result of a push (report-status, gitprotocol-pack) from side band 1, and messages for people from side band
// 2.
import { Rejected } from '../../../model/errors.js'
import { showText } from '../../../lib/text/printable.js'
import { truncated, damaged, readPackets } from './packets.js'
import { remoteError } from './protocol.js'

/** The limit of the whole report. */
const mostBytes = 64 * 1024
const mostShown = 500

/**
 * Throws `Rejected` with the remote's reason if it refuses to move the ref; `Unavailable` if the response is incomplete
 * or corrupt.
 */
export async function readReport(
  chunks: AsyncIterable<Uint8Array>,
  { remote, ref }: { readonly remote: string; readonly ref: string },
): Promise<void> {
  const { report, messages } = await readBands(chunks, remote)
  const lines: string[] = []
  for await (const packet of readPackets(single(report), remote)) {
    if (packet.kind === 'data') lines.push(packet.bytes.toString('utf8').replace(/\n$/, ''))
  }
  if (lines.includes('unpack ok') && lines.includes(`ok ${ref}`)) return
  const reason = lines.find((line) => line.startsWith(`ng ${ref} `))?.slice(`ng ${ref} `.length) ?? lines[0]
  if (reason === undefined) throw truncated(remote)
  throw pushRefused({ remote, ref }, [reason, messages].filter((text) => text !== '').join('; '))
}

/** `said`: the reason that the remote gives. */
export function pushRefused(
  { remote, ref }: { readonly remote: string; readonly ref: string },
  said: string,
): Rejected {
  return new Rejected(`${remote} did not move ${ref}: "${showText(said, mostShown)}".`, {
    code: 'source/push-refused',
    hint:
      'The tag was not moved. If the remote protects it, let the account of the credential move protected tags, ' +
      'then promote again.',
  })
}

async function readBands(
  chunks: AsyncIterable<Uint8Array>,
  remote: string,
): Promise<{ readonly report: Buffer; readonly messages: string }> {
  const bands: { readonly report: Buffer[]; readonly messages: Buffer[] } = { report: [], messages: [] }
  let bytes = 0
  for await (const packet of readPackets(chunks, remote)) {
    if (packet.kind !== 'data') continue
    bytes += packet.bytes.length
    if (bytes > mostBytes) throw damaged(remote)
    const [band] = packet.bytes
    if (band === 3) throw remoteError(remote, packet.bytes.toString('utf8', 1))
    if (band !== 1 && band !== 2) throw damaged(remote)
    bands[band === 1 ? 'report' : 'messages'].push(packet.bytes.subarray(1))
  }
  return { report: Buffer.concat(bands.report), messages: Buffer.concat(bands.messages).toString('utf8').trim() }
}

async function* single(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
