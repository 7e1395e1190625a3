// Two processes with one database, as if a lock of the data directory had failed: the one that lost its lease writes
// nothing more of the run, and the other one carries the run to its end.
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { RunLease } from '../../src/model/stacks/run.js'
import { SqliteFile } from '../../src/store/sqlite/file/sqlite-file.js'
import { SqliteJournal } from '../../src/store/sqlite/journal/sqlite-journal.js'
import { OwnedRows } from '../../src/store/sqlite/ownership/owned-rows.js'
import { Leases } from '../../src/store/sqlite/runs/leases.js'
import { SqliteRuns } from '../../src/store/sqlite/runs/sqlite-runs.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { buildChild } from '../crash/build-child.js'
import { rowsOf } from '../e2e/rows-of.js'
import { ManualClock } from '../manual-clock.js'
import { writesOfRuns } from './run-writes.js'

const clock = new ManualClock()
let built: Awaited<ReturnType<typeof buildChild>>
let directory: string
let file: string
let child: ChildProcessByStdio<Writable, Readable, null> | undefined

beforeAll(async () => {
  built = await buildChild('test/store/fenced-child.ts')
})
afterAll(() => built[Symbol.dispose]())
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-fenced-'))
  file = join(directory, 'gitmoor.db')
})
afterEach(() => {
  child?.kill('SIGKILL')
  rmSync(directory, { recursive: true, force: true })
})

/** The lease that the other process took. `goOn`: lets it try every write; gives the codes of the errors. */
async function beginElsewhere(): Promise<{ lease: RunLease; goOn: () => Promise<Record<string, string>> }> {
  const started = spawn(process.execPath, [built.entry, file], { stdio: ['pipe', 'pipe', 'inherit'] })
  child = started
  const lines = createInterface(started.stdout)
  const next = async (): Promise<string> => ((await once(lines, 'line')) as [string])[0]
  const lease = JSON.parse(await next()) as RunLease
  const goOn = async (): Promise<Record<string, string>> => {
    started.stdin.write('\n')
    return JSON.parse(await next()) as Record<string, string>
  }
  return { lease, goOn }
}

const refused = (code: string): Record<string, string> =>
  Object.fromEntries(Object.keys(writesOfRuns).map((name) => [name, code]))

test('a process whose run another one took over writes nothing more of it', async () => {
  const { lease, goOn } = await beginElsewhere()
  const database = new SqliteFile(file) // opening a store would replace files of the other process
  const leases = new Leases(database)
  const runs = new SqliteRuns(database, leases, clock)
  const run = await runs.takeLease((await runs.get(lease.run))!)
  expect(run.lease.token).toBeGreaterThan(lease.token)
  await runs.requeue(run.lease)
  const before = rowsOf(file)
  expect(await goOn()).toEqual(refused('store/lease-lost'))
  expect(rowsOf(file)).toEqual(before)
  const journal = new SqliteJournal(database, { owned: new OwnedRows(database), leases }, clock)
  await journal.settle(run.lease, { outcome: 'failed', problems: [], failure: null })
  expect(await runs.get(lease.run)).toMatchObject({ outcome: 'failed', phase: 'done' })
  database.close()
})

test('a process whose database another agent opened writes nothing at all', async () => {
  const { goOn } = await beginElsewhere()
  using _store = new SqliteStore(file, clock)
  const before = rowsOf(file)
  expect(await goOn()).toEqual(refused('store/gone'))
  expect(rowsOf(file)).toEqual(before)
})
