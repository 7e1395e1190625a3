// A database that something else wrote into, cut off or emptied: the next start repairs it and says what it did.
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import Database from 'better-sqlite3'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { never } from '../source/git-world.js'
import { jsonColumns } from '../../src/store/sqlite/tables/json-columns.js'
import { derivedTables, salvage } from '../../src/store/sqlite/repair/salvage.js'
import { migrations } from '../../src/store/sqlite/tables/migrations.js'
import { migrateTo } from '../../src/store/sqlite/tables/upgrade.js'
import { fill, names, picture } from './filled-store.js'

let directory: string
let file: string
let clock: ManualClock

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-damage-'))
  file = join(directory, 'gitmoor.db')
  clock = new ManualClock()
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** Does something with the store, and closes it. */
async function withStore<T>(work: (store: SqliteStore) => Promise<T>): Promise<T> {
  using store = new SqliteStore(file, clock)
  return await work(store)
}

/** Twenty stacks, a copy, and ten more; the database is one file. */
async function thirtyStacks(): Promise<void> {
  await withStore(async (store) => {
    await fill(store, 0, 20)
    await store.copies.make({ kept: 3, everyMs: 0 }, never)
    clock.advance(60_000)
    await fill(store, 20, 30)
  })
}

function overwrite(from: number, to: number): void {
  const bytes = readFileSync(file)
  for (let i = from; i < Math.min(to, bytes.length); i++) bytes[i] = (i * 31) & 0xff
  writeFileSync(file, bytes)
}

/** The page at which a table begins. */
function rootPage(table: string): number {
  const database = new Database(file, { readonly: true })
  const page = database.prepare('select rootpage from sqlite_schema where name = ?').pluck().get(table) as number
  database.close()
  return page
}

function codes({ startEvents }: SqliteStore): readonly string[] {
  return startEvents.map(({ code }) => code)
}

function setAside(): readonly string[] {
  return readdirSync(directory).filter((name) => name.startsWith('gitmoor.db.damaged-'))
}

interface Case {
  readonly harm: () => void
  /**
   * Stacks that own something afterwards: those of the copy, and what could be read. All are there, from the decision
   * log.
   */
  readonly left: number
  readonly says: string
}

const cases: Readonly<Record<string, Case>> = {
  'the header is overwritten: everything is read behind a new one': {
    harm: () => overwrite(0, 100),
    left: 30,
    says: 'nothing is lost',
  },
  'an index is overwritten: every table is read': {
    harm: () => overwrite((rootPage('runs_of_stack') - 1) * 4096, rootPage('runs_of_stack') * 4096),
    left: 30,
    says: 'nothing is lost',
  },
  'the root of the stacks is overwritten: they come from the copy': {
    harm: () => overwrite((rootPage('stacks') - 1) * 4096, rootPage('stacks') * 4096),
    left: 20,
    says: 'The copy of',
  },
  'the first page is overwritten: all comes from the copy': {
    harm: () => overwrite(0, 4096),
    left: 20,
    says: 'nothing could be read',
  },
  'all but its first pages are gone: all comes from the copy': {
    harm: () => truncateSync(file, 3 * 4096),
    left: 20,
    says: 'The copy of',
  },
  'it is empty': { harm: () => truncateSync(file, 0), left: 20, says: 'The copy of' },
  'it is a text': {
    harm: () => writeFileSync(file, 'not a database\n'.repeat(500)),
    left: 20,
    says: 'nothing could be read',
  },
}

