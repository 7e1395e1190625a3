// What a run costs and leaves when it is settled, in a stack that owns much more than the run changed.
import Database from 'better-sqlite3'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Settlement } from '../../src/engine/journal.js'
import type { Change } from '../../src/model/resources/change.js'
import type { Owned } from '../../src/model/resources/resource.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { beginStep } from '../begin-step.js'
import { ManualClock } from '../manual-clock.js'
import { openNewStore } from '../new-data-directory.js'
import { commitsOf } from './commits.js'

/** How many writes share a commit does not depend on how busy the machine is. */
const patient = { commitMs: 60_000, laterMs: 60_000 }

let directory: string
let file: string
let store: SqliteStore
let stack: string

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-settle-'))
  file = join(directory, 'gitmoor.db')
  store = openNewStore(file, new ManualClock(), patient)
  stack = await createStack('boards')
})
afterEach(() => {
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

async function createStack(name: string): Promise<string> {
  const made = await store.stacks.create(
    { name, ...stackDefaults, sources: [{ kind: 'inline' }] },
    { managedBy: 'api', target: 'embedded/main', cause: { kind: 'created' } },
  )
  return made.stack.id
}

function owned(n: number, more: Partial<Owned> = {}): Owned {
  const identity = n.toString(16).padStart(16, '0')
  return { address: `Bucket/b${n}`, kind: 'Bucket', identity, applied: {}, needs: [], adopted: false, ...more } as Owned
}

async function own(count: number): Promise<void> {
  const all = Array.from({ length: count }, (_, n) => owned(n))
  await store.stacks.changeOwnership({ stack, cause: { kind: 'created' }, own: all })
}

function change(n: number, action: Change['action'], more: Partial<Change> = {}): Change {
  const rest = { kind: 'Bucket', fields: [], reason: 'changed', needs: [], after: [] }
  return { ...rest, address: owned(n).address, action, ...more } as Change
}

const applied: Settlement = { outcome: 'applied', problems: [], failure: null }
type Mark = Parameters<SqliteStore['journal']['recordLater']>[2]

/** A run that takes one step and settles. Gives the commits after the step began. */
async function runStep(
  step: Change,
  mark: Mark,
  { settlement = applied, of = stack }: { readonly settlement?: Settlement; readonly of?: string } = {},
): Promise<number> {
  const run = await store.runs.add({ stack: of, revision: 'main@sha1:1', cause: { kind: 'commit' } })
  const { lease } = await store.runs.takeLease(run)
  const entry = await beginStep(store.journal, lease, step)
  const before = commitsOf(file)
  const stored = store.journal.recordLater(lease, entry, { ...mark, state: 'done' })
  await Promise.all([stored, store.journal.settle(lease, settlement)])
  return commitsOf(file) - before
}

/** The addresses and identities that the newest event lists. */
async function listed(): Promise<readonly string[]> {
  const event = (await store.runs.events(stack, 100)).at(-1)!
  return event.resources.map(({ templateMetaName, resourceID }) => `${templateMetaName} ${Number(`0x${resourceID}`)}`)
}

async function eventCount(): Promise<number> {
  return (await store.runs.events(stack, 100)).length
}

/** Reading this ownership fails from now on. */
function spoil(n: number): void {
  const database = new Database(file)
  database.prepare("update owned set needs = '{' where address = ?").run(owned(n).address)
  database.close()
}

describe.each([3, 300])('a run of a stack that owns %i resources', (count) => {
  beforeEach(() => own(count))

  test('reads the ownership of what it wrote, and no other', async () => {
    spoil(2)
    await runStep(change(1, 'update'), { own: [owned(1, { applied: { name: 'new' } })] })
    expect((await store.runs.last([stack])).get(stack)).toMatchObject({ outcome: 'applied' })
    await expect(runStep(change(1, 'remove'), { disown: [owned(1).address] })).rejects.toThrow()
  })

  test('settles an update in one commit with its mark, with an event that lists the same', async () => {
    const [before, events] = [await listed(), await eventCount()]
    expect(await runStep(change(1, 'update'), { own: [owned(1, { applied: { name: 'new' } })] })).toBe(1)
    expect(await listed()).toEqual(before)
    expect(await eventCount()).toBe(events + 1)
  })

  test('lists what it created, removed, and made again with another identity', async () => {
    await runStep(change(count, 'create'), { own: [owned(count)] })
    await runStep(change(1, 'remove'), { disown: [owned(1).address] })
    await runStep(change(0, 'create'), { own: [owned(0, { identity: owned(7_000).identity })] })
    expect(await listed()).toHaveLength(count)
    expect((await listed()).slice(0, 1)).toEqual(['b0 7000'])
    expect(await listed()).toContain(`b${count} ${count}`)
    expect((await listed()).some((one) => one.startsWith('b1 '))).toBe(false)
  })

  test('lists an update that gives a resource another identity', async () => {
    await runStep(change(0, 'update'), { own: [owned(0, { identity: owned(7_000).identity })] })
    expect((await listed()).slice(0, 1)).toEqual(['b0 7000'])
  })

  test('passes what it no longer owns on to the stack that shares it', async () => {
    const other = await createStack('other')
    const shared = { ...owned(1), shared: true } as const
    await runStep(change(1, 'update'), { own: [shared] }, { of: other })
    await runStep(change(1, 'untrack'), { disown: [shared.address] })
    expect((await store.ownership.of(other)).get(shared.address)?.shared).toBeUndefined()
  })

  test('stores neither ownership nor an event if nothing is to be changed', async () => {
    spoil(2)
    const events = await eventCount()
    const run = await store.runs.add({ stack, revision: 'main@sha1:1', cause: { kind: 'commit' } })
    await store.journal.settle((await store.runs.takeLease(run)).lease, { ...applied, outcome: 'unchanged' })
    expect(await eventCount()).toBe(events)
  })
})

describe('a partial settlement', () => {
  const partial: Settlement = { ...applied, partial: true }
  const failure = { reason: 'X', code: 'x', message: 'x', retry: 'soon' } as const
  const consent = { revision: 'r', changes: [], by: 'ann' } as never

  test('leaves failure, consent, retries and what is applied, and makes no event', async () => {
    await own(3)
    await store.stacks.change(stack, { failure, retries: 2, consent })
    const [before, events] = [await store.stacks.get(stack), await eventCount()]
    expect(await runStep(change(1, 'update'), { own: [owned(1)] }, { settlement: partial })).toBe(1)
    const after = await store.stacks.get(stack)
    expect(before).toMatchObject({ failure, retries: 2, consent })
    expect(after).toEqual(before)
    expect([await eventCount(), await store.journal.openEntries(stack)]).toEqual([events, []])
  })

  test('makes an event if a resource has another identity, so that later events list it, too', async () => {
    await own(3)
    const again = owned(1, { identity: owned(7_000).identity })
    await runStep(change(1, 'create'), { own: [again] }, { settlement: partial })
    expect(await listed()).toEqual(['b0 0', 'b1 7000', 'b2 2'])
    await runStep(change(2, 'update'), { own: [owned(2)] })
    expect(await listed()).toEqual(['b0 0', 'b1 7000', 'b2 2'])
  })
})
