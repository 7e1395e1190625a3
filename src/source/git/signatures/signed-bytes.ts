// The signed bytes and the signature: at the end of a tag, or in a header of a commit (gitformat-signature).
import type { ParsedObject } from '../objects/git-object.js'
import type { Signature } from '../../../model/sources/channel.js'

export interface SignedBytes {
  readonly payload: Buffer
  /** ASCII-armored text. */
  readonly signature: string
}

const BEGINNINGS = [
  '-----BEGIN PGP SIGNATURE-----',
  '-----BEGIN PGP MESSAGE-----',
  '-----BEGIN SSH SIGNATURE-----',
  '-----BEGIN SIGNED MESSAGE-----',
]

/** Undefined: it is not signed. `several`: it is ambiguous which signature counts. */
export function findSignedBytes(type: 'commit' | 'tag', object: ParsedObject): SignedBytes | 'several' | undefined {
  return type === 'tag' ? signedTag(object) : signedCommit(object)
}

function signedTag({ headers, body }: ParsedObject): SignedBytes | undefined {
  const { message, signature } = splitBody(body)
  return signature === '' ? undefined : { payload: signedPayload(headers, message), signature }
}

function signedCommit({ headers, body }: ParsedObject): SignedBytes | 'several' | undefined {
  const [first, second] = headers.filter(({ key }) => key === 'gpgsig')
  if (first === undefined) return undefined
  return second === undefined ? { payload: signedPayload(headers, body), signature: first.value } : 'several'
}

/** Signatures are not signed: neither this one nor the one for SHA-256 IDs (`gpgsig-sha256`). */
function signedPayload(headers: ParsedObject['headers'], body: string): Buffer {
  const lines = headers.filter(({ key }) => !key.startsWith('gpgsig')).map((header) => header.lines)
  return Buffer.from(`${lines.join('')}\n${body}`, 'latin1')
}

/**
 * Splits the body of a tag into its signed message and its signature, which starts at the last signature line; '' if
 * there is none.
 */
export function splitBody(body: string): { readonly message: string; readonly signature: string } {
  const at = Math.max(...BEGINNINGS.map((beginning) => lastLine(body, beginning)))
  return at < 0 ? { message: body, signature: '' } : { message: body.slice(0, at), signature: body.slice(at) }
}

function lastLine(body: string, beginning: string): number {
  const at = body.lastIndexOf(`\n${beginning}`)
  if (at >= 0) return at + 1
  return body.startsWith(beginning) ? 0 : -1
}

/** `why`: a sentence. */
export function bad(why: string): Signature {
  return { state: 'bad', why }
}

export const severalSignatures = 'It contains more than one signature.'
