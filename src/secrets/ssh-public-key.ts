import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { SshReader } from './ssh-reader.js'

/** `curve`: the ECDSA curve; `size`: the bytes of a number on it. */
export interface SshPublicKey {
  readonly key: KeyObject
  readonly curve?: string
  readonly size: number
}

const curves: Readonly<Record<string, { readonly crv: string; readonly size: number }>> = {
  nistp256: { crv: 'P-256', size: 32 },
  nistp384: { crv: 'P-384', size: 48 },
  nistp521: { crv: 'P-521', size: 66 },
}

/**
 * Parses the blob of a public key (RFC 4253, 5656, 8709, and PROTOCOL.u2f of OpenSSH). Undefined: an unknown type, or
 * malformed.
 */
export function parsePublicKey(blob: Buffer): SshPublicKey | undefined {
  const reader = new SshReader(blob)
  const type = reader.string()?.toString('latin1') ?? ''
  try {
    if (type === 'ssh-rsa') return rsaKey(reader)
    return type.includes('ecdsa-sha2-') ? curveKey(reader) : edwardsKey(reader)
  } catch {
    return undefined
  }
}

function rsaKey(reader: SshReader): SshPublicKey | undefined {
  const [e, n] = [reader.unsigned(), reader.unsigned()]
  return (
    e && n && { key: keyOf({ kty: 'RSA', e: e.toString('base64url'), n: n.toString('base64url') }), size: n.length }
  )
}

function edwardsKey(reader: SshReader): SshPublicKey | undefined {
  const x = reader.string()
  return x && { key: keyOf({ kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url') }), size: 32 }
}

/** The point is uncompressed: a 4, then both coordinates. */
function curveKey(reader: SshReader): SshPublicKey | undefined {
  const curve = reader.string()?.toString('latin1') ?? ''
  const point = reader.string()
  const { crv, size } = curves[curve] ?? { crv: '', size: 0 }
  if (size === 0 || point?.length !== 1 + 2 * size || point[0] !== 4) return undefined
  const [x, y] = [point.subarray(1, 1 + size), point.subarray(1 + size)]
  return { key: keyOf({ kty: 'EC', crv, x: x.toString('base64url'), y: y.toString('base64url') }), curve, size }
}

function keyOf(key: JsonWebKey): KeyObject {
  return createPublicKey({ key, format: 'jwk' })
}
