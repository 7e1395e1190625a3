// A disk that is full: each write that needs room is refused, leaves every table as it was, and goes through when there
// is room.
import Database from 'better-sqlite3'
import { createHash, randomBytes } from 'node:crypto'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Run, RunLease } from '../../src/model/stacks/run.js'
import type { Stack } from '../../src/model/stacks/stack.js'
import type { StackObservation } from '../../src/store/run-table.js'
import { Unavailable } from '../../src/model/errors.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import { movedTo } from './moved-channel.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { refusal } from '../e2e/refusal.js'
import { never } from '../source/git-world.js'
import { fill, names, picture } from './filled-store.js'
import { beginStep } from '../begin-step.js'
import { sampleSpec } from './sample-spec.js'

const clock = new ManualClock()
let directory: string
let file: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-full-'))
  file = join(directory, 'gitmoor.db')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** More than any page has left; compressed, it is as long. */
const much = randomBytes(100_000).toString('hex')
const problems = [{ severity: 'error', code: 'x', message: much } as const]
const change = {
  address: 'Bucket/new',
  kind: 'Bucket',
  action: 'create',
  fields: [{ path: 'd', new: much }],
  reason: 'added',
  needs: [],
  after: [],
} as never
const bucket = {
  address: 'Bucket/new',
  kind: 'Bucket',
  identity: 'ff',
  applied: { much },
  needs: [],
  adopted: false,
} as never
const document = { id: '0000000000000000', key: 'b0', state: { much }, links: [] }
const save = [{ path: 'a.yml', id: 'x', bytes: Buffer.from(much) }]
const counts = { create: 0, update: 0, remove: 0, unchanged: 0 }

interface Situation {
  readonly store: SqliteStore
  /** A stack that applied a bucket, and a run of it with an open entry. */
  readonly stack: string
  readonly polled: StackObservation['polled']
  readonly lease: RunLease
  readonly run: Run
  readonly entry: number
  /** Another one, with a run that waits. */
  readonly other: { readonly stack: string; readonly run: string }
}

async function arrange(store: SqliteStore): Promise<Situation> {
  await fill(store, 0, 2)
  const [{ id: stack, spec }, { id: other }] = (await store.stacks.list({ limit: 2 })) as [Stack, Stack]
  const polled = { sources: spec.sources, pinned: null }
  const run = await store.runs.add({ stack, revision: 'main@sha1:2', cause: { kind: 'commit' } })
  const { lease } = await store.runs.takeLease(run)
  const entry = await beginStep(store.journal, lease, { ...(change as object), fields: [] } as never)
  await store.runs.observe([{ stack: other, polled, revision: 'main@sha1:2', place: 'p', unpin: false }], [])
  const waiting = await store.runs.add({ stack: other, revision: 'main@sha1:2', cause: { kind: 'commit' } })
  return { store, stack, polled, lease, run, entry, other: { stack: other, run: waiting.id } }
}

/** A write that is stored with the next one of its lease. */
function withNext(write: (at: Situation) => Promise<unknown>): (at: Situation) => Promise<unknown> {
  return async (at) => {
    await write(at)
    await at.store.stacks.change(at.lease, {})
  }
}

const writes: Readonly<Record<string, (at: Situation) => Promise<unknown>>> = {
  'a stack is made': ({ store }) =>
    store.stacks.create(specOf(much), { managedBy: 'api', target: 't', cause: { kind: 'created' } }),
  'a stack is changed': ({ store, stack }) =>
    store.stacks.change(stack, { failure: { reason: 'x', code: 'x', message: much, retry: 'soon' } }),
  'a revision is seen': ({ store, stack, polled }) =>
    store.runs.observe(
      [{ stack, polled, revision: 'main@sha1:3', place: much, cause: { kind: 'commit' }, unpin: false }],
      [],
    ),
  'a ref moved': async ({ store }) =>
    store.runs.observe([], [await movedTo(store, { remote: much, ref: 'r' }, 'c1', 1)]),
  'runs are settled as unchanged': ({ store, other }) =>
    store.runs.settleUnchanged([{ ...other, seen: { revision: `main@sha1:${much.slice(0, 8_000)}`, content: 'c' } }]),
  'a plan begins': withNext(({ store, lease }) =>
    store.runs.attempt({
      lease,
      observed: { revision: 'main@sha1:2', content: 'c' },
      settings: 's',
      spec: sampleSpec,
      files: 'd',
      save,
    }),
  ),
  'a plan is kept': withNext(({ store, lease }) =>
    store.runs.savePlan(
      lease,
      { stack: '', target: 't', revision: much, changes: [], unchanged: 0, needsApproval: [], digest: 'd' },
      counts,
    ),
  ),
  'a run ends': ({ store, lease }) => store.runs.finish(lease, { outcome: 'failed', problems }),
  'a waiting run ends': ({ store, other }) => store.runs.endQueued(other.run, { outcome: 'failed', problems }),
  'a step begins': ({ store, lease }) => beginStep(store.journal, lease, change),
  'a step is done': ({ store, lease, entry }) =>
    store.journal.recordProgress(lease, entry, { state: 'done', own: [bucket] }),
  'an undo begins': ({ store, lease }) => store.journal.startUndo(lease, { problems, failure: null }),
  'a run is settled': ({ store, lease }) => store.journal.settle(lease, { outcome: 'failed', problems, failure: null }),
  'a resource is created': ({ store }) =>
    store.documents.insert('main', 'Bucket', { ...document, id: 'ff', key: 'ff' }),
  'a resource is changed': ({ store }) => store.documents.replace('main', 'Bucket', document),
  'a package is pushed': ({ store, stack }) => store.pushes.put(stack, { digest: 'd', files: save, by: 'ann' }),
}

