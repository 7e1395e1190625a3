// What logs in over ssh: which entry is for an address, and what its files must be like at each use.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { describeError } from '../../src/model/errors.js'
import type { Credential } from '../../src/secrets/credential.js'
import { Credentials } from '../../src/secrets/credentials.js'
import { Redactor } from '../../src/secrets/redact/redact.js'
import { ManualClock } from '../manual-clock.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-login-'))
  for (const name of ['known', 'one', 'two', 'three']) writeFileSync(join(directory, name), 'x', { mode: 0o600 })
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const file = (name: string): string => join(directory, name)
const key = (match: string, identityFile: string): Credential => ({
  name: identityFile,
  match,
  ssh: { identityFile: file(identityFile), knownHosts: file('known') },
})

function open(...credentials: readonly Credential[]): Credentials {
  const lookup = { directory, environment: (name: string) => ({ SSH_AUTH_SOCK: file('socket') })[name] }
  return new Credentials(credentials, {
    lookup,
    redactor: new Redactor(),
    clock: new ManualClock(),
    post: () => Promise.reject(new Error('nothing is asked')),
  })
}

describe('a key goes', () => {
  test.each([
    ['to an address below its match', 'ssh://git@example.com/acme/x', 'one'],
    ['to one as scp has it', 'git@example.com:acme/x', 'one'],
    ['to the one with the longest match', 'git@example.com:acme/secret/x', 'two'],
    ['to no other user', 'ann@example.com:acme/x', undefined],
    ['to no other port', 'ssh://git@example.com:2222/acme/x', undefined],
    ['to no other folder', 'git@example.com:other/x', undefined],
    ['to no other scheme', 'https://example.com/acme/x', undefined],
    ['to any user where its match names none', 'ann@other.example:x', 'three'],
    ['to the default port also where its match says it', 'ssh://git@other.example/x', 'three'],
  ])('%s', (_, address, name) => {
    const credentials = open(
      key('ssh://git@example.com/acme/', 'one'),
      key('ssh://git@example.com/acme/secret', 'two'),
      key('ssh://Other.Example:22', 'three'),
    )
    const login = credentials.sshLogin(address)
    expect(login && 'identityFile' in login && login.identityFile).toBe(name && file(name))
  })

  test('nowhere over http, and a token nowhere over ssh', async () => {
    const credentials = open(key('ssh://git@example.com/', 'one'), {
      name: 'token',
      match: 'https://example.com/',
      token: 't0ken-0',
    })
    expect(await credentials.authorization('ssh://git@example.com/x')).toEqual({})
    expect(credentials.sshLogin('https://example.com/x')).toBeUndefined()
  })
})

test('a key agent is found by the variable that names its socket', async () => {
  const credentials = open({
    name: 'agent',
    match: 'ssh://git@example.com/',
    ssh: { agent: '${env:SSH_AUTH_SOCK}', knownHosts: file('known') },
  })
  expect(() => credentials.sshLogin('git@example.com:x')).toThrow('Cannot read the credential "agent"')
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(file('socket'), resolve))
  expect(credentials.sshLogin('git@example.com:x')).toEqual({ agent: file('socket'), knownHosts: file('known') })
  await new Promise((resolve) => server.close(resolve))
})

test.each([
  ['a key that others may read', () => chmodSync(file('one'), 0o640), /Other users can read the key .*: chmod 600/],
  ['a key that is gone', () => rmSync(file('one')), /Cannot read the file .*: no such file/],
  ['no file with the keys of servers', () => rmSync(file('known')), /Cannot read the file .*: no such file/],
])('with %s the error names the entry and the fix, and the files are checked again later', (_, spoil, words) => {
  const credentials = open(key('ssh://git@example.com/', 'one'))
  spoil()
  let error: unknown
  try {
    credentials.sshLogin('git@example.com:x')
  } catch (caught) {
    error = caught
  }
  expect(error).toMatchObject({ name: 'Unavailable', code: 'source/credential-unreadable' })
  expect(describeError(error)).toContain('"one"')
  expect(describeError(error)).toMatch(words)
  expect(credentials.checks(['git@example.com:x'])).toMatchObject([{ name: 'credential one', state: 'problem' }])
  for (const name of ['one', 'known']) {
    writeFileSync(file(name), 'x')
    chmodSync(file(name), 0o600)
  }
  expect(credentials.sshLogin('git@example.com:x')).toBeDefined()
  expect(credentials.checks(['git@example.com:x'])).toMatchObject([{ name: 'credential one', state: 'ok' }])
})
