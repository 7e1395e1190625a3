// Faults of the machine below the database: another program, a full disk, files that may not be written, a process that is killed.
import Database from 'better-sqlite3'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { stackDefaults } from '../../src/model/stack.js'
import { migrations } from '../../src/store/sqlite/tables.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { refusal } from '../e2e/refusal.js'
import { never } from '../source/git-world.js'
import { fill, names, picture } from './filled-store.js'

const clock = new ManualClock()
let directory: string
let file: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-faults-'))
  file = join(directory, 'gitmoor.db')
})
afterEach(() => {
  chmodSync(directory, 0o700)
  rmSync(directory, { recursive: true, force: true })
})

/** Another program that holds the database. */
function hold(): Database.Database {
  const other = new Database(file)
  other.exec('begin immediate')
  return other
}

describe('while another program holds the database', () => {
  test('a write waits without blocking, and goes through when it is let go', async () => {
    using store = new SqliteStore(file, clock)
    const other = hold()
    const written = fill(store, 0, 1)
    const order: string[] = []
    void written.then(() => order.push('written'))
    await new Promise((resolve) => setTimeout(resolve, 60))
    order.push('something else')
    other.exec('commit').close()
    await written
    expect(order).toEqual(['something else', 'written'])
  })

  test('a write fails as unavailable when that takes too long; reads go on, nothing is lost, and the next write goes through', async () => {
    using store = new SqliteStore(file, clock, { busyMs: 50 })
    await fill(store, 0, 2)
    const other = hold()
    expect(await refusal(fill(store, 2, 3))).toMatchObject({
      code: 'store/busy',
      hint: expect.stringContaining('goes on') as string,
    })
    expect((await picture(store)).stacks).toEqual(names(2))
    other.exec('rollback').close()
    await fill(store, 2, 3)
    expect((await picture(store)).stacks).toEqual(names(3))
  })

  test('an agent that starts says so', async () => {
    new SqliteStore(file, clock)[Symbol.dispose]()
    const other = new Database(file)
    other.pragma('locking_mode = EXCLUSIVE')
    other.exec('begin exclusive')
    expect(await refusal(Promise.resolve().then(() => new SqliteStore(file, clock)))).toMatchObject({
      code: 'store/unusable',
      hint: expect.stringContaining('has gitmoor.db open') as string,
    })
    other.close()
  }, 20_000)
})

describe('on a full disk', () => {
  test('every write is refused in words, takes nothing with it, and goes through when there is room', async () => {
    using store = new SqliteStore(file, clock)
    await fill(store, 0, 3)
    const before = await picture(store)
    const { id } = (await store.stacks.get('s0'))!
    const run = await store.runs.add({ stack: id, revision: 'main@sha1:2', cause: { kind: 'commit' } })
    const much = 'x'.repeat(200_000)
    const change = {
      address: 'Bucket/b0',
      kind: 'Bucket',
      action: 'create',
      fields: [{ path: 'd', new: much }],
      reason: 'edited',
      needs: [],
      after: [],
    } as never
    const plan = { stack: id, target: 't', revision: 'r', changes: [], unchanged: 0, held: [], digest: incompressible(200_000) }
    const problems = [{ severity: 'error', code: 'x', message: much } as const]
    const writes: Readonly<Record<string, () => Promise<unknown>>> = {
      create: () => store.stacks.create({ ...specOf(much) }, { managedBy: 'api', target: 't', cause: { kind: 'created' } }),
      change: () => store.stacks.change(id, { failure: { reason: 'x', code: 'x', message: much, retry: 'soon' } }),
      observe: () => store.runs.observe([], [{ remote: much, ref: 'r', from: null, to: null, seenAt: 1, learnt: 'poll' }]),
      savePlan: () => store.runs.savePlan(run.id, plan, { create: 0, update: 0, remove: 0, unchanged: 0 }),
      begin: () => store.journal.begin(id, run.id, change, {}),
      turn: () => store.journal.turn(id, run.id, { problems, failure: null }),
      settle: () => store.journal.settle(id, run.id, { outcome: 'failed', problems, failure: null }),
      insert: () => store.documents.insert('main', 'Bucket', { id: 'ff', key: 'ff', held: { much }, links: [] }),
    }
    store.limitPages(1)
    for (const [name, write] of Object.entries(writes))
      expect([name, (await refusal(write())) as object]).toMatchObject([name, { code: 'store/full' }])
    expect(await picture(store)).toEqual(before)
    store.limitPages(1_000_000)
    for (const write of Object.values(writes)) await write()
    expect((await store.runs.get(run.id))?.outcome).toBe('failed')
  })

  test('a copy that finds no room leaves nothing behind', async () => {
    using store = new SqliteStore(file, clock)
    await fill(store, 0, 1)
    writeFileSync(join(directory, 'copies'), 'where the copies go is a file')
    await expect(store.copies.make(3, never)).rejects.toThrow()
    expect((await picture(store)).stacks).toEqual(names(1))
  })
})

