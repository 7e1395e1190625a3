// GPG signatures. The library is loaded only if there is one.
import type { Key, SignaturePacket } from 'openpgp'
import { showText } from '../../../lib/text/printable.js'
import type { Signature } from '../../../model/sources/channel.js'
import type { SigningKey } from '../../../secrets/signing-keys.js'
import { type SignedBytes, bad, severalSignatures } from './signed-bytes.js'

type OpenPgp = typeof import('openpgp')

interface Trusted {
  readonly name: string
  readonly key: Key
}

/** The clock of the signer may be this much ahead. */
const skewMs = 300_000

/** Checks for exactly one binary signature packet, by a key that was valid at signing time and is valid now. */
export async function checkOpenPgp(
  { payload, signature }: SignedBytes,
  keys: readonly SigningKey[],
  now: number,
): Promise<Signature> {
  const openpgp = await import('openpgp')
  const packets = await openpgp.readSignature({ armoredSignature: signature }).then(
    (read) => read.packets as unknown as readonly SignaturePacket[],
    () => [],
  )
  const [packet, another] = packets
  if (packet === undefined) return bad('The signature is malformed.')
  if (another !== undefined) return bad(severalSignatures)
  if (packet.signatureType !== openpgp.enums.signature.binary) return bad('The signature is not a binary signature.')
  const trusted = (await trustedKeys(openpgp, keys)).find(({ key }) => key.getKeys(packet.issuerKeyID).length > 0)
  if (trusted === undefined) return { state: 'unknown-key', key: packet.issuerKeyID.toHex().toUpperCase() }
  const why = await whyNot(openpgp, { payload, signature, key: trusted.key, packet, date: new Date(now + skewMs) })
  return why === undefined
    ? { state: 'good', key: trusted.key.getFingerprint().toUpperCase(), by: trusted.name }
    : bad(why)
}

async function trustedKeys(openpgp: OpenPgp, keys: readonly SigningKey[]): Promise<readonly Trusted[]> {
  const read = async ({ name, text }: SigningKey): Promise<readonly Trusted[]> =>
    (await openpgp.readKeys({ armoredKeys: text })).map((key) => ({ name, key }))
  return (await Promise.all(keys.map(read))).flat()
}

interface Claim {
  readonly payload: Buffer
  readonly signature: string
  readonly key: Key
  readonly packet: SignaturePacket
  readonly date: Date
}

/** Undefined: the signature is valid. */
async function whyNot(openpgp: OpenPgp, { payload, signature, key, packet, date }: Claim): Promise<string | undefined> {
  try {
    const message = await openpgp.createMessage({ binary: payload })
    const read = await openpgp.readSignature({ armoredSignature: signature })
    const { signatures } = await openpgp.verify({
      message,
      signature: read,
      verificationKeys: key,
      date,
      expectSigned: true,
    })
    await Promise.all(signatures.map(({ verified }) => verified))
    await key.getSigningKey(packet.issuerKeyID, date)
    return undefined
  } catch (error) {
    return `The signature does not match, or is not safe: ${showText((error as Error).message.replace(/\.$/, ''))}.`
  }
}
