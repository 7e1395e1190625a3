// Databases that older versions wrote, opened by this one.
import Database from 'better-sqlite3'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { personOfPromotion } from '../../src/store/sqlite/tables/migrations.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'

let directory: string
let file: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-upgrade-'))
  file = join(directory, 'gitmoor.db')
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.exec(readFileSync('fixtures/databases/version-1.sql', 'utf8'))
  database.close()
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** Rows of each table, by its name. */
function rowsOf(): Readonly<Record<string, readonly unknown[]>> {
  const database = new Database(file, { readonly: true })
  try {
    const names = database
      .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
      .pluck()
      .all() as string[]
    return Object.fromEntries(names.map((name) => [name, database.prepare(`select * from ${name}`).all()]))
  } finally {
    database.close()
  }
}

test('a database of version 1 keeps every row, its plans moved to a table of their own', async () => {
  const before = rowsOf()
  expect(Object.values(before).filter((rows) => rows.length === 0)).toEqual([])
  {
    using store = new SqliteStore(file, new ManualClock())
    const plans = await Promise.all(
      before.runs!.map(async (row) => (await store.runs.get(String((row as { id: number }).id)))?.plan ?? null),
    )
    const stored = before.runs!.map(
      (row) => JSON.parse((row as { plan: string | null }).plan ?? 'null') as object | null,
    )
    expect(plans).toEqual(
      stored.map((plan) => plan && { ...withoutHeld(plan), needsApproval: (plan as { held: unknown }).held }),
    )
  }
  const { runs, plans, ...after } = rowsOf()
  const { runs: runsBefore, ...others } = inCurrentWords(before)
  expect(after).toMatchObject(others)
  expect(runs).toMatchObject(
    runsBefore!.map((row) => ({ ...(row as object), plan: expect.toSatisfy(isDigestOrNull) as string })),
  )
  expect(plans).toHaveLength(3)
})

test('the person of a promotion, which was part of its note, becomes a field', async () => {
  const causes = {
    promotion: { kind: 'tag-moved', ref: 'stable', to: 'b'.repeat(40), note: 'ann: fixes the alerts: all of them' },
    webhook: {
      kind: 'tag-moved',
      ref: 'stable',
      to: 'b'.repeat(40),
      note: 'reported by the webhook github, delivery 5',
    },
    decision: { kind: 'person', by: 'bob', ref: 'stable', to: 'b'.repeat(40), note: 'vetoed move 3 of stable: broken' },
    drift: { kind: 'drift', note: 'Bucket/raw: retention' },
  }
  const database = new Database(file)
  const add = database.prepare(
    `insert into runs (stack, revision, content, cause, intent, phase, outcome, problems, created_at)
     select id, '', '', ?, 'sync', 'done', 'applied', '[]', 1 from stacks limit 1`,
  )
  const ids = Object.values(causes).map((cause) => String(add.run(JSON.stringify(cause)).lastInsertRowid))
  database.close()
  using store = new SqliteStore(file, new ManualClock())
  const stored = await Promise.all(ids.map(async (id) => (await store.runs.get(id))?.cause))
  expect(stored).toEqual([
    { ...causes.promotion, by: 'ann', note: 'fixes the alerts: all of them' },
    causes.webhook,
    causes.decision,
    causes.drift,
  ])
})

test('also in the runs of deleted stacks', async () => {
  const cause = { kind: 'tag-moved', ref: 'stable', to: 'b'.repeat(40), note: 'ann: fixes the alerts' }
  const runs = [
    { id: '2', cause },
    { id: '1', cause: { kind: 'created' }, problems: [{ message: 'a: b' }] },
  ]
  new SqliteStore(file, new ManualClock())[Symbol.dispose]()
  const database = new Database(file)
  database
    .prepare(
      "insert into deleted_stacks (id, name, target, deleted_at, deleted_by, runs) values ('1', 'gone', 't', 1, 'ann', ?)",
    )
    .run(JSON.stringify(runs))
  database.exec(personOfPromotion)
  database.close()
  using store = new SqliteStore(file, new ManualClock())
  expect((await store.stacks.deleted('gone'))?.runs).toEqual([
    { id: '2', cause: { ...cause, by: 'ann', note: 'fixes the alerts' } },
    runs[1],
  ])
})

function withoutHeld({ held: _held, ...plan }: { readonly held?: unknown }): object {
  return plan
}

const newTables: Readonly<Record<string, string>> = { records: 'event_resources', notices: 'database_events' }
const newColumns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  runs: { content: 'revision_hashes', record: 'event_resources' },
  documents: { held: 'state' },
  moves: { learnt: 'detected_by', why: 'blocked_by' },
  overrides: { past: 'overrode' },
}

/** The same rows in the words of tables, columns and values since version 18. */
function inCurrentWords(tables: ReturnType<typeof rowsOf>): ReturnType<typeof rowsOf> {
  const renamed = (table: string, row: object): object =>
    Object.fromEntries(
      Object.entries(row).map(([column, value]) => [
        newColumns[table]?.[column] ?? column,
        table === 'runs' && value === 'held' ? 'needs-approval' : value,
      ]),
    )
  return Object.fromEntries(
    Object.entries(tables).map(([table, rows]) => [
      newTables[table] ?? table,
      rows.map((row) => renamed(table, row as object)),
    ]),
  )
}

test('a resource that an older version created has no time until it is written again', async () => {
  const clock = new ManualClock()
  using store = new SqliteStore(file, clock)
  const times = async (): Promise<unknown> => {
    const { createdAt, updatedAt } = (await store.documents.list('main', { limit: 1 }))[0]!
    return { createdAt, updatedAt }
  }
  expect(await times()).toEqual({ createdAt: null, updatedAt: null })
  const { id, key, state, links } = (await store.documents.list('main', { limit: 1 }))[0]!
  await store.documents.replace('main', 'Bucket', { id, key, state, links })
  expect(await times()).toEqual({ createdAt: null, updatedAt: clock.now() })
})

function isDigestOrNull(value: string | null): boolean {
  return value === null || /^[0-9a-f]{64}$/.test(value)
}
