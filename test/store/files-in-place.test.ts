// Files that go away under an open database, and a disk that takes nothing.
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SyncError } from '../../src/model/errors.js'
import { whyDiskFull } from '../../src/store/sqlite/file/disk-space.js'
import { unusable } from '../../src/store/sqlite/file/sqlite-error.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { lockDirectory } from '../../src/store/sqlite/file/lock-directory.js'
import { ManualClock } from '../manual-clock.js'
import { openNewStore } from '../new-data-directory.js'
import { fill, names, picture } from './filled-store.js'

let root: string
let data: string
let file: string
let store: SqliteStore
let reported: Error[]

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'gitmoor-placed-'))
  data = mkdtempSync(join(root, 'data-'))
  file = join(data, 'gitmoor.db')
  writeFileSync(join(data, 'lock.db'), '')
  reported = []
  store = openNewStore(file, new ManualClock(), { onDamage: (error) => reported.push(error) })
  await fill(store, 0, 2)
})
afterEach(() => {
  store[Symbol.dispose]()
  rmSync(root, { recursive: true, force: true })
})

const losses: Readonly<Record<string, readonly [() => void, string]>> = {
  'the database is removed': [() => rmSync(file), 'gitmoor.db was removed'],
  'the log is removed': [() => rmSync(`${file}-wal`), 'gitmoor.db-wal was removed'],
  'the lock is removed': [() => rmSync(join(data, 'lock.db')), 'lock.db was removed'],
  'the data directory is removed': [() => rmSync(data, { recursive: true }), 'was removed'],
  'the data directory is moved away': [() => renameSync(data, join(root, 'moved')), 'was removed'],
  'another database takes its place': [
    () => (copyFileSync(file, join(root, 'other')), renameSync(join(root, 'other'), file)),
    'gitmoor.db was replaced',
  ],
}

test.each(Object.entries(losses))('when %s, the store says so and calls its opener', async (_, [lose, says]) => {
  expect([await store.whyUnwritable(), reported]).toEqual([undefined, []])
  lose()
  expect(store.checkFiles()).toContain(says)
  expect(await store.whyUnwritable()).toContain('Its writes would be lost')
  expect(reported[0]).toMatchObject({ code: 'store/gone' })
})

test.each(Object.entries(losses))('when %s, the next write is refused', async (_, [lose, says]) => {
  lose()
  await expect(fill(store, 2, 3)).rejects.toMatchObject({
    code: 'store/gone',
    message: expect.stringContaining(says) as string,
  })
  expect(reported[0]).toMatchObject({ code: 'store/gone' })
})

test('a second agent that took a removed lock is the only one that writes', async () => {
  rmSync(join(data, 'lock.db'))
  using _lock = lockDirectory(data)
  using second = new SqliteStore(file, new ManualClock())
  await expect(fill(store, 2, 3)).rejects.toMatchObject({ code: 'store/gone' })
  await fill(second, 2, 3)
  expect((await picture(second)).stacks).toEqual(names(3))
})

test('a lock that another agent takes while the database is opened is noticed', async () => {
  class TakenMeanwhile extends ManualClock {
    override now(): number {
      if (existsSync(join(root, 'other'))) renameSync(join(root, 'other'), join(data, 'lock.db'))
      return super.now()
    }
  }
  store[Symbol.dispose]()
  writeFileSync(join(root, 'other'), '')
  store = new SqliteStore(file, new TakenMeanwhile())
  expect(await store.whyUnwritable()).toContain('lock.db was replaced')
})

test('a disk with less than 1 MiB left is a fault that says so', () => {
  expect(whyDiskFull('/data', { bavail: 255, bsize: 4096 })).toBe('the disk is full: /data has 1020 KiB left')
  expect(whyDiskFull('/data', { bavail: 256, bsize: 4096 })).toBeUndefined()
})

test('a start without space for the log says that the disk is full', () => {
  const error = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_SHMSIZE' })
  const hintAt = (bavail: number): unknown => (unusable(file, error, { bavail, bsize: 4096 }) as SyncError).hint
  expect(hintAt(2)).toMatch(/^The disk is full\. Free space on the disk of .*, then start the agent again\.$/)
  expect(hintAt(2_000)).toContain('must own its data directory')
})

test('after a commit that could not be written, the store tries another one before it says that it can write', async () => {
  store.limitPages(1)
  await expect(fill(store, 2, 40)).rejects.toMatchObject({ code: 'store/full' })
  const other = new Database(file)
  other.exec('begin immediate')
  const fault = store.whyUnwritable()
  await new Promise((resolve) => setTimeout(resolve, 60))
  other.exec('rollback').close()
  expect(await fault).toBeUndefined()
  expect(reported).toEqual([])
})
