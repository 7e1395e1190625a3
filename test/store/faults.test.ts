// Faults of the machine below the database: another program, files that may not be written, a process that is killed.
import Database from 'better-sqlite3'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../../src/store/sqlite/tables/migrations.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { refusal } from '../e2e/refusal.js'
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

describe('while another program locks the database', () => {
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

  test('a write that waits too long fails as unavailable; reads continue, nothing is lost, and the next write succeeds', async () => {
    using store = new SqliteStore(file, clock, { busyMs: 50 })
    await fill(store, 0, 2)
    const other = hold()
    expect(await refusal(fill(store, 2, 3))).toMatchObject({
      code: 'store/busy',
      hint: expect.stringContaining('continues by itself') as string,
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
    expect(store.startEvents.map(({ code }) => code)).toEqual(['store/upgraded'])
    const path = /kept in (.*)\.$/.exec(store.startEvents[0]!.message)![1]!
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
    const killed = spawnSync(process.execPath, [
      '-e',
      killedHalfway,
      createRequire(import.meta.url).resolve('better-sqlite3'),
      file,
      later,
    ])
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
