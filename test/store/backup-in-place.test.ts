// A backup that somebody put in place of the live database: its label, with key and token, must not stay in it.
import Database from 'better-sqlite3'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { writeLabel } from '../../src/store/sqlite/backup/backup-label.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { refusal } from '../e2e/refusal.js'
import { ManualClock } from '../manual-clock.js'
import { never } from '../source/git-world.js'
import { fill, names, picture } from './filled-store.js'

const secrets = { key: Buffer.from('the key of this data directory..'), token: 'the-token-of-this-data-directory' }

let directory: string
let file: string
let clock: ManualClock

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-placed-'))
  file = join(directory, 'gitmoor.db')
  clock = new ManualClock()
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

async function withStore<T>(work: (store: SqliteStore) => Promise<T>): Promise<T> {
  using store = new SqliteStore(file, clock)
  return await work(store)
}

/** Two stacks; a backup of them with key and token is put in place of the database. */
async function placeBackup(): Promise<void> {
  const taken = join(directory, 'taken')
  await withStore(async (store) => {
    await fill(store, 0, 2)
    await using backup = await store.copies.backup({ version: '1', secrets }, never)
    copyFileSync(backup.path, taken)
  })
  for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  copyFileSync(taken, file)
  rmSync(taken)
  clock.advance(60_000)
}

/** The files of the data directory that contain the key or the token. */
function filesWithSecrets(): readonly string[] {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = names.map((entry) => join(entry.parentPath, entry.name))
  return paths.filter((path) => [secrets.key, secrets.token].some((secret) => readFileSync(path).includes(secret)))
}

describe('a backup in place of the database', () => {
  test('leaves no trace of its key and token, and does not use them', async () => {
    await placeBackup()
    expect(filesWithSecrets()).toEqual([file])
    await withStore(async (store) => {
      expect(filesWithSecrets()).toEqual([])
      expect((await picture(store)).stacks).toEqual(names(2))
      await store.copies.make({ kept: 3, everyMs: 0 }, never)
    })
    expect(filesWithSecrets()).toEqual([])
    expect([existsSync(join(directory, 'key')), existsSync(join(directory, 'token'))]).toEqual([false, false])
  })

  test('can be backed up again', async () => {
    await placeBackup()
    await withStore(async (store) => {
      await using backup = await store.copies.backup({ version: '2' }, never)
      const database = new Database(backup.path, { readonly: true })
      const labels = database.prepare('select made_at, version, key from backup').all()
      database.close()
      expect(labels).toEqual([{ made_at: clock.now(), version: '2', key: null }])
    })
  })

  test('is reported once; every stack polls its source and reads its target first', async () => {
    await placeBackup()
    const made = new Date(clock.now() - 60_000).toISOString()
    await withStore(async (store) => {
      const message = expect.stringContaining(`A backup of ${made} was put in place of the database.`) as string
      expect(store.startEvents).toMatchObject([{ code: 'store/restored', message }])
      const stacks = await store.stacks.list({ limit: 9 })
      const newest = await Promise.all(
        stacks.map(async ({ id }) => (await store.runs.list(id, { limit: 1 }))[0]?.cause),
      )
      const cause = { kind: 'recovery', note: `a backup of ${made} was put in place` }
      expect(newest).toMatchObject([cause, cause])
    })
    await withStore((store) => Promise.resolve(expect(store.startEvents).toEqual([])))
  })

  test('that a version before used as it is loses its label at the next start, also from the log', async () => {
    await placeBackup()
    const database = new Database(file)
    database.pragma('journal_mode = WAL')
    database.exec("update backup set version = '3'")
    copyFileSync(`${file}-wal`, join(directory, 'log'))
    copyFileSync(file, join(directory, 'kept'))
    database.close() // it would remove the log
    copyFileSync(join(directory, 'kept'), file)
    copyFileSync(join(directory, 'log'), `${file}-wal`)
    for (const name of ['kept', 'log']) rmSync(join(directory, name))
    expect(filesWithSecrets()).toContain(`${file}-wal`)
    await withStore(() => Promise.resolve(expect(filesWithSecrets()).toEqual([])))
  })

  test('of an older version: the copy that the upgrade keeps has no key either', async () => {
    const database = new Database(file)
    database.exec(readFileSync('fixtures/databases/version-1.sql', 'utf8'))
    database.close()
    writeLabel(file, { version: '1', secrets, madeAt: clock.now() })
    await withStore(async (store) => {
      expect(store.startEvents.map(({ code }) => code)).toContain('store/upgraded')
      expect(readdirSync(join(directory, 'copies'))).toHaveLength(1)
      expect(filesWithSecrets()).toEqual([])
      expect((await picture(store)).stacks).toHaveLength(3)
    })
  })

  test('of a newer version is refused unchanged', async () => {
    await placeBackup()
    new Database(file).exec('pragma user_version = 99').close()
    const before = readFileSync(file)
    const said = await refusal(Promise.resolve().then(() => withStore(() => Promise.resolve())))
    expect(said).toMatchObject({ code: 'store/newer' })
    expect(readFileSync(file).equals(before)).toBe(true)
  })
})

test('a copy that has a label already gets a new one', () => {
  mkdirSync(join(directory, 'copies'))
  const path = join(directory, 'copies', 'copy.db')
  writeLabel(path, { version: '1', secrets, madeAt: 1 })
  writeLabel(path, { version: '2', madeAt: 2 })
  expect(filesWithSecrets()).toEqual([])
  const database = new Database(path, { readonly: true })
  expect(database.prepare('select made_at, version from backup').all()).toEqual([{ made_at: 2, version: '2' }])
  database.close()
})
