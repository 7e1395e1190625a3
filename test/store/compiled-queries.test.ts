// Building a query of kysely costs more than SQLite takes to run it: what each run asks is compiled once.
// And how often a run asks for what.
import Database, { type Statement } from 'better-sqlite3'
import { SqliteQueryCompiler } from 'kysely'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { blobId } from '../../src/source/blob-id.js'
import type { Address, Identity } from '../../src/model/address.js'
import type { Change } from '../../src/model/resources/change.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { openNewStore } from '../new-data-directory.js'
import { sampleSpec } from './sample-spec.js'

/** How many writes share a commit does not depend on how busy the machine is. */
const patient = { commitMs: 60_000, laterMs: 60_000 }

let directory: string
let store: SqliteStore

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-compiled-'))
  store = openNewStore(join(directory, 'gitmoor.db'), new ManualClock(), patient)
})
afterEach(() => {
  vi.restoreAllMocks()
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

const plan = { stack: '', target: 't', revision: 'x', changes: [], unchanged: 0, needsApproval: [], digest: 'd' }
const resource = { address: 'Bucket/a' as Address, kind: 'Bucket', needs: [] }
const update = { ...resource, action: 'update', reason: 'changed', fields: [] } as unknown as Change
const counts = { create: 0, update: 0, remove: 0, unchanged: 0 }

const sources = [{ kind: 'git', url: 'https://example.com/x', ref: 'main', path: '' }] as const
const polled = { sources, pinned: null }

async function create(name: string): Promise<string> {
  const made = { managedBy: 'api', target: 't', cause: { kind: 'created' } } as const
  return (await store.stacks.create({ name, ...stackDefaults, sources }, made)).stack.id
}

/** What a poll, the worker and the events ask of a stack with a new revision, which updates one resource. */
async function runOnce(stack: string, revision: string): Promise<void> {
  const observation = { stack, polled, revision, place: 'p', cause: { kind: 'commit' }, unpin: false } as const
  const [queued] = (await store.runs.observe([observation], [])).runs
  await store.stacks.get(stack)
  await store.stacks.many([stack, 'another'])
  await store.runs.unfinished(stack)
  await store.runs.last([stack])
  await store.journal.isOpen(stack)
  await store.channels.moveTo('https://example.com/x', 'main', revision)
  const run = await store.runs.takeLease(queued!)
  const bytes = Buffer.from(revision)
  const save = [{ path: 'a.yml', id: blobId(bytes), bytes }]
  const observed = { revision, content: revision }
  await store.runs.attempt({ lease: run.lease, observed, settings: 's', spec: sampleSpec, files: revision, save })
  await store.runs.list(stack, { limit: 5 })
  await store.files.ids(revision)
  await store.ownership.of(stack)
  await store.ownership.claims({ stack, target: 't' }, [{ family: 'Bucket', identity: '00aa' as Identity }])
  await store.documents.byIds('s', 'Bucket', ['1', '2'])
  await store.documents.byKeys('s', 'Bucket', ['a'])
  await store.runs.savePlan(run.lease, plan, counts)
  await store.stacks.change(run.lease, { checkedAt: 1, drifted: 0 })
  const [entry] = await store.journal.begin(run.lease, [{ change: update }])
  await store.journal.openEntries(stack)
  const owned = { ...resource, identity: stack as Identity, applied: {}, adopted: false }
  const recorded = store.journal.recordLater(run.lease, entry!, { state: 'done', own: [owned] })
  const applied = { ...observed, files: revision, place: 'p' }
  const settled = store.journal.settle(run.lease, { outcome: 'applied', failure: null, problems: [], applied })
  await Promise.all([recorded, settled])
  await store.feed.after(run.id, 10)
  await store.feed.many([run.id])
}

test('later runs compile none of their queries again', async () => {
  const stacks = [await create('one'), await create('two')]
  for (const stack of stacks) await runOnce(stack, 'main@sha1:1')
  const compile = vi.spyOn(SqliteQueryCompiler.prototype, 'compileQuery')
  await runOnce(stacks[0]!, 'main@sha1:2')
  await runOnce(stacks[1]!, 'main@sha1:3')
  expect(compile).not.toHaveBeenCalled()
  await store.stacks.names(1)
  expect(compile, 'a query of the command line').toHaveBeenCalledOnce()
})

test('a run reads its lease and its outcome with one statement a write, and its journal only where it needs it', async () => {
  const stack = await create('one')
  const database = new Database(':memory:')
  const prepared: object = database.prepare('select 1')
  database.close()
  const statement = Object.getPrototypeOf(prepared) as Pick<Statement, 'get' | 'all' | 'iterate'>
  const reads = (['get', 'all', 'iterate'] as const).map((verb) => vi.spyOn(statement, verb))
  await runOnce(stack, 'main@sha1:1')
  const given = reads.flatMap(({ mock }) => mock.contexts.map((one) => (one as Statement).source))
  const read = given.filter((source) => !source.startsWith('insert')) // the row of a new run
  const count = (part: RegExp): number => read.filter((source) => part.test(source)).length
  expect(count(/^select "leases"/), 'taken, stored, 6 writes, and before one that is stored later').toBe(9)
  expect(count(/^select "outcome"/)).toBe(0)
  expect(count(/^select \* from "journal"/), 'its open entries').toBe(1)
  expect(count(/^select "id" from "journal"/), 'whether it is open').toBe(1)
  expect(count(/moves/), 'the veto').toBe(1)
  expect(count(/"(shared|attempted)" = \?/), 'SQLite prepares again, for a partial index').toBe(0)
  const versions = count(/^pragma data_version$/)
  expect(versions, 'whether what is known of ownership and documents is current').toBe(2)
  expect(count(/min\(r.created_at\)/), 'since when the revision is desired').toBe(1)
  expect(read.length - versions, read.join('\n')).toBeLessThanOrEqual(47)
})

test('a poll that changes nothing below the paths of many stacks compiles its queries once', async () => {
  const stacks: string[] = []
  for (let at = 0; at < 5; at++) stacks.push(await create(`stack-${at}`))
  const observe = async (revision: string): Promise<readonly string[]> => {
    const cause = { kind: 'commit' } as const
    const observations = stacks.map((stack) => ({ stack, polled, revision, place: 'p', cause, unpin: false }))
    const { runs } = await store.runs.observe(observations, [])
    const compared = runs.map(({ id, stack }) => ({ run: id, stack, seen: { revision, content: 'c' } }))
    return store.runs.settleUnchanged(compared)
  }
  await observe('main@sha1:1')
  const compile = vi.spyOn(SqliteQueryCompiler.prototype, 'compileQuery')
  await observe('main@sha1:2')
  expect(compile).not.toHaveBeenCalled()
})