describe('with a copy that is older', () => {
  test.each(Object.entries(cases))('%s', async (_, { harm, left, says }) => {
    await thirtyStacks()
    harm()
    const before = readFileSync(file)
    await withStore(async (store) => {
      expect(codes(store)).toEqual(left === 30 ? ['store/repaired'] : ['store/repaired', 'store/decisions-restored'])
      const message = store.startEvents[0]?.message
      expect(message).toContain(says)
      expect(message).not.toContain('\n')
      if (left === 20)
        expect(message).toMatch(
          / All other data written from then until \S+Z is lost, also that of targets inside the database\. /,
        )
      expect(await store.databaseEvents.list(5)).toEqual(store.startEvents.toReversed())
      expect(await picture(store)).toMatchObject({ stacks: names(30), owning: left })
    })
    expect(setAside().map((name) => readFileSync(join(directory, name)).equals(before))).toEqual([true])
    await withStore((store) => Promise.resolve(expect(store.startEvents).toEqual([])))
  })

  test('a stack that may be outdated polls its source again before drift is corrected', async () => {
    await thirtyStacks()
    overwrite(0, 4096)
    await withStore(async (store) => {
      const waiting = await store.runs.unfinished()
      expect(waiting).toHaveLength(30)
      expect(new Set(waiting.map(({ revision, cause, phase }) => `${revision} ${cause.kind} ${phase}`))).toEqual(
        new Set([' recovery queued']),
      )
    })
  })

  test('a copy that is damaged, too, is passed over for an older one', async () => {
    await withStore(async (store) => {
      await fill(store, 0, 5)
      await store.copies.make({ kept: 3, everyMs: 0 }, never)
      clock.advance(60_000)
      await fill(store, 5, 9)
      writeFileSync(await store.copies.make({ kept: 3, everyMs: 0 }, never), 'not a database')
    })
    overwrite(0, 4096)
    expect(await withStore(picture)).toMatchObject({ stacks: names(9), owning: 5 })
  })
})

describe('without a copy', () => {
  test.each([
    ['a token', () => writeFileSync(join(directory, 'token'), 'x')],
    ['decisions alone', () => {}],
  ])('an empty file beside %s is damage: it is set aside, and a notice says so', async (_, leave) => {
    await withStore((store) => fill(store, 0, 2))
    leave()
    truncateSync(file, 0)
    await withStore(async (store) => {
      expect(codes(store)).toEqual(['store/repaired', 'store/decisions-restored'])
      expect(store.startEvents[0]?.message).toContain(
        `(the file is empty) and is kept as ${join(directory, setAside()[0]!)}.`,
      )
      expect(await store.databaseEvents.list(5)).toEqual(store.startEvents.toReversed())
    })
    expect(setAside().map((name) => readFileSync(join(directory, name)).length)).toEqual([0])
  })

  test('an empty file of a first start that was killed is silently replaced', async () => {
    writeFileSync(join(directory, 'key'), Buffer.alloc(32))
    writeFileSync(file, '')
    await withStore((store) => Promise.resolve(expect(store.startEvents).toEqual([])))
    expect(setAside()).toEqual([])
  })

  test('an unreadable database is replaced, and resources of the embedded target are kept', async () => {
    await withStore((store) => fill(store, 0, 30))
    overwrite((rootPage('stacks') - 1) * 4096, rootPage('stacks') * 4096)
    await withStore(async (store) => {
      expect(await picture(store)).toEqual({ stacks: names(30), owning: 0, resources: 30 })
      expect(store.startEvents[0]?.message).toContain('There was no copy')
      await fill(store, 30, 31)
      expect((await store.runs.unfinished()).length).toBe(30)
    })
  })

  test('rows on both sides of a page that cannot be read are kept, and numbers are not given again', async () => {
    await withStore((store) => fill(store, 0, 60))
    const last = await withStore(async (store) =>
      Math.max(
        ...[...(await store.runs.last((await store.stacks.list({ limit: 100 })).map(({ id }) => id))).values()].map(
          ({ id }) => Number(id),
        ),
      ),
    )
    const page = leafPage('documents')
    overwrite((page - 1) * 4096, page * 4096)
    await withStore(async (store) => {
      const { stacks, resources } = await picture(store)
      expect(stacks).toHaveLength(60)
      expect(resources).toBeGreaterThan(40)
      expect(resources).toBeLessThan(60)
      const run = await store.runs.add({
        stack: (await store.stacks.get('s0'))!.id,
        revision: 'main@sha1:1',
        cause: { kind: 'person' },
      })
      expect(Number(run.id)).toBeGreaterThan(last)
    })
  })

  test('a row whose text is no longer JSON is removed', async () => {
    await withStore((store) => fill(store, 0, 3))
    const bytes = readFileSync(file)
    // Free space of the file may have another copy of the text.
    for (let at = -1; (at = bytes.indexOf('{"name":"s1",', at + 1)) >= 0;) bytes[at] = 0x78
    writeFileSync(file, bytes)
    overwrite(0, 100)
    rmSync(join(directory, 'decisions.jsonl'))
    expect((await withStore(picture)).stacks).toEqual(['s0', 's2'])
  })
})

