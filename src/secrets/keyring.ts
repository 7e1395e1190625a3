// The key of the data directory: seals stored secrets (snapshots, consents), and keys the fingerprints of secrets in
// plans.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { chmodSync, closeSync, fsyncSync, linkSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freeSpaceHint, isFullDisk, Rejected, SyncError } from '../model/errors.js'
import { Secret, type Sealed } from '../model/json.js'
import { readBoundedFile } from '../settings/bounded-file.js'

const keyBytes = 32
/** The most bytes read from a key file, so that a message can state its real length. */
export const mostKeyFileBytes = 4096
const nonceBytes = 12
const tagBytes = 16
const version = 's1'

/**
 * Seals and fingerprints with one key. A `Sealed` value is `s1.<name of the key>.<base64url of nonce, ciphertext,
 * tag>`: AES-256-GCM with a random nonce.
 */
export class Keyring {
  readonly #sealing: Buffer
  readonly #fingerprinting: Buffer
  readonly #name: string

  /** `key`: 32 random bytes. */
  constructor(key: Uint8Array) {
    if (key.length !== keyBytes)
      throw new SyncError(`A key has ${keyBytes} bytes, not ${key.length}.`, { code: 'secrets/key-length' })
    this.#sealing = derive(key, 'seal')
    this.#fingerprinting = derive(key, 'fingerprint')
    this.#name = derive(key, 'name').toString('hex').slice(0, 8)
  }

  seal(plain: Uint8Array | string): Sealed {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#sealing, nonce, { authTagLength: tagBytes })
    cipher.setAAD(Buffer.from(version))
    const body = [nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]
    return `${version}.${this.#name}.${Buffer.concat(body).toString('base64url')}` as Sealed
  }

  /** True if the value was sealed with this key. */
  sealedHere(sealed: Sealed): boolean {
    return sealed.startsWith(`${version}.${this.#name}.`)
  }

  /** The sealed text. Throws `Rejected` if it was sealed with another key, or is damaged. */
  open(sealed: Sealed): string {
    const [prefix, name, body, ...more] = sealed.split('.')
    if (prefix !== version || name === undefined || body === undefined || more.length > 0) throw damaged()
    if (name !== this.#name) throw otherKey()
    const bytes = Buffer.from(body, 'base64url')
    if (bytes.length < nonceBytes + tagBytes) throw damaged()
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#sealing, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
      decipher.setAAD(Buffer.from(version))
      decipher.setAuthTag(bytes.subarray(-tagBytes))
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8')
    } catch (error) {
      throw damaged(error)
    }
  }

  /** Wraps a value so that it cannot be printed. */
  toSecret(value: string): Secret {
    return new Secret(value, this.fingerprint(value))
  }

  /** 16 hex digits that are equal for equal values and this key, and reveal nothing about the value without the key. */
  fingerprint(value: string): string {
    return createHmac('sha256', this.#fingerprinting).update(value).digest('hex').slice(0, 16)
  }
}

/**
 * The keyring of `<dataDirectory>/key`. A missing file is created (32 random bytes, mode 0600, durable before use). An
 * existing file that others can read is made private. Throws `SyncError` if it cannot be read or created, or has a
 * wrong length.
 */
export function openKeyring(dataDirectory: string): Keyring {
  const file = join(dataDirectory, 'key')
  try {
    const key = readKeyFile(file) ?? makeKey(file)
    if (key.length !== keyBytes) throw wrongLength(file, key.length)
    return new Keyring(key)
  } catch (error) {
    if (error instanceof SyncError) throw error
    throw new SyncError(`Cannot read or create the key ${file}.`, {
      code: 'secrets/key-unreadable',
      path: file,
      hint: isFullDisk(error)
        ? freeSpaceHint(dataDirectory)
        : 'The agent must own its data directory and have write access. ' +
          'If the key is not a file of 32 bytes, restore it from a backup.',
      cause: error,
    })
  }
}

/** The key itself, for a backup elsewhere. Throws `SyncError` like `openKeyring`. */
export function readKey(dataDirectory: string): Uint8Array {
  const file = join(dataDirectory, 'key')
  const key = readKeyFile(file)
  if (key === undefined)
    throw new SyncError(`There is no key ${file}.`, {
      code: 'secrets/key-unreadable',
      path: file,
      hint: 'Start the agent: it creates a key.',
    })
  return key
}

function derive(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, new Uint8Array(), `gitmoor ${purpose} v1`, keyBytes))
}

function readKeyFile(file: string): Buffer | undefined {
  try {
    const key = readBoundedFile(file, mostKeyFileBytes)
    if (key.length !== keyBytes) throw wrongLength(file, key.length)
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
    return key
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Writes a draft and links it into place: a crash never leaves a partial key, and an existing key is never replaced.
 */
function makeKey(file: string): Buffer {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const key = randomBytes(keyBytes)
  try {
    writeDurably(draft, key)
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return readBoundedFile(file, mostKeyFileBytes)
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
  syncDirectory(dirname(file))
  return key
}

function writeDurably(file: string, bytes: Uint8Array): void {
  const handle = openSync(file, 'wx', 0o600)
  try {
    writeSync(handle, bytes)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function syncDirectory(directory: string): void {
  const handle = openSync(directory, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function wrongLength(file: string, length: number): SyncError {
  return new SyncError(`The key ${file} has ${length} bytes instead of ${keyBytes}.`, {
    code: 'secrets/key-length',
    path: file,
    hint: 'Restore the file from a backup. With a new key, all sealed values would be unreadable.',
  })
}

function damaged(cause?: unknown): Rejected {
  return new Rejected('A sealed value is damaged.', {
    code: 'secrets/sealed-damaged',
    hint: 'The database was changed or damaged outside the agent. Restore the data directory from a backup.',
    cause,
  })
}

function otherKey(): Rejected {
  return new Rejected('A sealed value was sealed with another key.', {
    code: 'secrets/other-key',
    hint: 'Restore the file "key" of this data directory: without it, the database cannot be read.',
  })
}
