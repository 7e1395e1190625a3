// Declarations of fleets.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { FleetSpec } from '../../src/model/stacks/fleet.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'

const directories = { repo: 'https://git.example/x', ref: 'stable', include: ['*'], exclude: [], name: '{path}' }
const boards: FleetSpec = { name: 'boards', directories, template: stackDefaults, maxStacks: 100 }
const listing = { at: 5, revision: 'stable@sha1:aa', directories: 2, problems: [] }

let directory: string
let file: string
let clock: ManualClock

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-fleets-'))
  file = join(directory, 'gitmoor.db')
  clock = new ManualClock()
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function put(store: SqliteStore, spec = boards): Promise<unknown> {
  return store.fleets.put({ spec, managedBy: 'api', declared: true })
}

async function addStack(store: SqliteStore, name: string): Promise<string> {
  const spec = { ...stackDefaults, name, sources: [{ kind: 'inline' }] } as const
  const made = { managedBy: 'fleet:boards', target: 'embedded/main', cause: { kind: 'created' } } as const
  return (await store.stacks.create(spec, made)).stack.id
}

test('a fleet is stored with its last listing, and a new declaration keeps it', async () => {
  using store = new SqliteStore(file, clock)
  const createdAt = clock.now()
  await put(store)
  await store.fleets.keepListing('boards', listing)
  clock.advance(1_000)
  await put(store, { ...boards, maxStacks: 5 })
  const expected = { spec: { ...boards, maxStacks: 5 }, managedBy: 'api', declared: true, createdAt, listing }
  expect(await store.fleets.get('boards')).toEqual(expected)
  expect(await store.fleets.list({ limit: 10 })).toEqual([expected])
})

test('a fleet of targets is stored as it was declared', async () => {
  using store = new SqliteStore(file, clock)
  const { target: _, ...defaults } = stackDefaults
  const template = { ...defaults, sources: [{ kind: 'inline' }] } as const
  const spec: FleetSpec = { name: 'boards', targets: { names: ['eu1'] }, template, maxStacks: 100 }
  await put(store, spec)
  await store.fleets.keepListing('boards', { at: 5, targets: 1, problems: [] })
  expect(await store.fleets.get('boards')).toMatchObject({ spec, listing: { at: 5, targets: 1, problems: [] } })
  expect((await store.fleets.get('boards'))!.spec.template).not.toHaveProperty('target')
})

test('a fleet that an older version stored has the settings that are new since', async () => {
  using store = new SqliteStore(file, clock)
  const older = { name: 'boards', directories, template: { target: 'prod', intervalMs: 5_000 }, maxStacks: 7 }
  await put(store, older as unknown as FleetSpec)
  await store.fleets.keepListing('boards', listing)
  const template = { ...stackDefaults, target: 'prod', intervalMs: 5_000 }
  expect(await store.fleets.get('boards')).toMatchObject({ spec: { ...older, template }, listing })
})

test('a check that throws writes nothing', async () => {
  using store = new SqliteStore(file, clock)
  const refuse = (): never => {
    throw new Error('no')
  }
  await expect(store.fleets.put({ spec: boards, managedBy: 'api', declared: true }, refuse)).rejects.toThrow('no')
  expect(await store.fleets.get('boards')).toBeUndefined()
})

test('deleting a fleet keeps its stacks, which requests manage from then on', async () => {
  using store = new SqliteStore(file, clock)
  await put(store)
  await addStack(store, 'web')
  const suspended = { reason: 'gone', by: 'fleet:boards', until: null }
  await store.stacks.change(await addStack(store, 'api'), { suspended })
  expect(await store.fleets.counts()).toEqual(new Map([['boards', { stacks: 2, undeclared: 1 }]]))
  await store.fleets.delete('boards')
  expect(await store.fleets.get('boards')).toBeUndefined()
  expect((await store.stacks.list({ limit: 10 })).map(({ managedBy }) => managedBy)).toEqual(['api', 'api'])
  expect(await store.fleets.counts()).toEqual(new Map())
})

test('an older database that was put back has the fleets of the decision log', async () => {
  {
    using store = new SqliteStore(file, clock)
    await put(store, { ...boards, name: 'former' })
  }
  copyFileSync(file, join(directory, 'old'))
  {
    using store = new SqliteStore(file, clock)
    await put(store)
    await store.fleets.delete('former')
  }
  copyFileSync(join(directory, 'old'), file)
  using store = new SqliteStore(file, clock)
  expect((await store.fleets.list({ limit: 10 })).map(({ spec }) => spec.name)).toEqual(['boards'])
})