const readOnly: Readonly<Record<string, () => void>> = {
  'a database that may only be read': () => chmodSync(file, 0o400),
  'a data directory that may only be read': () => chmodSync(directory, 0o500),
}

test.each(Object.entries(readOnly))('%s is refused with what to do, and is no damage', async (_, forbid) => {
  {
    using store = new SqliteStore(file, clock)
    await fill(store, 0, 1)
  }
  forbid()
  const opened = Promise.resolve().then(() => asNobody(() => new SqliteStore(file, clock)))
  expect(await refusal(opened)).toMatchObject({
    code: 'store/unusable',
    hint: expect.stringContaining('must own its data directory') as string,
  })
})

/** Root may write anything: such a test is done as somebody else. */
function asNobody<T>(work: () => T): T {
  if (process.geteuid?.() !== 0) return work()
  for (const path of [directory, file]) chownSync(path, nobody, nobody)
  process.seteuid!(nobody)
  try {
    return work()
  } finally {
    process.seteuid!(0)
  }
}

const nobody = 65_534

describe('an upgrade', () => {
  beforeEach(() => {
    const database = new Database(file)
    database.exec(readFileSync('fixtures/databases/version-1.sql', 'utf8'))
    database.close()
  })

  test('keeps a copy of how it was before', async () => {
    using store = new SqliteStore(file, clock)
    expect(store.news.map(({ code }) => code)).toEqual(['store/upgraded'])
    const path = /kept in (.*)\.$/.exec(store.news[0]!.message)![1]!
    const copy = new Database(path, { readonly: true })
    expect(copy.pragma('user_version', { simple: true })).toBe(1)
    expect(copy.prepare('select count(*) from stacks').pluck().get()).toBe(3)
    copy.close()
    expect(await store.copies.newest()).toBe(clock.now())
  })

  test('that fails leaves the file as it was, and says where the copy is', async () => {
    const before = new Database(file)
    before.exec('create table notices (something text)')
    before.close()
    const said = await refusal(Promise.resolve().then(() => new SqliteStore(file, clock)))
    expect(said).toMatchObject({
      code: 'store/upgrade-failed',
      hint: expect.stringContaining(join(directory, 'copies')) as string,
    })
    const after = new Database(file)
    expect(after.pragma('user_version', { simple: true })).toBe(1)
    expect(after.prepare("select count(*) from runs where plan like '{%'").pluck().get()).toBe(3)
    after.exec('drop table notices')
    after.close()
    using store = new SqliteStore(file, clock)
    expect((await store.stacks.list({ limit: 10 })).length).toBe(3)
  })

  test('that is killed before its end is done again', async () => {
    const later = join(directory, 'later.sql')
    writeFileSync(later, 'alter table owned add column changed text; update runs set plan = null; delete from stacks;')
    const killed = spawnSync(process.execPath, ['-e', killedHalfway, createRequire(import.meta.url).resolve('better-sqlite3'), file, later])
    expect(killed.signal).toBe('SIGKILL')
    using store = new SqliteStore(file, clock)
    expect((await store.stacks.list({ limit: 10 })).map(({ spec }) => spec.name)).toEqual(['boards', 'fresh', 'waits'])
    expect((await store.runs.get('1'))?.plan).toMatchObject({ changes: [{ address: 'Bucket/raw' }] })
    expect(migrations.length).toBeGreaterThan(1)
  })
})

/** A migration whose process ends before it commits, with its pages pushed out to the disk. */
const killedHalfway = `
const [driver, file, later] = process.argv.slice(1)
const database = new (require(driver))(file)
database.pragma('journal_mode = WAL')
database.pragma('cache_size = 1')
database.exec('begin immediate')
database.exec(require('node:fs').readFileSync(later, 'utf8'))
process.kill(process.pid, 'SIGKILL')
`

function specOf(name: string): Parameters<SqliteStore['stacks']['create']>[0] {
  return { name, ...stackDefaults, sources: [{ kind: 'git', url: 'https://example.com/x', ref: 'main', path: '' }] }
}

function incompressible(length: number): string {
  return randomBytes(length).toString('hex')
}
