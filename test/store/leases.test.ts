// A process that lost the lease of a stack writes nothing more of its run.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LeaseLost } from '../../src/model/errors.js'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { rowsOf } from '../e2e/rows-of.js'
import { ManualClock } from '../manual-clock.js'
import { attemptOf, beginRun, writesOfRuns } from './run-writes.js'
import { beginStep } from '../begin-step.js'
import { openNewStore } from '../new-data-directory.js'
import { sampleSpec } from './sample-spec.js'

let directory: string
let file: string
let store: SqliteStore
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-leases-'))
  file = join(directory, 'gitmoor.db')
  store = openNewStore(file, new ManualClock())
})
afterEach(() => {
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

const each = test.each(Object.entries(writesOfRuns))

each('%s is written with the newest lease', async (_, write) => {
  const leased = await beginRun(store)
  const before = rowsOf(file)
  await write(leased)
  // A queued run that is queued again stays as it is.
  if (write !== writesOfRuns['requeue']) expect(rowsOf(file)).not.toEqual(before)
})

each('%s is refused, and nothing is written, once the run has a newer lease', async (_, write) => {
  const leased = await beginRun(store)
  const newer = await store.runs.takeLease(leased.run)
  await store.stacks.change(newer.lease, {})
  const before = rowsOf(file)
  await expect(write(leased)).rejects.toMatchObject({ name: 'LeaseLost', code: 'store/lease-lost' })
  expect(rowsOf(file)).toEqual(before)
})

each('%s is refused once a later run has the lease of the stack', async (_, write) => {
  const leased = await beginRun(store)
  const later = await store.runs.add({ stack: leased.lease.stack, revision: 'r', cause: { kind: 'commit' } })
  await store.runs.takeLease(later)
  await expect(write(leased)).rejects.toBeInstanceOf(LeaseLost)
})

each('%s is refused after a plan without a run recovered the stack', async (_, write) => {
  const leased = await beginRun(store)
  await store.journal.takeLease(leased.lease.stack)
  await expect(write(leased)).rejects.toBeInstanceOf(LeaseLost)
})

each('%s is refused after the stack was deleted', async (_, write) => {
  const leased = await beginRun(store)
  await store.stacks.delete(leased.lease.stack)
  await expect(write(leased)).rejects.toMatchObject({ name: 'LeaseLost', code: 'store/stack-gone' })
})

/** A run that ended keeps its lease until the next one, so that a retry of its stack can be scheduled. */
const afterTheEnd = ['finish', 'requeue', 'a change of its stack']

each('%s after the end of its run changes nothing of it', async (name, write) => {
  const leased = await beginRun(store)
  await store.runs.finish(leased.lease, { outcome: 'superseded' })
  const before = await store.runs.get(leased.run.id)
  if (afterTheEnd.includes(name)) await write(leased)
  else await expect(write(leased)).rejects.toMatchObject({ name: 'LeaseLost', code: 'store/run-finished' })
  expect(await store.runs.get(leased.run.id)).toEqual(before)
})

describe('a lease', () => {
  test('has a higher token than every lease of its stack before it', async () => {
    const { run, lease } = await beginRun(store)
    const next = (await store.runs.takeLease(run)).lease
    const last = await store.journal.takeLease(run.stack)
    expect([lease.token < next.token, next.token < last.token]).toEqual([true, true])
  })

  test('is not given for a stack that was deleted', async () => {
    const { run } = await beginRun(store)
    await store.stacks.delete(run.stack)
    await expect(store.runs.takeLease(run)).rejects.toMatchObject({ name: 'LeaseLost', code: 'store/stack-gone' })
  })

  test('without a run records progress, also of a run that ended', async () => {
    const { run, lease, entry } = await beginRun(store)
    await store.runs.finish(lease, { outcome: 'interrupted' })
    const without = await store.journal.takeLease(run.stack)
    await store.journal.recordProgress(without, entry, { identity: '00aa' as never })
    expect(await store.journal.openEntries(run.stack)).toMatchObject([{ identity: '00aa' }])
  })

  test('is stored with the first write of its run, as is its attempt', async () => {
    const { run, lease: first, entry } = await beginRun(store)
    const before = rowsOf(file)
    const { lease } = await store.runs.takeLease(run)
    await store.runs.attempt(attemptOf({ store, lease, entry }))
    expect(rowsOf(file)).toEqual(before)
    await expect(store.journal.drop(first, entry)).rejects.toMatchObject({ code: 'store/lease-lost' })
    await beginStep(store.journal, lease, (await store.journal.openEntries(run.stack))[0]!.change)
    expect(await store.runs.get(run.id)).toMatchObject({ phase: 'planning', revision: 'main@sha1:1' })
  })

  test('writes nothing more once something that was to be stored with its next write was not', async () => {
    const { run, lease, entry } = await beginRun(store)
    store.limitPages(1)
    const big = { revision: 'main@sha1:1', content: 'c'.repeat(100_000) }
    await store.runs.attempt({
      lease,
      observed: big,
      settings: 's'.repeat(100_000),
      spec: sampleSpec,
      files: 'f',
      save: [],
    })
    await expect(store.journal.drop(lease, entry)).rejects.toMatchObject({ code: 'store/full' })
    store.limitPages(1_000_000)
    await expect(store.runs.requeue(lease)).rejects.toMatchObject({ code: 'store/full' })
    expect(await store.journal.openEntries(run.stack)).toHaveLength(1)
    await store.runs.requeue((await store.runs.takeLease(run)).lease)
  })

  test('is not needed to end a queued run, and does not let others end one that began', async () => {
    const { run, lease } = await beginRun(store)
    await store.journal.startUndo(lease, { problems: [], failure: null })
    await store.runs.endQueued(run.id, { outcome: 'failed' })
    expect((await store.runs.get(run.id))?.outcome).toBeNull()
    await store.runs.requeue(lease)
    await store.runs.endQueued(run.id, { outcome: 'failed' })
    expect((await store.runs.get(run.id))?.outcome).toBe('failed')
  })
})
