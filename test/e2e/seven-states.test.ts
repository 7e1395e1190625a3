// Seven states of a package and its target, in turn, driven by pushes and tag moves to a real `git http-backend`.
import { describe, expect, test } from 'vitest'
import type { OwnershipEvent } from '../../src/model/stacks/run.js'
import { Rejected } from '../../src/model/errors.js'
import type { RunView } from '../../src/views/run.js'
import { bucket, dashboard, label, task, yaml } from '../influxdb/packages.js'
import { askTemplates } from '../influxdb/ask.js'
import { never, useWorld, type World } from '../influxdb/world.js'

const einstein = 'lucid-einstein'
const things = (labels?: readonly string[]): string =>
  yaml(
    bucket('pristine-noir', { name: 'bucket_1', ...(labels && { labels }) }),
    dashboard('charmed-saratoba', { name: 'dash_1', ...(labels && { labels }) }),
  )
const first = yaml(label(einstein, { name: 'label_1' }), things([einstein]))
const renamed = yaml(label(einstein, { name: 'cool label name' }), things([einstein]))
const withTask = yaml(renamed, task('alcord-mumphries', { name: 'task_1', labels: [einstein] }))
const bare = things()

/** State → what is pushed. */
const states: Readonly<Record<1 | 2 | 3 | 4 | 5 | 6, string>> = {
  1: first,
  2: first,
  3: renamed,
  4: withTask,
  5: renamed,
  6: bare,
}

/** State → names on the target, label mappings counted apart. */
const onTarget: Readonly<
  Record<keyof typeof states, { readonly names: readonly string[]; readonly mappings: number }>
> = {
  1: { names: ['Bucket/bucket_1', 'Dashboard/dash_1', 'Label/label_1'], mappings: 2 },
  2: { names: ['Bucket/bucket_1', 'Dashboard/dash_1', 'Label/label_1'], mappings: 2 },
  3: { names: ['Bucket/bucket_1', 'Dashboard/dash_1', 'Label/cool label name'], mappings: 2 },
  4: { names: ['Bucket/bucket_1', 'Dashboard/dash_1', 'Label/cool label name', 'Task/task_1'], mappings: 3 },
  5: { names: ['Bucket/bucket_1', 'Dashboard/dash_1', 'Label/cool label name'], mappings: 2 },
  6: { names: ['Bucket/bucket_1', 'Dashboard/dash_1'], mappings: 0 },
}

const world = useWorld()

async function mappings(at: World): Promise<number> {
  return Object.keys(await at.live()).filter((name) => name.startsWith('LabelMapping/')).length
}

async function expectState(at: World, state: keyof typeof states): Promise<void> {
  expect(await at.names()).toEqual(onTarget[state].names)
  expect(await mappings(at)).toBe(onTarget[state].mappings)
}

async function events(at: World, name = 'boards'): Promise<readonly OwnershipEvent[]> {
  const { id } = await at.ask.getStack(name)
  return (await askTemplates(at.call).getTemplateStack(id)).events
}

async function associations(at: World): Promise<Readonly<Record<string, readonly string[]>>> {
  const latest = (await events(at)).at(-1)!
  return Object.fromEntries(
    latest.resources.map((one) => [
      `${one.kind}/${one.templateMetaName}`,
      one.associations.map(({ kind, metaName }) => `${kind}/${metaName}`),
    ]),
  )
}

/** Changes of a run, as `action address`. */
function changes(run: RunView): readonly string[] {
  return (run.plan?.changes ?? []).map(({ action, address }) => `${action} ${address}`).sort()
}

