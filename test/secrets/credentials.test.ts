import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Unavailable, describeError } from '../../src/model/errors.js'
import { matchProblem } from '../../src/lib/text/address-match.js'
import type { Credential, CredentialEntry, CredentialKind } from '../../src/secrets/credential.js'
import { Credentials, type CredentialsDeps } from '../../src/secrets/credentials.js'
import { resolveValue, type ValueLookup } from '../../src/secrets/resolve-value.js'
import { Redactor } from '../../src/secrets/redact/redact.js'
import { ManualClock } from '../manual-clock.js'

let directory: string
let lookup: ValueLookup
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-credentials-'))
  lookup = { directory, environment: (name) => ({ TOKEN: 'from-environment', EMPTY: '' })[name] }
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** No test here asks for a token. */
const deps = (redactor = new Redactor()): CredentialsDeps => ({
  lookup,
  redactor,
  clock: new ManualClock(),
  post: () => Promise.reject(new Error('Nothing is asked here.')),
})

type Entry = Omit<CredentialEntry, 'name'> & CredentialKind

async function basicOf(entries: readonly Entry[], address: string): Promise<string | undefined> {
  const credentials = entries.map((entry, at) => ({ name: `entry-${at}`, ...entry }))
  const { authorization } = await new Credentials(credentials, deps()).authorization(address)
  return authorization && Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString()
}

const github = { match: 'https://github.com/acme/', token: 't0ken-acme' }

describe('a credential goes', () => {
  test.each([
    ['to an address below its match', 'https://github.com/acme/boards.git', true],
    ['to the same host written otherwise', 'HTTPS://GitHub.com:443/acme/boards', true],
    ['to no other scheme', 'http://github.com/acme/boards.git', false],
    ['to no other port', 'https://github.com:8443/acme/boards.git', false],
    ['to no other host', 'https://github.com.evil.example/acme/boards.git', false],
    ['to no host of which its own is the end', 'https://evilgithub.com/acme/x', false],
    ['to no folder whose name only begins alike', 'https://github.com/acme-evil/boards.git', false],
    ['to no address that leaves its folder', 'https://github.com/acme/../evil/x', false],
    ['to no address that leaves its folder encoded', 'https://github.com/acme/%2e%2e/evil/x', false],
    ['to no address that hides a slash', 'https://github.com/acme/..%2fevil/x', false],
    ['not to an invalid address', 'acme/boards', false],
  ])('%s', async (_, address, goes) => {
    expect(await basicOf([github], address)).toBe(goes ? 'x-access-token:t0ken-acme' : undefined)
  })

  test('by whole segments where its match does not end with a slash', async () => {
    const entry = { match: 'https://h.example/team', token: 'abc' }
    expect(await basicOf([entry], 'https://h.example/team')).toBeDefined()
    expect(await basicOf([entry], 'https://h.example/team/x')).toBeDefined()
    expect(await basicOf([entry], 'https://h.example/teams')).toBeUndefined()
  })

  test('over http only if the entry allows it', async () => {
    const entry = { match: 'http://lab.example:3000/', token: 'abc' }
    expect(await basicOf([entry], 'http://lab.example:3000/x')).toBeUndefined()
    expect(await basicOf([{ ...entry, allowHttp: true }], 'http://lab.example:3000/x')).toBe('x-access-token:abc')
    expect(await basicOf([{ ...entry, allowHttp: true }], 'https://lab.example:3000/x')).toBeUndefined()
  })

  test('if its match is the longest, in any order', async () => {
    const entries = [
      { match: 'https://h/', token: 'whole' },
      { match: 'https://h/a/b', token: 'deep' },
      { match: 'https://h/a/', token: 'folder' },
    ]
    for (const order of [entries, entries.toReversed()]) {
      expect(await basicOf(order, 'https://h/a/b/c')).toMatch(/deep$/)
      expect(await basicOf(order, 'https://h/a/c')).toMatch(/folder$/)
      expect(await basicOf(order, 'https://h/c')).toMatch(/whole$/)
    }
  })

  test('with the user name that the entry gives', async () => {
    expect(await basicOf([{ ...github, username: 'robot' }], 'https://github.com/acme/x')).toBe('robot:t0ken-acme')
  })
})

