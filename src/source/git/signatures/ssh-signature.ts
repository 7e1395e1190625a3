// SSH signatures (PROTOCOL.sshsig of OpenSSH), checked with Node's crypto: without child processes and files.
import { createHash, verify } from 'node:crypto'
import type { Signature } from '../../../model/sources/channel.js'
import { readSshKeys, sshFingerprint, sshTypes, type SigningKey } from '../../../secrets/signing-keys.js'
import { type SignedBytes, bad } from './signed-bytes.js'
import { SshReader, sshString } from '../../../secrets/ssh-reader.js'
import { parsePublicKey } from '../../../secrets/ssh-public-key.js'

interface SshSignature {
  readonly key: Buffer
  readonly namespace: string
  readonly reserved: Buffer
  readonly hash: string
  /** The format of the signature, then its bytes. */
  readonly signature: Buffer
}

const notWellFormed = 'The signature is malformed.'
const hashes = new Set(['sha256', 'sha512'])
/** Flag: a person touched the security key. */
const userPresent = 1

export function checkSsh({ payload, signature: armoured }: SignedBytes, keys: readonly SigningKey[]): Signature {
  const signature = readSignature(armoured)
  if (signature === undefined) return bad(notWellFormed)
  const key = sshFingerprint(signature.key)
  const by = keys.find(({ text }) => readSshKeys(text).some(({ blob }) => blob.equals(signature.key)))?.name
  if (by === undefined) return { state: 'unknown-key', key }
  if (signature.namespace !== 'git') return bad('The signature is not for git.')
  if (!hashes.has(signature.hash)) return bad('The signature uses an unsafe hash.')
  return isRight(signature, payload) ? { state: 'good', key, by } : bad('The signature does not match.')
}

function readSignature(armoured: string): SshSignature | undefined {
  const encoded = /^-----BEGIN SSH SIGNATURE-----\r?\n([A-Za-z0-9+/=\s]+)-----END SSH SIGNATURE-----\s*$/.exec(
    armoured,
  )?.[1]
  if (encoded === undefined) return undefined
  const reader = new SshReader(Buffer.from(encoded, 'base64'))
  if (reader.bytes(6)?.toString('latin1') !== 'SSHSIG' || reader.number() !== 1) return undefined
  const [key, namespace, reserved, hash, signature] = [
    reader.string(),
    reader.string(),
    reader.string(),
    reader.string(),
    reader.string(),
  ]
  if (!key || !namespace || !reserved || !hash || !signature || !reader.isAtEnd) return undefined
  return { key, namespace: namespace.toString('latin1'), reserved, hash: hash.toString('latin1'), signature }
}

function isRight({ key, namespace, reserved, hash, signature }: SshSignature, payload: Buffer): boolean {
  const digest = createHash(hash).update(payload).digest()
  const signed = Buffer.concat([
    Buffer.from('SSHSIG'),
    ...[Buffer.from(namespace), reserved, Buffer.from(hash), digest].map(sshString),
  ])
  const type = new SshReader(key).string()?.toString('latin1') ?? ''
  const reader = new SshReader(signature)
  const format = reader.string()?.toString('latin1') ?? ''
  const bytes = reader.string()
  if (bytes === undefined || !sshTypes.includes(type)) return false
  if (!type.startsWith('sk-')) return reader.isAtEnd && isSigned({ type, format, key, bytes }, signed)
  const flags = reader.bytes(1)
  const counter = reader.bytes(4)
  if (!flags || !counter || !reader.isAtEnd || (flags[0]! & userPresent) === 0) return false
  const application = keyApplication(key, type)
  if (application === undefined) return false
  return isSigned({ type, format, key, bytes }, Buffer.concat([sha256(application), flags, counter, sha256(signed)]))
}

interface SignatureBytes {
  readonly type: string
  readonly format: string
  readonly key: Buffer
  readonly bytes: Buffer
}

/** The hash of an RSA signature, by its format. SHA-1 (`ssh-rsa`) is not accepted. */
const rsaHashes: Readonly<Record<string, string>> = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' }
const curveHashes: Readonly<Record<string, string>> = { nistp256: 'sha256', nistp384: 'sha384', nistp521: 'sha512' }

function isSigned({ type, format, key, bytes }: SignatureBytes, signed: Buffer): boolean {
  const known = parsePublicKey(key)
  if (known === undefined) return false
  if (type === 'ssh-rsa') return rsaHashes[format] !== undefined && verify(rsaHashes[format], signed, known.key, bytes)
  if (format !== type) return false
  if (known.curve === undefined) return verify(null, signed, known.key, bytes)
  const pair = readNumberPair(bytes, known.size)
  return (
    pair !== undefined && verify(curveHashes[known.curve], signed, { key: known.key, dsaEncoding: 'ieee-p1363' }, pair)
  )
}

/** The two numbers of an ECDSA signature, each with `size` bytes. */
function readNumberPair(bytes: Buffer, size: number): Buffer | undefined {
  const reader = new SshReader(bytes)
  const [r, s] = [reader.unsigned(size), reader.unsigned(size)]
  return r && s && reader.isAtEnd ? Buffer.concat([r, s]) : undefined
}

/** The application of a security key: the last part of its blob. */
function keyApplication(key: Buffer, type: string): Buffer | undefined {
  const reader = new SshReader(key)
  const parts = type.includes('ecdsa') ? 3 : 2
  for (let part = 0; part < parts; part++) reader.string()
  return reader.string()
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}
