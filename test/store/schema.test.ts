// A bit that flipped in a name of the schema: SQLite reads the file without an error, and queries fail.
import Database from 'better-sqlite3'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findDamage } from '../../src/store/sqlite/file/database-file.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { migrations } from '../../src/store/sqlite/tables/migrations.js'
import { schemaDamage, tableColumns } from '../../src/store/sqlite/tables/schema.js'
import { migrateTo } from '../../src/store/sqlite/tables/upgrade.js'
import { ManualClock } from '../manual-clock.js'
import { fill, names, picture } from './filled-store.js'

let directory: string
let file: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-schema-'))
  file = join(directory, 'gitmoor.db')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function columnsOf(database: Database.Database): Readonly<Record<string, string>> {
  const tables = database
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .pluck()
    .all() as readonly string[]
  const columns = (table: string): string =>
    (database.pragma(`table_info(${table})`) as readonly { readonly name: string }[]).map(({ name }) => name).join(' ')
  return Object.fromEntries(tables.map((table) => [table, columns(table)]))
}

test('the expected schema is the one that the migrations make', () => {
  const database = new Database(':memory:')
  migrateTo(database, migrations.length)
  expect(columnsOf(database)).toEqual(tableColumns)
  database.close()
})

test('an upgraded database of version 1 and a backup with its label have no damage', () => {
  new Database(file).exec(readFileSync('fixtures/databases/version-1.sql', 'utf8')).close()
  expect(findDamage(file)).toBe(undefined)
  new SqliteStore(file, new ManualClock())[Symbol.dispose]()
  const database = new Database(file)
  expect(schemaDamage(database)).toBe(undefined)
  database.exec('create table backup (made_at integer)')
  expect(schemaDamage(database)).toBe(undefined)
  database.close()
})

test('drift of an older database is as old as the check that found it', () => {
  const database = new Database(':memory:')
  const before = migrations.findIndex((one) => one.includes('drifted_since'))
  migrateTo(database, before)
  const insert = database.prepare(
    `insert into stacks (id, name, target, spec, managed_by, created_at, checked_at, drifted)
     values (@name, @name, 'local', '{}', 'api', 1, 7, @drifted)`,
  )
  for (const row of [
    { name: 'a', drifted: 2 },
    { name: 'b', drifted: 0 },
  ])
    insert.run(row)
  migrateTo(database, migrations.length)
  expect(database.prepare('select drifted_since from stacks order by name').pluck().all()).toEqual([7, null])
  database.close()
})

interface Flip {
  /** As in the schema, in lower case. */
  readonly text: string
  /** Differs by one letter. */
  readonly damaged: string
  readonly says: string
}

const flips: Readonly<Record<string, Flip>> = {
  'a column': {
    text: 'applied text, consent',
    damaged: 'appliee text, consent',
    says: 'table stacks has no column applied',
  },
  'a column that an upgrade renamed': {
    text: 'event_resources text',
    damaged: 'event_resourceq text',
    says: 'table runs has no column event_resources',
  },
}

test.each(Object.entries(flips))('a flipped bit in the name of %s is repaired without a loss', async (_, flip) => {
  {
    using store = new SqliteStore(file, new ManualClock())
    await fill(store, 0, 3)
  }
  writeFileSync(file, flipped(readFileSync(file), flip))
  expect(findDamage(file)).toBe(flip.says)
  {
    using repaired = new SqliteStore(file, new ManualClock())
    expect(repaired.startEvents[0]).toMatchObject({
      code: 'store/repaired',
      message: expect.stringContaining('All rows could be read: nothing is lost.') as string,
    })
    expect(await picture(repaired)).toEqual({ stacks: names(3), owning: 3, resources: 3 })
    expect((await repaired.stacks.get('s1'))?.applied?.revision).toBe('main@sha1:1')
  }
  expect(findDamage(file)).toBe(undefined)
})

/** In all places: free space of the file may have another copy of the text. */
function flipped(bytes: Buffer, { text, damaged }: Flip): Buffer {
  const all = bytes.toString('latin1').toLowerCase()
  const letter = [...Buffer.from(text)].findIndex((byte, at) => byte !== damaged.codePointAt(at))
  expect(all).toContain(text)
  for (let at = -1; (at = all.indexOf(text, at + 1)) >= 0;) bytes.write(damaged[letter]!, at + letter, 'latin1')
  return bytes
}