describe('the value of a credential', () => {
  test('comes from the environment', () => {
    expect(resolveValue('${env:TOKEN}', lookup)).toBe('from-environment')
  })

  test('comes from a file, read again at each use, without the end of its line', async () => {
    const file = join(directory, 'token')
    const credentials = new Credentials([{ name: 'x', ...github, token: '${file:token}', username: 'u' }], deps())
    for (const token of ['first', 'second']) {
      writeFileSync(file, `${token}\r\n`)
      const basic = Buffer.from(`u:${token}`).toString('base64')
      expect(await credentials.authorization('https://github.com/acme/x')).toEqual({ authorization: `Basic ${basic}` })
    }
  })

  test('may be part of a text', () => {
    expect(resolveValue('a-${env:TOKEN}-${env:TOKEN}', lookup)).toBe('a-from-environment-from-environment')
  })

  test.each([
    ['${env:MISSING}', 'The environment variable MISSING is not set.'],
    ['${env:EMPTY}', 'The environment variable EMPTY is not set.'],
    ['${vault:x}', 'A ${…} is neither ${env:NAME} nor ${file:PATH}.'],
    ['${env:TOKEN', 'A ${ is not closed by }.'],
    ['', 'The value is empty.'],
  ])('%j is an error that says why', (text, message) => {
    expect(() => resolveValue(text, lookup)).toThrow(message)
  })

  test('that is a missing file, a directory or an empty file is an error that names it', () => {
    writeFileSync(join(directory, 'empty'), '\n')
    expect(() => resolveValue('${file:gone}', lookup)).toThrow(`${join(directory, 'gone')}: no such file or directory`)
    expect(() => resolveValue('${file:.}', lookup)).toThrow('it is a directory')
    expect(() => resolveValue('${file:empty}', lookup)).toThrow('is empty')
  })

  test('that cannot be read is retried, and the error names the entry and the reason', async () => {
    const credentials = new Credentials([{ name: 'github', ...github, token: '${file:gone}' }], deps())
    const error = await credentials.authorization('https://github.com/acme/x').catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(Unavailable)
    expect(error).toHaveProperty('message', expect.stringContaining('"github"'))
    expect(describeError(error)).toMatch(/Cannot read the file .*gone: no such file/)
  })

  test('is not printed by the redactor once it was used', async () => {
    const redactor = new Redactor()
    const credentials = new Credentials([{ name: 'github', ...github }], deps(redactor))
    const { authorization } = await credentials.authorization('https://github.com/acme/x')
    expect(redactor.redact(`sent t0ken-acme as ${authorization}`)).toBe('sent (redacted) as Basic (redacted)')
  })
})

describe('a match', () => {
  test.each([
    ['github.com/acme', 'must be the beginning'],
    ['ssh://github.com/', 'must begin with https://'],
    ['https://me:pw@github.com/', 'user name or password'],
    ['https://github.com/?x=1', 'must not contain ?'],
  ])('%s is refused', (match, words) => {
    expect(matchProblem(match)).toContain(words)
    expect(matchProblem(match)).not.toContain('pw')
  })
})

test('the doctor reports unused credentials and missing values, never the value', () => {
  const entries: readonly Credential[] = [
    { name: 'good', ...github },
    { name: 'idle', match: 'https://other.example/', token: 's3cret' },
    { name: 'lost', match: 'https://lost.example/', token: '${file:nowhere}' },
  ]
  const checks = new Credentials(entries, deps()).checks(['https://github.com/acme/boards.git', 'file:///srv/boards'])
  expect(Object.fromEntries(checks.map(({ name, state }) => [name, state]))).toEqual({
    'credential good': 'ok',
    'credential idle': 'warning',
    'credential lost': 'problem',
  })
  expect(JSON.stringify(checks)).not.toMatch(/t0ken-acme|s3cret/)
})

test('the doctor names the credential that a server refused', () => {
  const refused = 'https://github.com/acme/boards.git'
  const credentials = new Credentials([{ name: 'good', ...github }], deps())
  const remotes = [refused, 'https://other.example/x'].map((address) => [address, `remote ${address}`] as const)
  expect(credentials.checks([refused], new Map(remotes))).toMatchObject([
    { name: 'credential good', state: 'problem', message: `Refused by ${refused}.`, cause: `remote ${refused}` },
  ])
})

describe('a credential of another kind', () => {
  const at = 'https://github.com/acme/boards.git'
  const match = 'https://github.com/acme/'
  const open = (
    entry: Omit<CredentialEntry, 'name' | 'match'> & CredentialKind,
    redactor = new Redactor(),
  ): Credentials => new Credentials([{ name: 'x', match, ...entry }], deps(redactor))

  test('is sent as it is, its name in small letters, and is redacted', async () => {
    const redactor = new Redactor()
    expect(await open({ bearer: '${env:TOKEN}' }, redactor).authorization(at)).toEqual({
      authorization: 'Bearer from-environment',
    })
    expect(await open({ header: { name: 'PRIVATE-TOKEN', value: 'a b-c3' } }, redactor).authorization(at)).toEqual({
      'private-token': 'a b-c3',
    })
    expect(redactor.redact('from-environment, a b-c3')).toBe('(redacted), (redacted)')
  })

  test.each(['line\nbreak', 'nul\0', 'ünïcode', ' begins with a space', 'ends with one '])(
    'is refused where no header could carry its value: %j',
    async (value) => {
      const error = await open({ bearer: value })
        .authorization(at)
        .catch((caught: unknown) => caught)
      expect(error).toMatchObject({ name: 'Unavailable', code: 'source/credential-unreadable' })
      const says = 'Cannot read the credential "x": The value contains characters that are invalid in a header.'
      expect(error).toMatchObject({ message: says })
      expect(describeError(error)).toBe(says)
    },
  )

  test('may be used to push only where it says so, and where it goes', () => {
    expect(open({ bearer: 'abc' }).push(at)).toBe(false)
    expect(open({ bearer: 'abc', push: true }).push(at)).toBe(true)
    expect(open({ bearer: 'abc', push: true }).push('https://github.com/other/boards.git')).toBe(false)
  })
})