/** A page in the middle of a table. */
function leafPage(table: string): number {
  const database = new Database(file, { readonly: true })
  const pages = database
    .prepare("select pageno from dbstat where name = ? and pagetype = 'leaf' order by path")
    .pluck()
    .all(table) as number[]
  database.close()
  return pages[Math.floor(pages.length / 2)]!
}

describe('the salvage of a database', () => {
  test('declares for each text column whether it is JSON', async () => {
    await withStore((store) => fill(store, 0, 1))
    const database = new Database(file, { readonly: true })
    const found: Record<string, readonly string[]> = {}
    for (const [table, columns] of textColumns(database))
      found[table] = columns.filter((column) => !jsonColumns[table]?.includes(column))
    database.close()
    expect(found).toEqual(plainColumns)
  })

  test('meets no trigger in the file, and leaves out the table that those of older versions wrote', async () => {
    await withStore((store) => fill(store, 0, 1))
    const database = new Database(file, { readonly: true })
    const triggers = database.prepare("select name from sqlite_schema where type = 'trigger'").all()
    database.close()
    expect(triggers).toEqual([])
    expect([...derivedTables]).toEqual(['roster'])
  })

  test.each([
    ['a reason that is not JSON', "update owned set changed = '{half' where rowid = 1", 19],
    ['a plan that cannot be unpacked', "update plans set body = x'0102'", 20],
  ])('%s is removed', async (_, harm, owned) => {
    await withStore(async (store) => {
      await fill(store, 0, 20)
      const run = await store.runs.add({
        stack: (await store.stacks.get('s0'))!.id,
        revision: 'r',
        cause: { kind: 'commit' },
      })
      const plan = {
        stack: 's0',
        target: 't',
        revision: 'r',
        changes: [],
        unchanged: 0,
        needsApproval: [],
        digest: 'd',
      } as never
      await store.runs.savePlan((await store.runs.takeLease(run)).lease, plan, {
        create: 0,
        update: 0,
        remove: 0,
        unchanged: 0,
      })
    })
    const database = new Database(file)
    database.exec(harm)
    database.close()
    const into = new Database(':memory:')
    migrateTo(into, migrations.length)
    salvage(into, file)
    expect(into.prepare('select count(*) from owned').pluck().get()).toBe(owned)
    expect(into.prepare('select count(*) from plans').pluck().get()).toBe(owned === 20 ? 0 : 1)
    into.close()
  })

  test('of a stack that is gone nothing is kept, in no table', async () => {
    await withStore(async (store) => {
      await fill(store, 0, 2)
      await store.pushes.put((await store.stacks.get('s0'))!.id, { digest: 'd', files: [], by: 'ann' })
    })
    const database = new Database(file)
    database.pragma('foreign_keys = OFF')
    database.exec("update stacks set consent = '{half' where name = 's0'")
    database.close()
    const into = new Database(':memory:')
    migrateTo(into, migrations.length)
    salvage(into, file)
    const left = ['runs', 'owned', 'pushes'].map((table) => into.prepare(`select count(*) from ${table}`).pluck().get())
    into.close()
    expect(left).toEqual([1, 1, 0])
  })
})

