// signatures: who signed a tag or a commit. Takes the stored object, its ref, and the trusted keys of the configuration
// file. Promises: `good` only for a valid signature by a trusted key over exactly these bytes and this ref name. The
// input size is limited first.
import type { SigningKey } from '../../../secrets/signing-keys.js'
import type { Signature } from '../../../model/sources/channel.js'
import { tagTarget, type ParsedObject } from '../objects/git-object.js'
import { findSignedBytes, bad, severalSignatures } from './signed-bytes.js'
import { checkOpenPgp } from './openpgp-signature.js'
import { checkSsh } from './ssh-signature.js'

export interface TrustedKeys {
  /** The current keys. Throws `Unavailable` if a key cannot be read. */
  read(): readonly SigningKey[]
}

export interface SignedObject {
  readonly type: 'commit' | 'tag'
  readonly object: ParsedObject
}

const mostSignature = 64 * 1024

/** `ref`: full name. `now`: milliseconds since the epoch, when keys and signatures must be valid. */
export async function checkSignature(
  { type, object }: SignedObject,
  ref: string,
  { keys, now }: { readonly keys: TrustedKeys; readonly now: number },
): Promise<Signature> {
  const signed = findSignedBytes(type, object)
  if (signed === undefined) return { state: 'none' }
  if (signed === 'several') return bad(severalSignatures)
  const name = type === 'tag' ? tagTarget(object.headers)?.tag : undefined
  if (type === 'tag' && ref !== `refs/tags/${name}`) return bad('The tag was signed with another name.')
  if (signed.signature.length > mostSignature) return bad(`The signature is larger than ${mostSignature} bytes.`)
  if (signed.signature.startsWith('-----BEGIN SIGNED'))
    return { state: 'unknown-key', key: 'an X.509 certificate, which gitmoor does not support' }
  const known = keys.read()
  const ssh = signed.signature.startsWith('-----BEGIN SSH')
  return ssh ? checkSsh(signed, known.filter(isKind('ssh'))) : checkOpenPgp(signed, known.filter(isKind('gpg')), now)
}

function isKind(expected: SigningKey['kind']): (key: SigningKey) => boolean {
  return ({ kind }) => kind === expected
}
