// What a run writes to its journal, and how many commits that takes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RunJournal } from '../../src/engine/run-journal.js'
import type { Change } from '../../src/model/resources/change.js'
import type { RunLease } from '../../src/model/stacks/run.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { commitsOf } from '../store/commits.js'
import { beginRun } from '../store/run-writes.js'

let directory: string
let file: string
let store: SqliteStore
let lease: RunLease
let journal: RunJournal

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-run-journal-'))
  file = join(directory, 'gitmoor.db')
  store = new SqliteStore(file, new ManualClock())
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
