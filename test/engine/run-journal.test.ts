// What a run writes to its journal, and how many commits that takes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RunJournal } from '../../src/engine/run-journal.js'
import type { Address } from '../../src/model/address.js'
import type { Change } from '../../src/model/resources/change.js'
import type { Owned } from '../../src/model/resources/resource.js'
import type { RunLease } from '../../src/model/stacks/run.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { openNewStore } from '../new-data-directory.js'
import { deferred } from '../api/deferred.js'
import { until } from '../e2e/until.js'
import { commitsOf } from '../store/commits.js'
import { attemptOf, beginRun } from '../store/run-writes.js'

/** How many writes share a commit does not depend on how busy the machine is. */
const patient = { commitMs: 60_000, laterMs: 60_000 }

let directory: string
let file: string
let store: SqliteStore
let lease: RunLease
let journal: RunJournal

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-run-journal-'))
  file = join(directory, 'gitmoor.db')
  store = openNewStore(file, new ManualClock(), patient)
  const { lease: first, entry } = await beginRun(store)
  lease = first
  await store.journal.drop(lease, entry)
  journal = new RunJournal(store.journal, lease)
})
afterEach(() => {
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

function change(address: string, reason = 'added'): Change {
  const rest = { kind: 'Bucket', action: 'create', fields: [], needs: [], after: [] }
  return { ...rest, address, reason } as unknown as Change
}

/** The commits that the work makes. */
async function commitsFor(work: () => Promise<unknown>): Promise<number> {
  const before = commitsOf(file)
  await work()
  return commitsOf(file) - before
}

async function stored(): Promise<readonly (readonly [number, string])[]> {
  return (await store.journal.openEntries(lease.stack)).map(({ id, change: { address } }) => [id, address])
}

const addresses = Array.from({ length: 40 }, (_, at) => `Bucket/b${at}`)

describe('steps that begin in the same round of the event loop', () => {
  test('are one commit, in their order', async () => {
    let entries: readonly number[] = []
    const begin = async (): Promise<void> => {
      entries = await Promise.all(addresses.map((address) => journal.begin({ change: change(address) })))
    }
    expect(await commitsFor(begin)).toBe(1)
    expect(await stored()).toEqual(addresses.map((address, at) => [entries[at]!, address]))
  })

  test('are several commits if they are large, with other writes between them', async () => {
    const steps = addresses.slice(0, 5).map((address) => ({ change: change(address, 'x'.repeat(600 * 1024)) }))
    const ended: string[] = []
    await Promise.all([
      store.journal.begin(lease, steps).then((entries) => ended.push(`${entries.length} steps`)),
      store.stacks.change(lease, { retries: 1 }).then(() => ended.push('another write')),
    ])
    expect(ended).toEqual(['another write', '5 steps'])
    expect((await stored()).map(([, address]) => address)).toEqual(addresses.slice(0, 5))
  })

  test('do not begin if the lease was lost: each one fails, and none is stored', async () => {
    await store.journal.takeLease(lease.stack)
    const all = await Promise.allSettled(addresses.map((address) => journal.begin({ change: change(address) })))
    expect(new Set(all.map((one) => one.status === 'rejected' && (one.reason as { code: string }).code))).toEqual(
      new Set(['store/lease-lost']),
    )
    expect(await stored()).toEqual([])
  })
})

describe('a step that begins while others are in progress', () => {
  /** Each is done, or needs what it made recorded, when its gate opens. */
  function startSteps(on: RunJournal, names: readonly string[], isRecorded = false): readonly (() => void)[] {
    return names.map((name) => {
      const gate = deferred<void>()
      void on.during(async () => {
        const entry = await on.begin({ change: change(name) })
        await gate.promise
        if (isRecorded) await on.record(entry, { identity: '00aa' as never })
        on.done(address(name.slice('Bucket/'.length)), entry)
      })
      return gate.resolve
    })
  }
  const begun = (count: number): Promise<unknown> =>
    until(`${count} steps began`, async () => (await stored()).length === count)
  const round = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const names = addresses.slice(0, 8)

  test('shares a commit with the next ones, until as many wait as are in progress', async () => {
    const own = new RunJournal(store.journal, lease, { mostWaitMs: 60_000 })
    const gates = startSteps(own, names)
    await begun(8)
    const work = async (): Promise<void> => {
      for (const at of [8, 9, 10, 11]) {
        gates[at - 8]!()
        await round()
        expect(await stored()).toHaveLength(8)
        startSteps(own, [addresses[at]!])
      }
      await begun(12)
    }
    expect(await commitsFor(work)).toBe(1)
  })

  test('shares it with those that record what they made', async () => {
    const own = new RunJournal(store.journal, lease, { mostWaitMs: 60_000 })
    const gates = startSteps(own, names, true)
    await begun(8)
    const recorded = async (): Promise<number> =>
      (await store.journal.openEntries(lease.stack)).filter(({ identity }) => identity !== undefined).length
    const work = async (): Promise<void> => {
      for (const gate of gates.slice(0, 4)) {
        expect(await recorded()).toBe(0)
        gate()
        await round()
      }
      await until('four are recorded', async () => (await recorded()) === 4)
    }
    expect(await commitsFor(work)).toBe(1)
  })

  test('is stored soon, however long the others take', async () => {
    startSteps(journal, names)
    await begun(8)
    startSteps(journal, [addresses[8]!])
    await begun(9)
  })

  test('does not wait for those that failed', async () => {
    const own = new RunJournal(store.journal, lease, { mostWaitMs: 60_000 })
    const failing = deferred<void>()
    const failures = names.map((name) =>
      own.during(async () => {
        await own.begin({ change: change(name) })
        await failing.promise
        throw new Error('refused')
      }),
    )
    await begun(8)
    startSteps(own, [addresses[8]!])
    failing.resolve()
    expect((await Promise.allSettled(failures)).map(({ status }) => status)).toEqual(names.map(() => 'rejected'))
    await begun(9)
  })
})

describe('a step that is done', () => {
  test('is stored with the next step, before it', async () => {
    const first = await journal.begin({ change: change('Bucket/a') })
    const work = async (): Promise<void> => {
      journal.done(address('a'), first, { identity: '00aa' as never, own: [owned('a', '00aa')] })
      await journal.begin({ change: change('Bucket/b') })
    }
    expect(await commitsFor(work)).toBe(1)
    expect(await states()).toEqual(['Bucket/a done', 'Bucket/b doing'])
  })

  test('is stored with the end of the run', async () => {
    const entry = await journal.begin({ change: change('Bucket/a') })
    const work = (): Promise<void> => {
      journal.done(address('a'), entry, { own: [owned('a', '00aa')] })
      return store.journal.settle(lease, { outcome: 'applied', problems: [], failure: null })
    }
    expect(await commitsFor(work)).toBe(1)
    expect(await states()).toEqual([])
    expect([...(await store.ownership.of(lease.stack)).keys()]).toEqual(['Bucket/a'])
  })

  test('is stored soon if no other write comes', async () => {
    store[Symbol.dispose]()
    store = new SqliteStore(file, new ManualClock())
    const own = new RunJournal(store.journal, lease)
    own.done(address('a'), await own.begin({ change: change('Bucket/a') }))
    await until('the mark is stored', async () => (await states())[0] === 'Bucket/a done')
  })

  test('is stored when its journal is flushed, and a flush with nothing to store makes no commit', async () => {
    const entry = await journal.begin({ change: change('Bucket/a') })
    journal.done(address('a'), entry)
    expect(await commitsFor(() => journal.flush())).toBe(1)
    expect(await states()).toEqual(['Bucket/a done'])
    expect(await commitsFor(() => journal.flush())).toBe(0)
  })

  test('keeps what relies on it from being stored if it cannot be stored itself', async () => {
    await ownElsewhere('00aa')
    const first = await journal.begin({ change: change('Bucket/a') })
    const refusal = { code: 'store/owned' }
    journal.done(address('a'), first, { own: [owned('a', '00aa')] })
    await expect(journal.begin({ change: change('Bucket/b') })).rejects.toMatchObject(refusal)
    await expect(journal.begin({ change: change('Bucket/c') })).rejects.toMatchObject(refusal)
    const settled = store.journal.settle(lease, { outcome: 'applied', problems: [], failure: null })
    await expect(settled).rejects.toMatchObject(refusal)
    expect(await states()).toEqual(['Bucket/a doing'])
    expect([...(await journal.flush())]).toMatchObject([['Bucket/a', refusal]])
    await journal.begin({ change: change('Bucket/b') })
    expect(await states()).toEqual(['Bucket/a doing', 'Bucket/b doing'])
  })

  test('is not stored after the lease was lost', async () => {
    const entry = await journal.begin({ change: change('Bucket/a') })
    await store.journal.takeLease(lease.stack)
    journal.done(address('a'), entry)
    expect([...(await journal.flush())]).toMatchObject([['Bucket/a', { name: 'LeaseLost' }]])
    expect(await states()).toEqual(['Bucket/a doing'])
  })
})

test('a run that changes one resource makes two commits', async () => {
  const { run: id, stack } = lease
  const run = (await store.runs.get(id))!
  await store.runs.finish(lease, { outcome: 'superseded' })
  const next = await store.runs.add({ stack, revision: run.revision, cause: run.cause })
  const plan = { stack, target: '', revision: '', changes: [], unchanged: 0, needsApproval: [], digest: 'd' }
  const work = async (): Promise<void> => {
    const { lease: taken } = await store.runs.takeLease(next)
    await store.runs.attempt(attemptOf({ store, lease: taken, entry: 0 }))
    await store.runs.savePlan(taken, plan, { create: 1, update: 0, remove: 0, unchanged: 0 })
    const own = new RunJournal(store.journal, taken)
    own.done(address('a'), await own.begin({ change: change('Bucket/a') }), { own: [owned('a', '00aa')] })
    await store.journal.settle(taken, { outcome: 'applied', problems: [], failure: null })
  }
  expect(await commitsFor(work)).toBe(2)
  expect(await store.runs.get(next.id)).toMatchObject({ outcome: 'applied' })
})

function address(name: string): Address {
  return `Bucket/${name}` as Address
}

function owned(name: string, identity: string): Owned {
  return {
    address: address(name),
    kind: 'Bucket',
    identity,
    applied: {},
    needs: [],
    adopted: false,
  } as unknown as Owned
}

async function states(): Promise<readonly string[]> {
  return (await store.journal.openEntries(lease.stack)).map(({ change, state }) => `${change.address} ${state}`)
}

/** Another stack of the target owns the resource. */
async function ownElsewhere(identity: string): Promise<void> {
  const { run } = await store.stacks.create(
    { ...stackDefaults, name: 'other', sources: [{ kind: 'inline' }] },
    { managedBy: 'api', target: 'embedded/main', cause: { kind: 'created' } },
  )
  const { lease: other } = await store.runs.takeLease(run)
  const own = new RunJournal(store.journal, other)
  own.done(address('x'), await own.begin({ change: change('Bucket/x') }), { own: [owned('x', identity)] })
  await store.journal.settle(other, { outcome: 'applied', problems: [], failure: null })
}
