// What comes too late, or for nothing.
import Database from 'better-sqlite3'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Change } from '../../src/model/resources/change.js'
import type { RunLease } from '../../src/model/stacks/run.js'
import type { Stack } from '../../src/model/stacks/stack.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import type { Owned } from '../../src/model/resources/resource.js'
import { SqliteFile } from '../../src/store/sqlite/file/sqlite-file.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { beginStep } from '../begin-step.js'
import { openNewStore } from '../new-data-directory.js'

let directory: string
let store: SqliteStore
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-late-'))
  store = openNewStore(join(directory, 'gitmoor.db'), new ManualClock())
})
afterEach(() => {
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

async function create(name: string): Promise<{ readonly stack: Stack; readonly lease: RunLease }> {
  const sources = [{ kind: 'git', url: 'https://example.com/x', ref: 'main', path: '' }] as const
  const made = await store.stacks.create(
    { name, ...stackDefaults, sources },
    { managedBy: 'api', target: 'embedded/main', cause: { kind: 'created' } },
  )
  return { stack: made.stack, lease: (await store.runs.takeLease(made.run)).lease }
}

const change = {
  address: 'Bucket/raw',
  kind: 'Bucket',
  action: 'create',
  fields: [],
  reason: 'added',
  needs: [],
  after: [],
} as unknown as Change
const record = (more: Partial<Owned> = {}): Owned =>
  ({
    address: 'Bucket/raw',
    kind: 'Bucket',
    identity: '00aa',
    applied: {},
    needs: [],
    adopted: false,
    ...more,
  }) as Owned

describe('a stack that was deleted meanwhile', () => {
  test('owns nothing more, and is deleted again without an error', async () => {
    const { stack, lease } = await create('boards')
    const entry = await beginStep(store.journal, lease, change)
    await store.stacks.delete(stack.id)
    await store.stacks.delete(stack.id)
    await expect(store.journal.recordProgress(lease, entry, { state: 'done', own: [record()] })).rejects.toMatchObject({
      name: 'LeaseLost',
      code: 'store/stack-gone',
      message: 'The stack was deleted in the meantime.',
    })
  })

  test('leaves what it shared to its owner', async () => {
    const [one, two] = [await create('one'), await create('two')]
    for (const [{ lease }, more] of [
      [one, {}],
      [two, { shared: true }],
    ] as const)
      await store.journal.recordProgress(lease, await beginStep(store.journal, lease, change), {
        state: 'done',
        own: [record(more)],
      })
    await store.stacks.delete(two.stack.id)
    expect([...(await store.ownership.of(one.stack.id)).values()]).toMatchObject([
      { address: 'Bucket/raw', identity: '00aa' },
    ])
    expect((await store.ownership.of(one.stack.id)).get('Bucket/raw' as never)?.shared).toBeUndefined()
  })
})

describe('an empty change', () => {
  test('succeeds, of a stack and of a journal entry', async () => {
    const { stack, lease } = await create('boards')
    const entry = await beginStep(store.journal, lease, change)
    const before = [await store.stacks.get('boards'), await store.journal.openEntries(stack.id)]
    await store.stacks.change(stack.id, {})
    await store.journal.recordProgress(lease, entry, {})
    expect([await store.stacks.get('boards'), await store.journal.openEntries(stack.id)]).toEqual(before)
  })

  test.each(['', '0', '-1', '1.5', 'x', '1'.repeat(17), '999'])('is a run named %j, for there is none', async (id) => {
    await create('boards')
    expect(await store.runs.get(id)).toBeUndefined()
  })
})

test('a database that was closed has a fault, and one that is open has none', async () => {
  expect(await store.whyUnwritable()).toBeUndefined()
  const closed = new SqliteStore(join(directory, 'other.db'), new ManualClock())
  closed[Symbol.dispose]()
  expect(await closed.whyUnwritable()).toContain('not open')
})

describe('a write', () => {
  test('that the database refuses fails with a message, and the others of its commit are done', async () => {
    const file = new SqliteFile(join(directory, 'other.db'))
    const work = (text: string): Promise<unknown> => file.write(() => file.run(sql.raw(text)))
    const refused = expect(work('insert into missing values (1)')).rejects.toMatchObject({
      name: 'Unavailable',
      code: 'store/failed',
      message: 'The database failed: no such table: missing.',
    })
    await work('create table other (a)')
    await refused
    expect(file.all(sql`select * from other`)).toEqual([])
    file.close()
  })

  test('that another process blocks fails, and succeeds later', async () => {
    const path = join(directory, 'other.db')
    const file = new SqliteFile(path, { busyMs: 50 })
    const other = new Database(path)
    other.exec('begin immediate')
    const write = (): Promise<unknown> => file.write(() => file.run(sql.raw('create table other (a)')))
    await expect(write()).rejects.toMatchObject({
      name: 'Unavailable',
      code: 'store/busy',
    })
    other.close()
    await write()
    file.close()
  })

  test('of more different statements than are remembered is done like any other', () => {
    const file = new SqliteFile(join(directory, 'other.db'))
    const sums = Array.from(
      { length: 600 },
      (_, i) => file.get(sql<{ n: number }>`select ${sql.raw(String(i))} as n`)?.n,
    )
    expect(sums).toEqual(Array.from({ length: 600 }, (_, i) => i))
    file.close()
  })
})
