// A data directory that commit d96a63f left when it was killed (fixtures/databases/README.md), opened by this version.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { releaseAtOnce } from '../../src/channel/channel-policy.js'
import { openSnapshot } from '../../src/engine/snapshot.js'
import type { LabelCondition } from '../../src/model/stacks/stack.js'
import type { DatabaseEvent } from '../../src/store/database-event-table.js'
import { Keyring } from '../../src/secrets/keyring.js'
import { restoreBackup } from '../../src/store/sqlite/backup/restore-backup.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../manual-clock.js'
import { inMemory } from './hosting.js'
import { refusal } from './refusal.js'
import { until } from './until.js'
import { embeddedWithFlux } from '../influxdb/embedded-world.js'
import { never, World } from './world.js'

const fixture = 'fixtures/databases/version-10'
const key = Buffer.alloc(32, 7)
const channels = [{ ...releaseAtOnce, ref: 'guarded', moves: 'approve-back' as const }]
const names = [
  'approvals',
  'cancelled',
  'drifting',
  'guarded',
  'killed',
  'leaving',
  'pinned',
  'suspended',
  'template-64c5f02a',
  'vetoed',
  'windowed',
]
let root: string
let file: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-older-')))
  file = join(root, 'gitmoor.db')
  writeFileSync(file, gunzipSync(readFileSync(join(fixture, 'gitmoor.db.gz'))), { mode: 0o600 })
  writeFileSync(join(root, 'key'), key, { mode: 0o600 })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const codes = (events: readonly DatabaseEvent[]): readonly string[] => events.map(({ code }) => code)

async function stackNames(store: SqliteStore): Promise<readonly string[]> {
  return (await store.stacks.list({ limit: 100 })).map(({ spec }) => spec.name).sort()
}

describe('the database', () => {
  let store: SqliteStore
  beforeEach(() => void (store = new SqliteStore(file, new ManualClock())))
  afterEach(() => store[Symbol.dispose]())

  const id = async (name: string): Promise<string> => (await store.stacks.get(name))!.id

  test('is copied before its upgrade, and has all stacks after it', async () => {
    expect(codes(store.startEvents)).toEqual(['store/upgraded'])
    expect(readdirSync(join(root, 'copies'))).toHaveLength(1)
    expect(await stackNames(store)).toEqual(names)
  })

  test('has the runs that were killed, with sealed snapshots and an untracked resource', async () => {
    expect((await store.runs.unfinished()).map(({ phase }) => phase)).toEqual(['applying', 'applying'])
    const [killed, leaving] = [
      await store.journal.openEntries(await id('killed')),
      await store.journal.openEntries(await id('leaving')),
    ]
    const summary = [...killed, ...leaving].map(({ change, state }) => `${change.action} ${change.address} ${state}`)
    expect(summary.sort()).toEqual([
      'create Label/after doing',
      'create Label/before doing',
      'remove Label/left doing',
      'untrack Label/first done',
      'update Bucket/raw done',
      'update Label/stays done',
      'update NotificationEndpoint/slack done',
    ])
    const bucket = killed.find(({ change }) => change.address === 'Bucket/raw')!
    expect(openSnapshot(bucket.before!, new Keyring(key)).actual).toMatchObject({ name: 'raw', description: 'one' })
  })

  test('has the plan that needs approval, with the digest that a person saw', async () => {
    const [last] = await store.runs.list(await id('approvals'), { limit: 1 })
    expect(last).toMatchObject({ phase: 'needs-approval', outcome: 'needs-approval' })
    const { plan } = (await store.runs.get(last!.id))!
    expect(plan!.needsApproval).toMatchObject([{ rule: 'approval' }])
    expect(plan!.changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
      'update Label/kept',
      'create Label/coming',
      'untrack Label/common',
      'remove Label/leaving',
    ])
  })

  test('has every decision: a veto, a move that a policy blocks, a pin, a suspension, a cancelled plan', async () => {
    const moves = async (ref: string) => {
      const channel = (await store.channels.list({ limit: 10 })).find((one) => one.ref === ref)!
      return store.channels.moves(channel.remote, ref, { limit: 10 })
    }
    expect((await moves('stable'))[0]).toMatchObject({ state: 'vetoed', decision: { by: 'ann' }, detectedBy: 'poll' })
    expect((await moves('guarded'))[0]).toMatchObject({
      state: 'blocked',
      blockedBy: 'approval',
      direction: 'unknown',
    })
    expect((await store.channels.blocked()).map(({ ref }) => ref).sort()).toEqual(['guarded', 'stable'])
    const [pinned, suspended, cancelled] = [
      await store.stacks.get('pinned'),
      await store.stacks.get('suspended'),
      await store.stacks.get('cancelled'),
    ]
    expect(pinned!.pinned).toMatchObject({ by: 'ann', why: 'incident' })
    expect(suspended!.suspended).toMatchObject({ reason: 'freeze', by: 'ann' })
    expect(cancelled!.failure).toMatchObject({ reason: 'Cancelled', code: 'run/cancelled' })
  })

  test('has the causes of runs and the events of a template stack', async () => {
    const causes = (await store.runs.list(await id('windowed'), { limit: 10 })).map(({ cause }) => cause)
    expect(causes[0]).toEqual({
      kind: 'person',
      by: 'ann',
      requested: true,
      overrode: 'A window denies a sync: freeze.',
    })
    const template = await id('template-64c5f02a')
    expect((await store.runs.list(template, { limit: 10 })).map(({ intent }) => intent)).toEqual(['ownership'])
    expect(await store.runs.events(template, 10)).toMatchObject([{ eventType: 'create', name: 'template' }])
    expect((await store.runs.last([template])).size).toBe(0)
  })

  test('has stacks without labels, which take some', async () => {
    const stack = (await store.stacks.get('pinned'))!
    expect(stack.spec.labels).toEqual({})
    await store.stacks.change(stack.id, { spec: { ...stack.spec, labels: { team: 'ops' } } })
    const none = new Map<string, never>()
    const liveStatus = { pollFailures: none, inProgress: none, blockers: none, unreadableInputs: none }
    const select = async (selector: readonly LabelCondition[]) =>
      (await store.stacks.select({ limit: 100, filter: { selector }, liveStatus })).found.map(
        (one) => one.stack.spec.name,
      )
    expect(await select([{ operator: 'exists', key: 'team' }])).toEqual(['pinned'])
    expect(await select([{ operator: 'absent', key: 'team' }])).toEqual(names.filter((name) => name !== 'pinned'))
  })

  test('is the same after a second start', async () => {
    const stacks = await store.stacks.list({ limit: 100 })
    store[Symbol.dispose]()
    store = new SqliteStore(file, new ManualClock())
    expect(store.startEvents).toEqual([])
    expect(await store.stacks.list({ limit: 100 })).toEqual(stacks)
  })
})

