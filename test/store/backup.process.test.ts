// A database that is copied while it is written to, and a data directory that is made from the copy.
import { execFileSync } from 'node:child_process'
import Database from 'better-sqlite3'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Backups } from '../../src/agent/upkeep/backups.js'
import { adminToken } from '../../src/agent/upkeep/data-directory.js'
import type { Change } from '../../src/model/resources/change.js'
import type { FleetSpec } from '../../src/model/stacks/fleet.js'
import { openKeyring } from '../../src/secrets/keyring.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import { lockDirectory } from '../../src/store/sqlite/file/lock-directory.js'
import { restoreBackup } from '../../src/store/sqlite/backup/restore-backup.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import type { Restored } from '../../src/store/copies.js'
import { ManualClock } from '../manual-clock.js'
import { refusal } from '../e2e/refusal.js'
import { never } from '../source/git-world.js'
import { fill, names, picture } from './filled-store.js'
import { beginStep } from '../begin-step.js'

const directories = { repo: 'https://git.example/x', ref: 'stable', include: ['*'], exclude: [], name: '{path}' }
const fleet: FleetSpec = { name: 'boards', directories, template: stackDefaults, maxStacks: 100 }

const clock = new ManualClock()
let root: string
let data: string
let taken: string
let store: SqliteStore

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gitmoor-backup-'))
  data = join(root, 'data')
  taken = join(root, 'taken.db')
  mkdirSync(data)
  store = new SqliteStore(join(data, 'gitmoor.db'), clock)
})
afterEach(() => {
  store[Symbol.dispose]()
  rmSync(root, { recursive: true, force: true })
})

/** Takes a backup away, to `taken`. */
async function takeBackup(withKey = false): Promise<void> {
  openKeyring(data)
  await using backup = await new Backups({ store, data, version: '0' }).create(withKey, never)
  expect(backup.bytes).toBe(statSync(backup.path).size)
  copyFileSync(backup.path, taken)
}

/** Overwrites the first page of each table and index, but not its header. */
function overwriteTables(file: string): void {
  const database = new Database(file)
  const pages = database.prepare('select rootpage from sqlite_schema where rootpage > 1').pluck().all() as number[]
  database.close()
  const bytes = readFileSync(file)
  for (const page of pages) bytes.fill(0, (page - 1) * 4096 + 12, page * 4096)
  writeFileSync(file, bytes)
}

function restore(directory = 'restored', key?: string): Restored {
  mkdirSync(join(root, directory), { recursive: true })
  return restoreBackup(
    { file: taken, directory: join(root, directory), ...(key === undefined ? {} : { key }) },
    clock.now(),
  )
}

async function restored(directory = 'restored'): Promise<Awaited<ReturnType<typeof picture>>> {
  using again = new SqliteStore(join(root, directory, 'gitmoor.db'), clock)
  return await picture(again)
}

function update(address: string): Change {
  const change = { address, kind: 'Bucket', action: 'update', fields: [], reason: 'edited', needs: [], after: [] }
  return change as unknown as Change
}

describe('a backup', () => {
  test('has one consistent state, while others write', async () => {
    await fill(store, 0, 40)
    const writing = fill(store, 40, 60)
    await takeBackup()
    await writing
    restore()
    const { stacks, owning } = await restored()
    expect(stacks.length).toBeGreaterThanOrEqual(40)
    expect(owning).toBeLessThanOrEqual(stacks.length)
    expect((await picture(store)).stacks).toHaveLength(60)
  })

  test('leaves nothing behind after it was read or cancelled', async () => {
    await fill(store, 0, 2)
    await takeBackup()
    const stopped = AbortSignal.abort(new Error('gone'))
    await expect(store.copies.backup({ version: '0' }, stopped)).rejects.toThrow('gone')
    expect(readdirSync(join(data, 'copies'))).toEqual([])
  })

  test('is made one at a time', async () => {
    openKeyring(data)
    const backups = new Backups({ store, data, version: '0' })
    const first = await backups.create(false, never)
    expect(await refusal(backups.create(false, never))).toMatchObject({
      status: 'locked',
      code: 'agent/backup-in-progress',
    })
    await first[Symbol.asyncDispose]()
    await (await backups.create(false, never))[Symbol.asyncDispose]()
  })

  test('has key and token only on request', async () => {
    await takeBackup()
    const key = readFileSync(join(data, 'key'))
    const token = adminToken(data)
    expect([readFileSync(taken).includes(key), readFileSync(taken).includes(token)]).toEqual([false, false])
    await takeBackup(true)
    expect([readFileSync(taken).includes(key), readFileSync(taken).includes(token)]).toEqual([true, true])
  })
})