describe.each([
  { follows: 'the tag stable', ref: 'stable' },
  { follows: 'the tag beta, annotated', ref: 'beta' },
])('a stack that follows $follows', ({ ref }) => {
  const reach = async (state: keyof typeof states): Promise<RunView> => {
    const commit = await world().push(states[state])
    await world().repository.tag(ref, commit, { annotated: ref === 'beta' })
    world().clock.advance(1_000)
    return world().sync('boards')
  }
  const begin = async (): Promise<RunView> => {
    const commit = await world().push(first)
    await world().repository.tag(ref, commit, { annotated: ref === 'beta' })
    return world().create('boards', { ref, dataLoss: 'allow' })
  }

  test('state 0 is a record with one create event and no resources', async () => {
    await world().push(first)
    await world().create('boards', { ref })
    const view = await world().ask.getStack('boards')
    expect(await events(world())).toEqual([expect.objectContaining({ eventType: 'create', resources: [], run: null })])
    expect(view.resources).toEqual([])
    expect(await world().names()).toEqual([])
  })

  test('state 1 creates three resources and two mappings', async () => {
    const run = await begin()
    expect(changes(run)).toEqual([
      'create Bucket/pristine-noir',
      'create Dashboard/charmed-saratoba',
      `create Label/${einstein}`,
      `create LabelMapping/Bucket/pristine-noir/${einstein}`,
      `create LabelMapping/Dashboard/charmed-saratoba/${einstein}`,
    ])
    expect(run.changes).toEqual({ create: 3, update: 0, remove: 0, unchanged: 0 })
    await expectState(world(), 1)
    expect((await events(world())).map(({ eventType }) => eventType)).toEqual(['create', 'update'])
    expect(await associations(world())).toEqual({
      'Bucket/pristine-noir': [`Label/${einstein}`],
      'Dashboard/charmed-saratoba': [`Label/${einstein}`],
      [`Label/${einstein}`]: [],
    })
  })

  test('state 2 makes no write call and leaves the record identical', async () => {
    await begin()
    const before = {
      live: await world().live(),
      events: await events(world()),
      resources: (await world().ask.getStack('boards')).resources,
    }
    world().platform.reset()
    const run = await reach(2)
    expect(run.outcome).toBe('unchanged')
    expect(world().platform.writes).toEqual([])
    const after = {
      live: await world().live(),
      events: await events(world()),
      resources: (await world().ask.getStack('boards')).resources,
    }
    expect(after).toEqual(before)
    const repeated = await world().sync('boards')
    expect(repeated).toMatchObject({ outcome: 'unchanged', changes: { create: 0, update: 0, remove: 0, unchanged: 3 } })
    expect(world().platform.writes).toEqual([])
    expect(await events(world())).toEqual(before.events)
  })

  test('state 3 renames the label and touches nothing else', async () => {
    await begin()
    const before = await world().ids('boards')
    const [, applied] = await events(world())
    const run = await reach(3)
    expect(changes(run)).toEqual([`update Label/${einstein}`])
    await expectState(world(), 3)
    expect(await world().ids('boards')).toEqual(before)
    const latest = (await events(world())).at(-1)!
    expect(latest.resources).toEqual(applied!.resources)
    expect(latest.updatedAt).toBeGreaterThan(applied!.updatedAt)
  })

  test('states 4 and 5 add a task and take it away again', async () => {
    await begin()
    await reach(3)
    const before = await world().ids('boards')
    expect(changes(await reach(4))).toEqual([
      'create LabelMapping/Task/alcord-mumphries/lucid-einstein',
      'create Task/alcord-mumphries',
    ])
    await expectState(world(), 4)
    expect((await associations(world()))['Task/alcord-mumphries']).toEqual([`Label/${einstein}`])
    expect(changes(await reach(5))).toEqual([
      'remove LabelMapping/Task/alcord-mumphries/lucid-einstein',
      'remove Task/alcord-mumphries',
    ])
    await expectState(world(), 5)
    expect(await world().ids('boards')).toEqual(before)
  })

  test('state 6 removes the label, and what bore it keeps its id', async () => {
    await begin()
    await reach(3)
    const { [`Label/${einstein}`]: gone, ...rest } = await world().ids('boards')
    expect(gone).toBeDefined()
    const run = await reach(6)
    expect(changes(run)).toEqual([
      `remove Label/${einstein}`,
      `remove LabelMapping/Bucket/pristine-noir/${einstein}`,
      `remove LabelMapping/Dashboard/charmed-saratoba/${einstein}`,
    ])
    await expectState(world(), 6)
    expect(await world().ids('boards')).toEqual(rest)
    expect(await associations(world())).toEqual({ 'Bucket/pristine-noir': [], 'Dashboard/charmed-saratoba': [] })
  })

  test('the tag goes through all states and back again, and the target goes with it', async () => {
    await begin()
    const commits: string[] = []
    for (const state of [1, 3, 4, 6] as const) commits.push(await world().push(states[state]))
    for (const state of [1, 3, 4, 6, 4, 3, 1] as const) {
      const commit = commits[[1, 3, 4, 6].indexOf(state)]!
      await world().repository.tag(ref, commit, { annotated: ref === 'beta' })
      const run = await world().sync('boards')
      expect(['applied', 'unchanged']).toContain(run.outcome)
      await expectState(world(), state)
      expect((await world().ask.getStack('boards')).revision.applied).toBe(`${ref}@sha1:${commit}`)
    }
  })
})