test('a file that was cut while its log was beside it is repaired', async () => {
  const store = new SqliteStore(file, clock)
  await fill(store, 0, 20)
  await store.copies.make({ kept: 3, everyMs: 0 }, never)
  store[Symbol.dispose]()
  const open = new SqliteStore(file, clock)
  await fill(open, 20, 22)
  const at = join(directory, 'crashed')
  for (const name of ['gitmoor.db', 'gitmoor.db-wal', 'copies'])
    cpSync(join(directory, name), join(at, name), { recursive: true })
  open[Symbol.dispose]()
  file = join(at, 'gitmoor.db')
  truncateSync(file, 3 * 4096)
  await withStore(async (again) => {
    expect(codes(again)[0]).toBe('store/repaired')
    expect((await picture(again)).stacks).toEqual(expect.arrayContaining([...names(20)]))
  })
})

test.each([
  [18, 0xff, 'a form that asks SQLite to write nothing'],
  [47, 0xff, 'a form that SQLite does not know'],
  [60, 0xff, 'a version that no program has'],
])('a header that has at byte %i %i (%s) is damage', async (at, byte) => {
  await withStore((store) => fill(store, 0, 3))
  const bytes = readFileSync(file)
  bytes[at] = byte
  writeFileSync(file, bytes)
  await withStore(async (store) => {
    expect(codes(store)[0]).toBe('store/repaired')
    expect(await picture(store)).toMatchObject({ stacks: names(3), owning: 3 })
  })
})

test.each(['create table t (a)', 'create table t (a); pragma user_version = 3'])(
  'the database of another program (%s) is set aside as it is',
  async (sql) => {
    await withStore((store) => fill(store, 0, 3))
    rmSync(file)
    new Database(file).exec(sql).close()
    const before = readFileSync(file)
    await withStore(async (store) => {
      expect(store.startEvents[0]?.message).toContain('it is the database of another program')
      expect((await picture(store)).stacks).toEqual(names(3))
    })
    expect(setAside().map((name) => readFileSync(join(directory, name)).equals(before))).toEqual([true])
  },
)

test('a schema in which a bit flipped is repaired', async () => {
  await withStore((store) => fill(store, 0, 3))
  const bytes = readFileSync(file)
  const flipped = 'where outcome is null'
  for (let at = bytes.indexOf(flipped); at >= 0; at = bytes.indexOf(flipped)) bytes[at + 6] = 0x61
  writeFileSync(file, bytes)
  const database = new Database(file)
  expect(() => database.exec("update stacks set name = 'x'")).toThrow(/no such column/)
  database.close()
  await withStore(async (store) => expect(codes(store)[0]).toBe('store/repaired'))
  await withStore(async (store) => expect(await picture(store)).toMatchObject({ stacks: names(3), owning: 3 }))
})

test('a database that was removed is made again from its newest copy', async () => {
  await thirtyStacks()
  rmSync(file)
  await withStore(async (store) => {
    expect(store.startEvents[0]?.message).toContain('The database was damaged (the file is missing)')
    expect(await picture(store)).toMatchObject({ stacks: names(30), owning: 20 })
  })
})

test('a row whose text is no longer JSON is found at the start, though SQLite sees nothing wrong', async () => {
  await withStore((store) => fill(store, 0, 3))
  const bytes = readFileSync(file)
  for (let at = bytes.indexOf('{"name":"s1",'); at >= 0; at = bytes.indexOf('{"name":"s1",')) bytes[at] = 0x78
  writeFileSync(file, bytes)
  await withStore(async (store) => {
    expect(codes(store)).toEqual(['store/repaired', 'store/decisions-restored'])
    expect((await picture(store)).stacks).toEqual(names(3))
  })
})