describe('a restore', () => {
  test('restores the state of the backup; every stack polls its source first', async () => {
    await fill(store, 0, 5)
    const before = await picture(store)
    await takeBackup()
    await fill(store, 5, 8)
    expect(restore()).toMatchObject({ stacks: 5, createdAt: clock.now(), withKey: false, cannotUndo: 0 })
    expect(await restored()).toEqual(before)
    using again = new SqliteStore(join(root, 'restored', 'gitmoor.db'), clock)
    expect((await again.runs.unfinished()).map(({ revision, cause }) => [revision, cause.kind])).toEqual(
      names(5).map(() => ['', 'recovery']),
    )
    expect((await again.databaseEvents.list(1))[0]?.code).toBe('store/restored')
  })

  test('counts the stacks that need the configuration file: declared by it, or by one of its fleets', async () => {
    const sources = [{ kind: 'git', url: 'https://example.com/x', ref: 'main', path: '' }] as const
    for (const [name, managedBy] of [
      ['given', 'api'],
      ['declared', 'file'],
      ['of-api', 'fleet:boards'],
      ['of-file', 'fleet:alerts'],
    ] as const)
      await store.stacks.create(
        { name, ...stackDefaults, sources },
        { managedBy, target: 'x', cause: { kind: 'created' } },
      )
    for (const [name, managedBy] of [
      ['boards', 'api'],
      ['alerts', 'file'],
    ] as const)
      await store.fleets.put({ spec: { ...fleet, name }, managedBy, declared: true })
    await takeBackup()
    expect(restore()).toMatchObject({ stacks: 4, declared: 2 })
  })

  test('restores key and token of a backup that has them, and leaves no trace of them in the database', async () => {
    await fill(store, 0, 2)
    await takeBackup(true)
    expect(restore().withKey).toBe(true)
    const at = join(root, 'restored')
    expect(readFileSync(join(at, 'key'))).toEqual(readFileSync(join(data, 'key')))
    expect(adminToken(at)).toBe(adminToken(data))
    expect(readFileSync(join(at, 'gitmoor.db')).includes(readFileSync(join(data, 'key')))).toBe(false)
    expect(readdirSync(at).map((name) => [name, statSync(join(at, name)).mode & 0o077])).toEqual([
      ['gitmoor.db', 0],
      ['key', 0],
      ['token', 0],
    ])
  })

  test('of a stack that was being applied says that it cannot be undone without the key; another key is refused', async () => {
    const sealed = openKeyring(data).seal('{}')
    await fill(store, 0, 1)
    const { id } = (await store.stacks.get('s0'))!
    const run = await store.runs.add({ stack: id, revision: 'main@sha1:2', cause: { kind: 'commit' } })
    await beginStep(store.journal, (await store.runs.takeLease(run)).lease, update('Bucket/b0'), { before: sealed })
    await takeBackup()
    writeFileSync(join(root, 'other'), Buffer.alloc(32, 1))
    expect(await refusal(Promise.resolve().then(() => restore('a', join(root, 'other'))))).toMatchObject({
      code: 'store/other-key',
    })
    expect(readdirSync(join(root, 'a'))).toEqual([])
    expect(restore('a').cannotUndo).toBe(1)
    expect(restore('b', join(data, 'key')).cannotUndo).toBe(0)
  })

  test('without the key is reported at the first start, with the stacks whose snapshots cannot be opened; stored once', async () => {
    await fill(store, 0, 2)
    const { id } = (await store.stacks.get('s1'))!
    const run = await store.runs.add({ stack: id, revision: 'main@sha1:2', cause: { kind: 'commit' } })
    await beginStep(store.journal, (await store.runs.takeLease(run)).lease, update('Bucket/b1'), {
      before: openKeyring(data).seal('{}'),
    })
    await takeBackup()
    restore()
    const reported = {
      code: 'store/lost-key',
      message: expect.stringContaining('the applies of s1 cannot be undone') as string,
    }
    for (let starts = 0; starts < 2; starts++) {
      const keyring = openKeyring(join(root, 'restored'))
      using again = new SqliteStore(join(root, 'restored', 'gitmoor.db'), clock, {
        isOurs: (sealed) => keyring.sealedHere(sealed),
      })
      expect(again.startEvents).toMatchObject([reported])
      expect((await again.databaseEvents.list(9)).map(({ code }) => code)).toEqual(['store/lost-key', 'store/restored'])
    }
    const right = openKeyring(data)
    using found = new SqliteStore(join(root, 'restored', 'gitmoor.db'), clock, {
      isOurs: (sealed) => right.sealedHere(sealed),
    })
    expect(found.startEvents).toEqual([])
  })

  test('of an older version is brought to this one', async () => {
    const database = new Database(taken)
    database.exec(readFileSync('fixtures/databases/version-1.sql', 'utf8'))
    database.close()
    expect(restore()).toMatchObject({ stacks: 3, createdAt: null })
    expect((await restored()).resources).toBe(3)
  })

  test('that was killed is begun again', async () => {
    await fill(store, 0, 2)
    await takeBackup()
    mkdirSync(join(root, 'restored', 'restoring'), { recursive: true })
    writeFileSync(join(root, 'restored', 'restoring', 'gitmoor.db'), 'half of it')
    writeFileSync(join(root, 'restored', 'key'), 'of the restore that was killed')
    restore()
    expect((await restored()).stacks).toEqual(names(2))
    expect(readdirSync(join(root, 'restored'))).not.toContain('restoring')
  })

  const refused: Readonly<Record<string, readonly [() => void, string, RegExp?]>> = {
    'a directory that is not empty': [
      () => (mkdirSync(join(root, 'restored')), writeFileSync(join(root, 'restored', 'gitmoor.db'), '')),
      'store/not-empty',
    ],
    'a text': [() => writeFileSync(taken, 'no backup\n'.repeat(1_000)), 'store/no-backup', /it is not a database\.$/],
    'an empty file': [() => writeFileSync(taken, ''), 'store/no-backup', /it is empty\.$/],
    'a directory': [() => (rmSync(taken), mkdirSync(taken)), 'store/no-backup', /: it is a directory\.$/],
    'half a backup': [
      () => writeFileSync(taken, readFileSync(taken).subarray(0, 20_480)),
      'store/backup-damaged',
      /is damaged: [^\n]*\.$/,
    ],
    'a backup of which all tables are overwritten: the first problem is shown': [
      () => overwriteTables(taken),
      'store/backup-damaged',
      /is damaged: [^\n;]{1,120} \(and (at least )?\d+ more problems\)\.$/,
    ],
    'another program’s database': [
      () => void (rmSync(taken), new Database(taken).exec('create table t (a)').close()),
      'store/no-backup',
      /it is the database of another program\.$/,
    ],
    'a backup of a newer version': [
      () => void new Database(taken).exec('pragma user_version = 99').close(),
      'store/newer',
    ],
    'a file that is not there': [() => rmSync(taken), 'store/no-backup'],
  }
  test.each(Object.entries(refused))('refuses %s', async (_, [arrange, code, message = /./]) => {
    await fill(store, 0, 3)
    await takeBackup()
    arrange()
    const said = await refusal(Promise.resolve().then(() => restore()))
    expect(said).toMatchObject({ code, hint: expect.stringMatching(/./) as string })
    expect(said.message).toMatch(message)
    expect(readdirSync(join(root, 'restored')).filter((name) => name !== 'gitmoor.db')).toEqual([])
  })
})

