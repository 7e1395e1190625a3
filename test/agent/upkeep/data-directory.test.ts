import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { machineChecks } from '../../../src/agent/upkeep/machine-checks.js'
import {
  adminToken,
  formerStart,
  lockAlone,
  openDataDirectory,
  writeAgentFile,
} from '../../../src/agent/upkeep/data-directory.js'
import { describeError, Refused } from '../../../src/model/errors.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gitmoor-data-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function failing(directory: string): string {
  try {
    openDataDirectory(directory)
  } catch (error) {
    return describeError(error)
  }
  throw new Error('It could be used.')
}

test('it is created with all folders above it, for its owner only', () => {
  openDataDirectory(join(root, 'a', 'b'))
  expect([join(root, 'a'), join(root, 'a', 'b')].map((folder) => statSync(folder).mode & 0o777)).toEqual([0o700, 0o700])
})

test('another file at its place is reported once, and left as it is', () => {
  const file = join(root, 'file')
  writeFileSync(file, 'x', { mode: 0o644 })
  expect(failing(file)).toBe(`The data directory ${file} cannot be used: it is not a directory`)
  expect(failing(join(file, 'below')).match(/a part of its path is not a directory/g)).toHaveLength(1)
  expect(statSync(file).mode & 0o777).toBe(0o644)
})

test('it fails at once if nothing can be created', () => {
  expect(failing('/proc/gitmoor/data').match(/no such file or directory/g)).toHaveLength(1)
})

const started = { listen: undefined, log: undefined, directory: '/', startedAt: '2026-11-23T03:44:56.128Z' }
const facts = { url: 'http://127.0.0.1:1', token: 'x', pid: 1, version: '0', ...started }

test('how the last agent with a configuration file was started is known until another one has a file', () => {
  const former = { data: root, config: '/etc/a.yaml', listen: '127.0.0.1:4471', directory: '/srv' }
  expect(formerStart(root)).toBeUndefined()
  writeAgentFile(root, { ...facts, ...former, former: undefined })
  expect(formerStart(root)).toEqual(former)
  writeAgentFile(root, { ...facts, config: undefined, former })
  expect(formerStart(root)).toEqual(former)
  writeAgentFile(root, { ...facts, config: '/etc/b.yaml', former: undefined })
  expect(formerStart(root)).toEqual({ data: root, config: '/etc/b.yaml', directory: '/' })
  writeFileSync(join(root, 'agent.json'), JSON.stringify({ ...facts, formerConfig: '/etc/old.yaml' }))
  expect(formerStart(root)).toMatchObject({ config: '/etc/old.yaml' })
  writeFileSync(join(root, 'agent.json'), 'not JSON')
  expect(formerStart(root)).toBeUndefined()
})

describe('a directory that another agent uses', () => {
  const locked = new Refused('locked', 'Another gitmoor agent uses it.', { code: 'store/locked' })

  function refusalOf(error: Error): unknown {
    try {
      lockAlone(root, () => {
        throw error
      })
    } catch (thrown) {
      return thrown
    }
    throw new Error('It was locked.')
  }

  test.each([
    ['/etc/a.yaml', 'with --config /etc/a.yaml'],
    [undefined, 'without --config'],
  ])('is refused with the process, since when it runs, its address and its file: %s', (config, start) => {
    writeAgentFile(root, { ...facts, pid: process.ppid, config, former: undefined })
    expect(refusalOf(locked)).toMatchObject({
      status: 'locked',
      code: 'store/locked',
      message: `Another gitmoor agent uses ${root}: process ${process.ppid}, since 2026-11-23T03:44:56Z, at http://127.0.0.1:1, ${start}.`,
      hint: `Use it: gitmoor stack list --data ${root}\nOr stop it: kill ${process.ppid}\nOr choose another directory with --data.`,
    })
  })

  test('is refused without them while agent.json is that of an ended process', () => {
    expect(refusalOf(locked)).toBe(locked)
    // No process has this id: it is beyond the largest that Linux gives.
    writeAgentFile(root, { ...facts, pid: 4_194_305, config: undefined, former: undefined })
    expect(refusalOf(locked)).toBe(locked)
    writeAgentFile(root, { ...facts, pid: process.pid, config: undefined, former: undefined })
    expect(refusalOf(locked)).toBe(locked)
  })

  test('is not blamed for another error', () => {
    writeAgentFile(root, { ...facts, pid: process.pid, config: undefined, former: undefined })
    const other = new Error('no space')
    expect(refusalOf(other)).toBe(other)
  })
})

const isRoot = process.geteuid?.() === 0

