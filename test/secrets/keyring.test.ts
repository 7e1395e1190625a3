import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SyncError } from '../../src/model/errors.js'
import type { Sealed } from '../../src/model/json.js'
import { Keyring, openKeyring } from '../../src/secrets/keyring.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-key-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function errorOf(act: () => unknown): SyncError {
  try {
    act()
  } catch (error) {
    if (error instanceof SyncError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('the key of a data directory', () => {
  test('is made of 32 bytes that only the owner reads, and leaves nothing beside it', () => {
    openKeyring(directory)
    expect(readdirSync(directory)).toEqual(['key'])
    expect(statSync(join(directory, 'key'))).toMatchObject({ size: 32 })
    expect(statSync(join(directory, 'key')).mode & 0o777).toBe(0o600)
  })

  test('is the same at the next start', () => {
    const sealed = openKeyring(directory).seal('kept')
    expect(openKeyring(directory).open(sealed)).toBe('kept')
  })

  test('is different in each data directory', () => {
    openKeyring(directory)
    const key = readFileSync(join(directory, 'key'))
    rmSync(join(directory, 'key'))
    openKeyring(directory)
    expect(readFileSync(join(directory, 'key')).equals(key)).toBe(false)
  })

  test('is closed to others where it was open to them', () => {
    openKeyring(directory)
    chmodSync(join(directory, 'key'), 0o644)
    openKeyring(directory)
    expect(statSync(join(directory, 'key')).mode & 0o777).toBe(0o600)
  })

  test.each([0, 31, 33, 4096])('of %i bytes is refused and left as it is', (length) => {
    writeFileSync(join(directory, 'key'), Buffer.alloc(length, 1), { mode: 0o600 })
    const error = errorOf(() => openKeyring(directory))
    expect(error).toMatchObject({ code: 'secrets/key-length', path: join(directory, 'key') })
    expect(error.message).toContain(`has ${length} bytes`)
    expect(error.hint).toContain('backup')
    expect(statSync(join(directory, 'key')).size).toBe(length)
  })

  test('that is a pipe is refused at once', () => {
    execFileSync('mkfifo', [join(directory, 'key')])
    expect(errorOf(() => openKeyring(directory))).toMatchObject({
      code: 'secrets/key-unreadable',
      cause: expect.objectContaining({ message: 'it is not a regular file' }) as Error,
      hint: expect.stringContaining('backup') as string,
    })
  })

  test('that cannot be made is an error that names the file', () => {
    const missing = join(directory, 'missing')
    expect(errorOf(() => openKeyring(missing))).toMatchObject({
      code: 'secrets/key-unreadable',
      path: join(missing, 'key'),
    })
    expect(existsSync(missing)).toBe(false)
  })
})

describe('sealing', () => {
  const ring = new Keyring(Buffer.alloc(32, 1))
  const other = new Keyring(Buffer.alloc(32, 2))

  test.each(['', 'a', 'naïve ☃ 𝄞', 'x'.repeat(100_000)])('gives back what was sealed: %#', (plain) => {
    expect(ring.open(ring.seal(plain))).toBe(plain)
    expect(ring.open(ring.seal(Buffer.from(plain)))).toBe(plain)
  })

  test('reveals nothing of the value, and is different every time', () => {
    const sealed = ring.seal('a long enough secret')
    expect(sealed).toMatch(/^s1\.[0-9a-f]{8}\.[\w-]+$/)
    expect(Buffer.from(sealed.split('.')[2]!, 'base64url').includes('secret')).toBe(false)
    expect(ring.seal('a long enough secret')).not.toBe(sealed)
  })

  test('with another key gives another error than damage', () => {
    const error = errorOf(() => other.open(ring.seal('x')))
    expect(error).toMatchObject({ code: 'secrets/other-key' })
    expect(error.hint).toContain('Restore')
  })

  test('notices a change of any byte', () => {
    const sealed = ring.seal('snapshot')
    const [version, name, body] = sealed.split('.') as [string, string, string]
    const bytes = Buffer.from(body, 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 1
      const forged = `${version}.${name}.${changed.toString('base64url')}` as Sealed
      expect(errorOf(() => ring.open(forged)).code).toBe('secrets/sealed-damaged')
    }
  })

  test.each(['', 's1', 's2.00000000.AAAA', 'plain text', 's1.x.y.z'])('refuses what was never sealed: %j', (text) => {
    expect(errorOf(() => ring.open(text as Sealed)).code).toBe('secrets/sealed-damaged')
  })

  test('refuses a body cut short', () => {
    const sealed = ring.seal('snapshot')
    expect(errorOf(() => ring.open(sealed.slice(0, 20) as Sealed)).code).toBe('secrets/sealed-damaged')
  })
})

describe('a fingerprint', () => {
  const ring = new Keyring(Buffer.alloc(32, 1))

  test('is the same for the same value, and different for another value or key', () => {
    expect(ring.fingerprint('a')).toMatch(/^[0-9a-f]{16}$/)
    expect(ring.fingerprint('a')).toBe(ring.fingerprint('a'))
    expect(ring.fingerprint('a')).not.toBe(ring.fingerprint('b'))
    expect(ring.fingerprint('a')).not.toBe(new Keyring(Buffer.alloc(32, 2)).fingerprint('a'))
  })
})