test('a restore with a key that is not there says so, and what to do', async () => {
  await takeBackup()
  const said = await refusal(Promise.resolve().then(() => restore('a', join(root, 'nosuch'))))
  expect(said).toMatchObject({ code: 'store/no-key', hint: expect.stringContaining('Use the file `key`') as string })
  expect(said.message).toBe(`Cannot read the key ${join(root, 'nosuch')}: no such file or directory.`)
  expect(readdirSync(join(root, 'a'))).toEqual([])
})

const notKeys: Readonly<Record<string, readonly [(path: string) => void, string]>> = {
  'is a pipe': [(path) => void execFileSync('mkfifo', [path]), 'it is not a regular file'],
  'is a device': [(path) => symlinkSync('/dev/zero', path), 'it is not a regular file'],
  'is larger than any key': [(path) => writeFileSync(path, Buffer.alloc(4097)), 'it is larger than 4 KiB'],
}
test.each(Object.entries(notKeys))('a restore with a key that %s is refused at once', async (_, [make, why]) => {
  await takeBackup()
  const key = join(root, 'odd')
  make(key)
  const said = await refusal(Promise.resolve().then(() => restore('a', key)))
  expect(said).toMatchObject({ code: 'store/no-key', message: `Cannot read the key ${key}: ${why}.` })
})

test('a restore of a pipe or a device is refused at once', async () => {
  execFileSync('mkfifo', [taken])
  expect((await refusal(Promise.resolve().then(() => restore()))).message).toContain('it is not a regular file')
  rmSync(taken)
  symlinkSync('/dev/zero', taken)
  expect((await refusal(Promise.resolve().then(() => restore()))).message).toContain('it is not a regular file')
})

test('the lock file of a directory is readable for its owner only', () => {
  const before = process.umask(0o022)
  try {
    lockDirectory(root)[Symbol.dispose]()
  } finally {
    process.umask(before)
  }
  expect(statSync(join(root, 'lock.db')).mode & 0o777).toBe(0o600)
})

describe('automatic copies', () => {
  test('are limited to the newest ones', async () => {
    const made: string[] = []
    for (let n = 0; n < 4; n++) {
      made.push(await store.copies.make({ kept: 2, everyMs: 0 }, never))
      clock.advance(60_000)
    }
    expect(readdirSync(join(data, 'copies')).map((name) => join(data, 'copies', name))).toEqual(made.slice(2))
    expect(await store.copies.newest()).toBe(clock.now() - 60_000)
    expect(statSync(made[3]!).mode & 0o077).toBe(0)
  })
})