test.each(Object.entries(writes))('%s: all of it or nothing', async (_, write) => {
  using store = new SqliteStore(file, clock)
  const at = await arrange(store)
  const before = contents()
  store.limitPages(1)
  const failed = write(at)
  await expect(failed).rejects.toBeInstanceOf(Unavailable)
  expect(await refusal(failed)).toMatchObject({
    code: 'store/full',
    hint: expect.stringContaining('continues by itself') as string,
  })
  expect(contents()).toEqual(before)
  store.limitPages(1_000_000)
  const { lease } = await store.runs.takeLease(at.run)
  await store.stacks.change(lease, {})
  const resumed = contents()
  await write({ ...at, lease })
  expect(contents()).not.toEqual(resumed)
})

/** A digest of every row of every table, as another program sees them. */
function contents(): Readonly<Record<string, string>> {
  const database = new Database(file, { readonly: true })
  const tables = database
    .prepare("select name from sqlite_schema where type = 'table'")
    .pluck()
    .all() as readonly string[]
  const digest = (table: string): string => {
    const rows = database.prepare(`select * from ${table}`).raw().all()
    return createHash('sha256').update(JSON.stringify(rows)).digest('hex')
  }
  const all = Object.fromEntries(tables.map((table) => [table, digest(table)]))
  database.close()
  return all
}

describe('a copy that finds no room', () => {
  test('leaves nothing behind', async () => {
    using store = new SqliteStore(file, clock)
    await fill(store, 0, 1)
    writeFileSync(join(directory, 'copies'), 'where the copies go is a file')
    await expect(store.copies.make({ kept: 3, everyMs: 0 }, never)).rejects.toThrow()
    expect((await picture(store)).stacks).toEqual(names(1))
  })

  test('is not begun, nor is a backup, and both are made when there is room', async () => {
    using store = new SqliteStore(file, clock)
    await fill(store, 0, 2)
    const { size } = statSync(file)
    truncateSync(file, moreThanFree())
    const noRoom = { code: 'store/no-room', hint: expect.stringContaining('Free space') as string }
    expect(await refusal(store.copies.make({ kept: 3, everyMs: 0 }, never))).toMatchObject(noRoom)
    expect(await refusal(store.copies.backup({ version: '0' }, never))).toMatchObject(noRoom)
    expect(readdirSync(join(directory, 'copies'))).toEqual([])
    truncateSync(file, size)
    await store.copies.make({ kept: 3, everyMs: 0 }, never)
    expect(readdirSync(join(directory, 'copies'))).toHaveLength(1)
    expect((await picture(store)).stacks).toEqual(names(2))
  })

  test('is a reason not to upgrade: the file stays as it was', async () => {
    const old = new Database(file)
    old.exec(readFileSync('fixtures/databases/version-1.sql', 'utf8'))
    old.close()
    const { size } = statSync(file)
    truncateSync(file, moreThanFree())
    expect(await refusal(Promise.resolve().then(() => new SqliteStore(file, clock)))).toMatchObject({
      code: 'store/no-room',
    })
    truncateSync(file, size)
    const after = new Database(file)
    expect(after.pragma('user_version', { simple: true })).toBe(1)
    after.close()
    using store = new SqliteStore(file, clock)
    expect((await store.stacks.list({ limit: 9 })).length).toBe(3)
  })
})

/** A sparse file may be larger than the disk. */
function moreThanFree(): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize + 1024 ** 3
}

function specOf(name: string): Parameters<SqliteStore['stacks']['create']>[0] {
  return { name, ...stackDefaults, sources: [{ kind: 'git', url: 'https://example.com/x', ref: 'main', path: '' }] }
}