describe('what is no damage', () => {
  test('garbage behind the last commit of the log is ignored, commits before it are there', async () => {
    const store = new SqliteStore(file, clock)
    await fill(store, 0, 3)
    const at = join(directory, 'crashed')
    for (const name of ['gitmoor.db', 'decisions.jsonl'])
      cpSync(join(directory, name), join(at, name), { recursive: true })
    const log = readFileSync(`${file}-wal`)
    writeFileSync(join(at, 'gitmoor.db-wal'), Buffer.concat([log, Buffer.alloc(9_000, 0x5a)]))
    store[Symbol.dispose]()
    file = join(at, 'gitmoor.db')
    await withStore(async (again) => {
      expect(again.startEvents).toEqual([])
      expect((await picture(again)).stacks).toEqual(names(3))
    })
  })

  test('a log that is nothing but garbage is ignored', async () => {
    await withStore((store) => fill(store, 0, 3))
    writeFileSync(`${file}-wal`, Buffer.alloc(50_000, 0x5a))
    expect((await withStore(picture)).stacks).toEqual(names(3))
  })

  test('an empty file where nothing was ever written is a new database', async () => {
    writeFileSync(file, '')
    await withStore(async (store) => expect([store.startEvents, (await picture(store)).stacks]).toEqual([[], []]))
  })
})

describe('a repair that was killed', () => {
  test('before the new file was whole, is begun again', async () => {
    await thirtyStacks()
    overwrite(0, 4096)
    writeFileSync(`${file}.repairing`, 'half of it')
    expect(await withStore(picture)).toMatchObject({ stacks: names(30), owning: 20 })
    expect(existsSync(`${file}.repairing`)).toBe(false)
  })

  test.each(['repaired', 'mended'])(
    'after it (.%s) ends with the new file, without the log of the damaged one',
    async (end) => {
      await withStore((store) => fill(store, 0, 3))
      renameSync(file, `${file}.${end}`)
      writeFileSync(file, 'not a database')
      writeFileSync(`${file}-wal`, 'its log')
      await withStore(async (store) => {
        expect(store.startEvents).toEqual([])
        expect((await picture(store)).stacks).toEqual(names(3))
      })
      expect(existsSync(`${file}.${end}`)).toBe(false)
    },
  )
})

function textColumns(database: Database.Database): readonly (readonly [string, readonly string[]])[] {
  const tables = database
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .pluck()
    .all()
  return (tables as readonly string[]).map((table) => {
    const columns = database.pragma(`table_info(${table})`) as readonly {
      readonly name: string
      readonly type: string
    }[]
    return [table, columns.filter(({ type }) => type.toUpperCase() === 'TEXT').map(({ name }) => name)]
  })
}

/** A new column that holds text belongs here, or into `jsonColumns` of salvage.ts. */
const plainColumns: Readonly<Record<string, readonly string[]>> = {
  blobs: ['id'],
  channels: ['remote', 'ref', 'commit_id', 'object_id', 'tag'],
  database_events: ['code', 'message'],
  decisions: ['remote', 'ref', 'kind', 'commit_id', 'decided_by', 'why'],
  deleted_stacks: ['id', 'name', 'target', 'deleted_by'],
  deliveries: ['hook', 'key', 'digest', 'event', 'result', 'message'],
  documents: ['space', 'family', 'id', 'key'],
  event_resources: ['digest'],
  journal: ['stack', 'state', 'before', 'identity'],
  leases: ['stack'],
  sessions: ['digest', 'token', 'name'],
  drift: ['stack'],
  links: ['space', 'family', 'id', 'target_id'],
  messages: ['key', 'receiver', 'kind', 'subject', 'state', 'error'],
  moves: [
    'remote',
    'ref',
    'from_object',
    'from_commit',
    'to_object',
    'to_commit',
    'detected_by',
    'from_tag',
    'to_tag',
    'name',
    'state',
    'blocked_by',
    'direction',
  ],
  overrides: ['stack', 'done_by', 'what', 'why', 'overrode'],
  owned: ['stack', 'address', 'target', 'family', 'kind', 'identity', 'part_of'],
  packages: ['digest'],
  plans: ['digest'],
  policies: [],
  fleets: ['name', 'managed_by'],
  pushes: ['stack', 'digest', 'pushed_by'],
  recorded: ['database'],
  run_settings: ['digest'],
  runs: [
    'stack',
    'revision',
    'revision_hashes',
    'intent',
    'expects',
    'phase',
    'outcome',
    'plan',
    'files',
    'event_resources',
    'settings',
  ],
  stack_reports: ['stack'],
  stacks: ['id', 'name', 'target', 'managed_by'],
  transitions: [],
}
