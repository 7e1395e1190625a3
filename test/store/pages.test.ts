// What is long is read page by page, and nothing of it is lost where one page ends.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Change, Plan } from '../../src/model/resources/change.js'
import type { Owned } from '../../src/model/resources/resource.js'
import type { RunLease } from '../../src/model/stacks/run.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import { packPlan, unpackPlan, type PackedPlan } from '../../src/store/sqlite/runs/packed-plan.js'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { roundsDuring, slow } from '../rounds.js'
import { beginStep } from '../begin-step.js'
import { openNewStore } from '../new-data-directory.js'

let directory: string
let store: SqliteStore
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-pages-'))
  store = openNewStore(join(directory, 'gitmoor.db'), new ManualClock())
})
afterEach(() => {
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

const sources = [{ kind: 'git', url: 'https://example.com/x', ref: 'main', path: '' }] as const

async function create(name: string): Promise<{ readonly stack: string; readonly lease: RunLease }> {
  const known = { managedBy: 'api', target: 'embedded/main', cause: { kind: 'created' } } as const
  const { stack, run } = await store.stacks.create({ name, ...stackDefaults, sources }, known)
  return { stack: stack.id, lease: (await store.runs.takeLease(run)).lease }
}

const changeOf = (address: string, text: string): Change =>
  ({
    address,
    kind: 'Label',
    action: 'create',
    fields: [{ path: 'text', after: text }],
    reason: 'added',
    needs: [],
    after: [],
  }) as never

/** Makes and records so many labels, the last first, each with a text of so many characters. */
async function own({ lease }: { readonly lease: RunLease }, count: number, characters: number): Promise<void> {
  const text = 'é'.repeat(characters)
  const numbers = Array.from({ length: count }, (_, at) => count - 1 - at)
  await Promise.all(
    numbers.map(async (at) => {
      const address = `Label/l${String(at).padStart(5, '0')}`
      const entry = await beginStep(store.journal, lease, changeOf(address, text))
      const record = {
        address,
        kind: 'Label',
        identity: `id${at}`,
        applied: { text },
        needs: [],
        adopted: false,
      } as unknown as Owned
      await store.journal.recordProgress(lease, entry, { state: 'done', own: [record] })
    }),
  )
}

const applied = { revision: 'main@sha1:1', content: 'c', files: 'f', place: 'p' }

test.each([
  ['many small ones', 2_100, 1],
  ['a few large ones', 7, 300_000],
  ['exactly a page', 1_000, 1],
])('records and journal of a stack, %s', async (_, count, characters) => {
  const made = await create('boards')
  await own(made, count, characters)
  const open = await store.journal.openEntries(made.stack)
  expect(open.map(({ id }) => id)).toEqual(open.map(({ id }) => id).sort((a, b) => a - b))
  expect(new Set(open.map(({ change }) => change.address)).size).toBe(count)
  await store.journal.settle(made.lease, { outcome: 'applied', applied, problems: [], failure: null })
  const owned = [...(await store.ownership.of(made.stack)).keys()]
  expect(owned).toHaveLength(count)
  const byAddress = (await store.ownership.byAddress(made.stack)).map(({ address }) => address)
  expect(byAddress).toEqual([...owned].sort())
  const [event] = await store.runs.events(made.stack, 1)
  expect(event!.resources.map(({ templateMetaName }) => `Label/${templateMetaName}`)).toEqual(byAddress)
  expect(await store.journal.openEntries(made.stack)).toEqual([])
})

test('a stack that goes passes on everything that others share', async () => {
  const [first, second] = [await create('first'), await create('second')]
  await own(first, 1_200, 1)
  const shared = [...(await store.ownership.of(first.stack)).values()].map((record) => ({
    ...record,
    shared: true as const,
  }))
  await store.stacks.changeOwnership({ stack: second.stack, cause: { kind: 'created' }, own: shared })
  await store.journal.settle(first.lease, { outcome: 'applied', applied, problems: [], failure: null })
  await store.stacks.delete(first.stack)
  const left = [...(await store.ownership.of(second.stack)).values()]
  expect(left).toHaveLength(1_200)
  expect(left.filter((record) => record.shared === true)).toEqual([])
})

test('a plan, whose letters may take several bytes', async () => {
  const lengths = [...Array.from({ length: 40 }, (_, at) => 7_001 + at), 300_000]
  const changes = lengths.map((length, at) => changeOf(`Label/${at}`, '€😀x'.repeat(length)))
  const plan = {
    stack: 's',
    target: 't',
    revision: 'r',
    changes,
    unchanged: 0,
    needsApproval: [],
    digest: 'd',
  } as unknown as Plan
  expect(await unpackPlan((await packPlan(plan)).body)).toEqual(plan)
})

test('a short plan is packed at once, without a stream', async () => {
  const plan = { stack: 's', digest: 'd', changes: [changeOf('Label/é', 'é')], needsApproval: [] } as unknown as Plan
  let packed: PackedPlan | undefined
  void packPlan(plan).then((one) => (packed = one))
  await Promise.resolve()
  expect(packed?.digest).toMatch(/^[0-9a-f]{64}$/)
  expect(await unpackPlan(packed!.body)).toEqual(plan)
})

test('many documents of the embedded platform are read one by one', async () => {
  const ids = Array.from({ length: 8 }, (_, i) => `${i}`)
  const kept = JSON.parse
  for (const id of ids) await store.documents.insert('main', 'Label', { id, key: id, state: { id }, links: [] })
  vi.spyOn(JSON, 'parse').mockImplementation((text) => slow({ value: kept(text) as unknown }, 'value').value)
  expect(await roundsDuring(store.documents.byIds('main', 'Label', ids))).toBeGreaterThanOrEqual(ids.length)
})

test('ownership and the journal are read one by one', async () => {
  const made = await create('boards')
  await own(made, 8, 1)
  const kept = JSON.parse
  vi.spyOn(JSON, 'parse').mockImplementation((text) => slow({ value: kept(text) as unknown }, 'value').value)
  expect(await roundsDuring(store.ownership.of(made.stack))).toBeGreaterThanOrEqual(8)
  expect(await roundsDuring(store.journal.openEntries(made.stack))).toBeGreaterThanOrEqual(8)
})

test('large documents are found by id and by key in pages, with any characters', async () => {
  const ids = ['b', 'a', '\u{1f600}', '\uffee', 'é', 'c'] // in UTF-8, the emoji is the last one, in UTF-16 not
  const state = { text: 'x'.repeat(2 ** 20) }
  for (const id of ids) await store.documents.insert('main', 'Label', { id, key: `k${id}`, state, links: [] })
  const requested = ['missing', ...ids, 'z']
  const byIds = await store.documents.byIds('main', 'Label', requested)
  expect([...byIds.keys()].sort()).toEqual([...ids].sort())
  const byKeys = await store.documents.byKeys(
    'main',
    'Label',
    requested.map((id) => `k${id}`),
  )
  expect([...byKeys.values()].map(({ id }) => id).sort()).toEqual([...ids].sort())
  expect(byKeys.get('k\u{1f600}')).toMatchObject({ id: '\u{1f600}', state })
})
