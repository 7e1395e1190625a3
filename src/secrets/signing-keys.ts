// Trusted signing keys of the configuration file. They are public; nobody else must be able to add one.
import { createHash } from 'node:crypto'
import { SyncError, Unavailable } from '../model/errors.js'
import { parsePublicKey } from './ssh-public-key.js'
import { resolveValue, type ValueLookup } from './resolve-value.js'

/**
 * One entry of `keys`. `text`: a public key, armored (`gpg`) or a line of a .pub file (`ssh`); may contain
 * `${file:PATH}`.
 */
export interface SigningKey {
  readonly name: string
  readonly kind: 'gpg' | 'ssh'
  readonly text: string
}

/** A public SSH key. `blob`: the decoded second word of its line. */
export interface SshKey {
  readonly type: string
  readonly blob: Buffer
}

/** Texts are resolved at each use, so a file may change while the agent runs. */
export class SigningKeys {
  #keys: readonly SigningKey[]
  readonly #lookup: ValueLookup

  /** `keys` have passed `signingKeyProblem`. */
  constructor(keys: readonly SigningKey[], lookup: ValueLookup) {
    this.#keys = keys
    this.#lookup = lookup
  }

  /** Replaces all keys. They have passed `signingKeyProblem`. */
  replace(keys: readonly SigningKey[]): void {
    this.#keys = keys
  }

  /**
   * The current keys. Throws `Unavailable` if one cannot be read, so that a missing key never makes a signature look
   * unknown.
   */
  read(): readonly SigningKey[] {
    return this.#keys.map((key) => ({ ...key, text: this.#text(key) }))
  }

  #text({ name, kind, text }: SigningKey): string {
    try {
      const value = resolveValue(text, this.#lookup)
      const problem = signingKeyProblem(kind, value)
      if (problem === undefined) return value
      throw new SyncError(`It ${problem}`, { code: 'secrets/signing-key' })
    } catch (cause) {
      throw new Unavailable(`The key "${name}" cannot be used.`, {
        code: 'secrets/signing-key',
        hint: 'See "keys" in the configuration file of the agent. The next attempt reads the key again.',
        cause,
      })
    }
  }
}

/** The problem with a key, as words after its name; undefined: none. Does not repeat the key. */
export function signingKeyProblem(kind: SigningKey['kind'], text: string): string | undefined {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY/.test(text)) return 'contains a private key: use only the public key.'
  return kind === 'gpg' ? gpgProblem(text) : sshProblem(text)
}

function gpgProblem(text: string): string | undefined {
  const armoured = /^-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n[^]+\n-----END PGP PUBLIC KEY BLOCK-----\s*$/
  return armoured.test(text.trimStart()) ? undefined : 'must be an armored public key: gpg --armor --export NAME'
}

function sshProblem(text: string): string | undefined {
  const keys = linesOf(text).map((line) => readSshKey(line) && parsePublicKey(readSshKey(line)!.blob))
  if (keys.length === 0 || keys.includes(undefined)) return `must be a public SSH key of type ${sshTypes.join(', ')}.`
  const isShort = keys.some((one) => (one!.key.asymmetricKeyDetails?.modulusLength ?? leastRsaBits) < leastRsaBits)
  return isShort ? `is an RSA key of less than ${leastRsaBits} bits, which is not safe.` : undefined
}

const leastRsaBits = 2048

export const sshTypes: readonly string[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
]

/** All keys of a text that passed `signingKeyProblem`, one per line. */
export function readSshKeys(text: string): readonly SshKey[] {
  return linesOf(text).flatMap((line) => readSshKey(line) ?? [])
}

/** `SHA256:…`, in the format of ssh-keygen. */
export function sshFingerprint(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/** `ssh-ed25519 AAAA… comment`. The blob also starts with the type, with its length in front. */
function readSshKey(line: string): SshKey | undefined {
  const [type = '', encoded = ''] = line.split(/\s+/)
  if (!sshTypes.includes(type) || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined
  const blob = Buffer.from(encoded, 'base64')
  const head = Buffer.from(`\0\0\0${String.fromCharCode(type.length)}${type}`, 'latin1')
  return blob.length > head.length + 4 && blob.subarray(0, head.length).equals(head) ? { type, blob } : undefined
}