describe('state 7', () => {
  test.each([
    { step: 3, from: 1, to: 3 },
    { step: 4, from: 3, to: 4 },
    { step: 5, from: 4, to: 5 },
    { step: 6, from: 3, to: 6 },
  ] as const)('a failure at any write of step $step leaves everything as before it', async ({ from, to }) => {
    await world().push(states[from])
    await world().create('boards', { dataLoss: 'allow' })
    const settled = (at: World) => async (): Promise<object> => ({
      live: byName(await at.live()),
      mappings: await mappings(at),
    })
    const look = settled(world())
    const before = await look()
    const countOfEvents = (await events(world())).length
    await world().push(states[to])
    const failing = await failAt(world(), 1)
    expect(failing.outcome).toBe('undone')
    const writes = failing.plan!.changes.length
    expect(await look()).toEqual(before)
    for (let n = 2; n <= writes; n++) {
      expect((await failAt(world(), n)).outcome).toBe('undone')
      expect(await look()).toEqual(before)
    }
    const record = await world().ask.getStack('boards')
    expect(record.resources.map(({ id }) => id).sort()).toEqual(
      Object.entries(await world().live())
        .filter(([name]) => !name.startsWith('LabelMapping/'))
        .map(([, { id }]) => id)
        .sort(),
    )
    const gained = (await events(world())).slice(countOfEvents)
    expect(gained.every(({ eventType }) => eventType === 'update')).toBe(true)
    world().platform.reset()
    expect((await world().sync('boards')).outcome).toBe('applied')
    await expectState(world(), to)
  })
})

/** Syncs while the target refuses its n-th write. */
async function failAt(at: World, n: number): Promise<RunView> {
  let left = n
  at.platform.reset()
  at.platform.onCall(({ verb }) => {
    if (verb !== 'read' && verb !== 'find' && --left === 0)
      throw new Rejected('The target says no.', { code: 'platform/refused' })
  })
  const run = await at.sync('boards')
  at.platform.reset()
  return run
}

/** Without ids, which change where something is made again. */
function byName(live: Awaited<ReturnType<World['live']>>): object {
  return Object.fromEntries(
    Object.entries(live)
      .filter(([name]) => !name.startsWith('LabelMapping/'))
      .map(([name, one]) => [name, { live: one.live, stack: one.stack }]),
  )
}

describe('after each state', () => {
  test.each([1, 3, 4, 6] as const)(
    'in state %i, what is deleted by hand comes back under a new id, the rest untouched',
    async (state) => {
      await world().push(states[state])
      await world().create('boards')
      for (const address of Object.keys(await world().ids('boards'))) {
        const before = await world().ids('boards')
        await world().ask.deleteResource(address, { stack: 'boards', consent: address }, never)
        const run = await world().sync('boards')
        expect(run.outcome).toBe('applied')
        await expectState(world(), state)
        const after = await world().ids('boards')
        expect(after[address]).not.toBe(before[address])
        expect({ ...after, [address]: '' }).toEqual({ ...before, [address]: '' })
      }
    },
  )

  test('what is deleted by hand may then leave the package', async () => {
    await world().push(states[4])
    await world().create('boards')
    for (const address of ['Task/alcord-mumphries', `Label/${einstein}`])
      await world().ask.deleteResource(address, { stack: 'boards', consent: address }, never)
    await world().push(states[6])
    expect((await world().sync('boards')).outcome).toBe('applied')
    await expectState(world(), 6)
  })
})