test('a damaged header, which has the version, loses nothing', async () => {
  writeFileSync(file, Buffer.concat([Buffer.alloc(100, 0x31), readFileSync(file).subarray(100)]))
  using store = new SqliteStore(file, new ManualClock())
  expect(codes(store.startEvents)).toEqual(['store/repaired'])
  expect(store.startEvents[0]!.message).toContain('nothing is lost')
  expect(await stackNames(store)).toEqual(names)
  expect((await store.documents.list('main', { limit: 500 })).length).toBeGreaterThan(10)
})

test('a copy of it is restored as a backup', async () => {
  const directory = join(root, 'restored')
  mkdirSync(directory)
  const restored = restoreBackup({ file, key: join(root, 'key'), directory }, 0)
  expect(restored).toMatchObject({ stacks: names.length, withKey: true, cannotUndo: 0 })
  using store = new SqliteStore(join(directory, 'gitmoor.db'), new ManualClock())
  expect(await stackNames(store)).toEqual(names)
})

describe('an agent', () => {
  let world: World
  beforeEach(async () => {
    world = new World(root, embeddedWithFlux, await inMemory())
    await world.start({ channels })
  })
  afterEach(() => world.close())

  const isApplied = async (name: string): Promise<boolean> =>
    (await world.ask.getStack(name)).lastRun?.outcome === 'applied'

  test('completes the runs that were killed, and writes nothing else', async () => {
    await until('both runs are completed', async () => (await isApplied('killed')) && (await isApplied('leaving')))
    const [main, other] = [await world.live('local'), await world.live('other')]
    const labels = Object.keys(main).filter((name) => name.startsWith('Label/'))
    expect(labels.sort()).toEqual(
      ['after', 'before', 'common', 'first', 'kept', 'leaving', 'resting', 'windowed'].map((name) => `Label/${name}`),
    )
    expect(
      Object.keys(other)
        .filter((name) => name.startsWith('Label/'))
        .sort(),
    ).toEqual(['Label/first', 'Label/second', 'Label/stays'])
    const writes = world.platform.writes.map(({ verb, family }) => `${verb} ${family}`)
    expect(writes.sort()).toEqual(['create Label', 'remove Label', 'remove Label'])
  })

  test('does not ask for an approval again, and accepts the digest that was shown before', async () => {
    const { lastRun } = await world.ask.getStack('approvals')
    const { plan } = await world.ask.getRun('approvals', lastRun!.id)
    await until(
      'the killed runs are completed',
      async () => (await isApplied('killed')) && (await isApplied('leaving')),
    )
    expect((await world.ask.getStack('approvals')).lastRun!.id).toBe(lastRun!.id)
    const { id } = await world.ask.approvePlan('approvals', plan!.digest, 'ann', never)
    expect(await world.ended('approvals', id)).toMatchObject({ outcome: 'applied' })
    expect(Object.keys(await world.ids('approvals')).sort()).toEqual(['Label/coming', 'Label/kept'])
    expect(Object.keys(await world.live())).toContain('Label/common')
  })

  test('applies a plan that was saved before', async () => {
    const saved = JSON.parse(readFileSync(join(fixture, 'plan.json'), 'utf8')) as Record<'revision' | 'digest', string>
    await until('the killed runs are completed', async () => isApplied('killed'))
    const { id } = await world.ask.applyPlan({ stack: 'drifting', ...saved }, 'ann', never)
    expect(await world.ended('drifting', id)).toMatchObject({ outcome: 'applied' })
    expect((await world.live())['Bucket/drifting']!.live).toMatchObject({ description: 'declared' })
  })

  test('refuses a plan that was saved before if the target changed since, and writes nothing', async () => {
    const saved = JSON.parse(readFileSync(join(fixture, 'plan.json'), 'utf8')) as Record<'revision' | 'digest', string>
    await until(
      'the killed runs are completed',
      async () => (await isApplied('killed')) && (await isApplied('leaving')),
    )
    await world.ask.editResource('Bucket/drifting', { description: 'by hand, again' }, { stack: 'drifting' }, never)
    world.platform.reset()
    const applied = world.ask.applyPlan({ stack: 'drifting', ...saved }, 'ann', never)
    expect(await refusal(applied)).toMatchObject({ status: 'stale', code: 'plan/stale' })
    expect(world.platform.writes).toEqual([])
  })

  test('makes a client with an event cursor of the former process start again', async () => {
    const types: string[] = []
    const stop = await world.ask.watchEvents({ after: 'd36eca69-154' }, ({ type }) => types.push(type))
    stop()
    expect(types[0]).toBe('reset')
  })
})
