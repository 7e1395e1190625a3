// What the store read is known until somebody writes it.
import Database from 'better-sqlite3'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SqliteFile } from '../../src/store/sqlite/file/sqlite-file.js'
import { WriteWatch } from '../../src/store/sqlite/file/write-watch.js'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { openNewStore } from '../new-data-directory.js'
import { fill } from './filled-store.js'

let directory: string
let store: SqliteStore
let stack: string
const path = (): string => join(directory, 'gitmoor.db')
const id = '0'.repeat(16)

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-store-'))
  store = openNewStore(path(), new ManualClock())
  await fill(store, 0, 2)
  stack = (await store.stacks.get('s0'))!.id
})
afterEach(() => {
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

const ownership = () => store.ownership.of(stack)
const document = async () => (await store.documents.byIds('main', 'Bucket', [id])).get(id)

/** Writes with a connection of its own, as a person with the sqlite3 shell does. */
function writeElsewhere(sql: string): void {
  const other = new Database(path())
  other.exec(sql)
  other.close()
}

test('ownership is read once, until something of the stack is written', async () => {
  const before = await ownership()
  expect(await ownership()).toBe(before)
  await store.stacks.delete((await store.stacks.get('s1'))!.id)
  expect(await ownership()).toBe(before)
  await store.stacks.delete(stack)
  expect(await ownership()).toEqual(new Map())
})

test('ownership that another process wrote is read again', async () => {
  expect([...(await ownership()).values()]).toMatchObject([{ adopted: false }])
  writeElsewhere('update owned set adopted = 1')
  expect([...(await ownership()).values()]).toMatchObject([{ adopted: true }])
})

test('a document is read once, until it is written', async () => {
  const before = await document()
  expect(await document()).toBe(before)
  await store.documents.insert('main', 'Bucket', { id: 'other', key: 'other', state: {}, links: [] })
  expect(await document()).toBe(before)
  await store.documents.replace('main', 'Bucket', { id, key: 'b0', state: { name: 'new' }, links: [] })
  expect(await document()).toMatchObject({ state: { name: 'new' } })
  await store.documents.remove('main', 'Bucket', id)
  expect(await document()).toBeUndefined()
})

test('a document that another process wrote is read again', async () => {
  await document()
  writeElsewhere(`update documents set state = '{"name":"new"}'`)
  expect(await document()).toMatchObject({ state: { name: 'new' } })
})

test('what is written while it is read is not kept', async () => {
  const reading = document()
  await store.documents.replace('main', 'Bucket', { id, key: 'b0', state: { name: 'new' }, links: [] })
  await reading
  expect(await document()).toMatchObject({ state: { name: 'new' } })
})

test('a write of any kind is noticed, with the row before and after it', () => {
  const file = join(directory, 'watched.db')
  const seen: string[] = []
  const watched = new SqliteFile(file, {
    keepDerived: (database) => {
      database.exec('create table things (name text)')
      const watch = new WriteWatch(database, { table: 'things', columns: ['name'] }, (name) => seen.push(name))
      database.exec(`insert into things values ('one'); update things set name = 'two'; delete from things`)
      expect(watch.writes).toBe(4)
      return () => {}
    },
  })
  watched.close()
  expect(seen).toEqual(['one', 'one', 'two', 'two'])
})
