// Every write of a run, with a lease of it: for the process that has the lease, and for one that lost it.
import type { Journal } from '../../src/engine/journal.js'
import type { Run, RunLease } from '../../src/model/stacks/run.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import type { Attempt, RunTable } from '../../src/store/run-table.js'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { beginStep } from '../begin-step.js'
import { sampleSpec } from './sample-spec.js'

export interface Leased {
  readonly store: SqliteStore
  readonly lease: RunLease
  /** A step of the run that began. */
  readonly entry: number
}

const change = {
  address: 'Bucket/raw',
  kind: 'Bucket',
  action: 'create',
  fields: [],
  reason: 'added',
  needs: [],
  after: [],
} as never
const owned = {
  address: 'Bucket/raw',
  kind: 'Bucket',
  identity: '00aa',
  applied: {},
  needs: [],
  adopted: false,
} as never
const plan = { stack: '', target: 't', revision: 'x', changes: [], unchanged: 0, needsApproval: [], digest: 'd' }
const counts = { create: 1, update: 0, remove: 0, unchanged: 0 }
const why = { problems: [], failure: null }
const observed = { revision: 'main@sha1:1', content: 'c' }

type Write = (leased: Leased) => Promise<unknown>
type JournalWrite = Exclude<keyof Journal, 'takeLease' | 'openEntries' | 'isTaken' | 'isOpen' | 'flush'>
/** The methods of runs whose first parameter has a lease, by their types. */
type RunWrite = {
  [Name in Exclude<keyof RunTable, 'unfinished'>]: Parameters<RunTable[Name]>[0] extends
    | RunLease
    | { readonly lease: RunLease }
    ? Name
    : never
}[Exclude<keyof RunTable, 'unfinished'>]

export function attemptOf({ lease }: Leased): Attempt {
  return { lease, observed, settings: 's', spec: sampleSpec, files: 'f', save: [] }
}

/** A write that is stored with the next one of its lease. */
function withNext(write: Write): Write {
  return async (leased) => {
    await write(leased)
    await leased.store.stacks.change(leased.lease, {})
  }
}

const journalWrites: Readonly<Record<JournalWrite, Write>> = {
  begin: ({ store, lease }) => beginStep(store.journal, lease, change, { trace: 'b' }),
  recordProgress: ({ store, lease, entry }) =>
    store.journal.recordProgress(lease, entry, { state: 'done', own: [owned] }),
  recordLater: ({ store, lease, entry }) =>
    Promise.all([store.journal.recordLater(lease, entry, { state: 'done', own: [owned] }), store.journal.flush(lease)]),
  drop: ({ store, lease, entry }) => store.journal.drop(lease, entry),
  startUndo: ({ store, lease }) => store.journal.startUndo(lease, why),
  settle: ({ store, lease }) => store.journal.settle(lease, { outcome: 'failed', ...why }),
}

const runWrites: Readonly<Record<RunWrite, Write>> = {
  attempt: withNext((leased) => leased.store.runs.attempt(attemptOf(leased))),
  requeue: ({ store, lease }) => store.runs.requeue(lease),
  recordOverride: ({ store, lease }) => store.runs.recordOverride(lease),
  savePlan: withNext(({ store, lease }) => store.runs.savePlan(lease, plan, counts)),
  finish: ({ store, lease }) => store.runs.finish(lease, { outcome: 'failed' }),
}

const otherWrites: Readonly<Record<string, Write>> = {
  'a change of its stack': ({ store, lease }) => store.stacks.change(lease, { retries: 1 }),
  'an override of windows': ({ store, lease }) =>
    store.overrides.add({ at: 1, by: 'ann', what: 'w', why: 'y' }, [{ stack: lease.stack, past: 'p' }], lease),
}

/** By name. */
export const writesOfRuns: Readonly<Record<string, Write>> = { ...journalWrites, ...runWrites, ...otherWrites }

/** A stack with a run that has begun a step. */
export async function beginRun(store: SqliteStore): Promise<Leased & { readonly run: Run }> {
  const sources = [{ kind: 'inline' }] as const
  const { run } = await store.stacks.create(
    { ...stackDefaults, name: 'boards', sources },
    { managedBy: 'api', target: 'embedded/main', cause: { kind: 'created' } },
  )
  const { lease } = await store.runs.takeLease(run)
  return { store, lease, run, entry: await beginStep(store.journal, lease, change, { trace: 'a' }) }
}