/** A directory that somebody else prepared. */
function prepared(prepare: (directory: string) => void): string {
  const directory = join(root, 'data')
  mkdirSync(directory, { mode: 0o700 })
  prepare(directory)
  return directory
}

const foreign: Readonly<Record<string, { readonly prepare: (directory: string) => void; readonly says: string }>> = {
  'a user other than its own and root owns': {
    prepare: (directory) => chownSync(directory, 4321, 0),
    says: 'belongs to user 4321',
  },
  'every user can write to': {
    prepare: (directory) => chmodSync(directory, 0o777),
    says: 'is writable for every user',
  },
  'a group other than its own can write to': {
    prepare: (directory) => (chownSync(directory, 0, 4321), chmodSync(directory, 0o770)),
    says: 'is writable for group 4321',
  },
}

test.runIf(isRoot).each(Object.entries(foreign))(
  'refuses a data directory that %s, and so does the doctor',
  async (_, { prepare, says }) => {
    const directory = prepared(prepare)
    expect(failing(directory)).toContain(says)
    expect(statSync(directory).mode & 0o777).not.toBe(0)
    const checks = await machineChecks({ data: directory, integrity: () => Promise.resolve([]), searchPath: '' })
    expect(checks.find(({ name }) => name === 'data')).toMatchObject({
      message: expect.stringContaining(says) as string,
      next: `chown -R 0 ${directory} && chmod 700 ${directory}`,
    })
  },
)

test.runIf(isRoot)('takes a data directory that its own group can write to', () => {
  const directory = prepared((made) => chmodSync(made, 0o770))
  expect(() => openDataDirectory(directory)).not.toThrow()
})

test.each(['git', 'url', 'copies', 'restoring'])('refuses a data directory in which %s is a link', (name) => {
  const elsewhere = join(root, 'elsewhere')
  mkdirSync(elsewhere)
  writeFileSync(join(elsewhere, 'letter'), 'x')
  const directory = prepared((made) => symlinkSync(elsewhere, join(made, name)))
  expect(failing(directory)).toContain(`${join(directory, name)} is a symbolic link`)
  expect(readdirSync(elsewhere)).toEqual(['letter'])
})

test.each(['key', 'gitmoor.db', 'reads.json'])('refuses a data directory in which %s is a pipe', (name) => {
  const directory = prepared((made) => void execFileSync('mkfifo', [join(made, name)]))
  expect(failing(directory)).toBe(`${join(directory, name)} is a pipe, not a regular file.`)
})

test.each(['key', 'agent.json', 'reads.json'])('refuses a data directory in which %s is a folder', (name) => {
  const directory = prepared((made) => mkdirSync(join(made, name)))
  expect(failing(directory)).toBe(`${join(directory, name)} is a folder, not a regular file.`)
})

test('makes the token once, without a leading hyphen that command lines take for an option, and keeps it', () => {
  const token = adminToken(root)
  expect(token).toMatch(/^[0-9a-f]{64}$/)
  expect(adminToken(root)).toBe(token)
})

test('an error of a token on a full disk names the disk', () => {
  symlinkSync('/dev/full', join(root, `token.${process.pid}.new`))
  expect(() => adminToken(root)).toThrow(
    expect.objectContaining({
      code: 'data/unusable',
      hint: `The disk is full. Free space on the disk of ${root}, then start the agent again.`,
    }) as Error,
  )
  expect(readdirSync(root)).toEqual([])
})

describe('refuses a token file that', () => {
  const short = 'a token has at least 32 ASCII characters and no spaces'
  test.each<readonly [string, (file: string) => void, string]>([
    ['is empty', (file) => writeFileSync(file, ''), `has 0 characters; ${short}`],
    ['is blank', (file) => writeFileSync(file, ' \n'), `has 0 characters; ${short}`],
    ['is too short', (file) => writeFileSync(file, `${'x'.repeat(31)}\n`), `has 31 characters; ${short}`],
    [
      'has two lines',
      (file) => writeFileSync(file, `${'x'.repeat(20)}\n${'y'.repeat(20)}\n`),
      `has 41 characters; ${short}`,
    ],
    ['is a FIFO', (file) => execFileSync('mkfifo', [file]), 'cannot be read: it is not a regular file'],
  ])('%s', (_, make, reason) => {
    const file = join(root, 'token')
    make(file)
    const refused = {
      code: 'data/token',
      message: `The token file ${file} ${reason}.`,
      hint: expect.stringContaining('delete it') as string,
    }
    expect(() => adminToken(root)).toThrow(expect.objectContaining(refused) as Error)
  })
})
