// The status of all stacks as metrics: the same as people see.
import { describe, expect, test } from 'vitest'
import { states } from '../../../src/status/status.js'
import { readMetrics, type MetricsSnapshot, type StackMetrics } from '../../../src/stacks/status/metrics.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()
const figures = (): Promise<MetricsSnapshot> => world().call(readMetrics)
const of = async (name: string): Promise<StackMetrics> => (await figures()).stacks.find((stack) => stack.name === name)!

const well = {
  ready: true,
  synced: true,
  needsApproval: false,
  suspended: false,
  failed: false,
  waiting: false,
  secretMissing: false,
  warnings: 0,
  drifted: 0,
  unhealthy: 0,
  lagMs: 0,
}

test('of a stack that is as it shall be, and how long it has been so', async () => {
  await world().push(label('red'))
  await world().create('boards')
  world().clock.advance(20_000)
  expect(await of('boards')).toEqual({
    name: 'boards',
    target: 'local',
    managedBy: 'api',
    ...well,
    revisionAgeMs: 20_000,
  })
})

describe('a stack lags', () => {
  test('since the newest revision was seen, through failures and retries, until it is applied', async () => {
    await world().push(label('red'))
    await world().create('boards')
    await world().push(label('red').replace('kind: Label', 'kind: Nonsense'))
    await world().sync('boards')
    world().clock.advance(10_000)
    expect(await of('boards')).toMatchObject({
      ready: false,
      synced: false,
      failed: true,
      lagMs: 10_000,
      revisionAgeMs: 10_000,
    })
    await world().sync('boards')
    expect(await of('boards')).toMatchObject({ lagMs: 10_000 })
    await world().push(label('red', { color: '#445566' }))
    await world().sync('boards')
    expect(await of('boards')).toMatchObject({ ...well, revisionAgeMs: 0 })
  })

  test('behind what it is pinned at, not behind its ref', async () => {
    await world().push(label('red'))
    const first = await world().create('boards')
    await world().push(yaml(label('red'), label('blue')))
    await world().sync('boards')
    const { id } = await world().ask.rollBack('boards', first.id, '', 'ann')
    await world().ended('boards', id)
    world().clock.advance(10_000)
    expect(await of('boards')).toMatchObject({ lagMs: 0, synced: false })
  })
})

test('of a stack that waits for a window: its run does not count as one that waits for its turn', async () => {
  await world().push(label('red'))
  await world().ask.createStack(
    world().spec('boards', { windows: [{ kind: 'deny', schedule: '@daily', durationMs: 3_600_000 }] }),
    'ann',
  )
  await until('it waits', async () => (await of('boards')).waiting)
  const { queued, oldestQueuedMs, waiting } = await figures()
  expect({ queued, oldestQueuedMs, waiting: [...waiting] }).toEqual({
    queued: 0,
    oldestQueuedMs: 0,
    waiting: [
      ['Window', 1],
      ['Dependencies', 0],
    ],
  })
})

test('of a stack that needs approval, and of a suspended one', async () => {
  await world().push(yaml(label('red'), bucket('raw')))
  await world().create('waits')
  await world().create('rests', { target: 'other' })
  await world().ask.suspendStack('rests', 'lunch', undefined, 'ann')
  await world().push(label('red'))
  await world().sync('waits')
  expect(await of('waits')).toMatchObject({ needsApproval: true, ready: false, failed: false })
  expect(await of('rests')).toMatchObject({ suspended: true, ready: false })
})

test('of a stack whose source is not seen', async () => {
  await world().push(label('red'))
  await world().create('boards')
  await world().server.close()
  await world()
    .ask.requestSync('boards', 'ann', never)
    .catch(() => {})
  expect(await of('boards')).toMatchObject({ failed: true, ready: false, synced: true })
})

test('they are ready and synced exactly where the list says so', async () => {
  await world().push(label('red'))
  for (const name of ['one', 'two'])
    await world().create(name, name === 'two' ? { target: 'other', drift: 'report' } : {})
  await world().ask.editResource('Label/red', { description: 'by hand' }, { stack: 'two' }, never)
  await world().sync('two')
  const { items } = await world().ask.listStacks({})
  const shown = items.map(({ name, sync, conditions }) => ({
    name,
    ready: conditions[0]!.status,
    synced: sync === 'Synced',
  }))
  expect((await figures()).stacks.map(({ name, ready, synced }) => ({ name, ready, synced }))).toEqual(shown)
})

describe('stacks are counted by state', () => {
  const counted = async (): Promise<Readonly<Record<string, number>>> => Object.fromEntries((await figures()).states)
  const listed = async (): Promise<Readonly<Record<string, number>>> => {
    const counts = Object.fromEntries(states.map((state) => [state, 0]))
    for (const { status } of (await world().ask.listStacks({})).items) counts[status.state]!++
    return counts
  }
  const inline = { sources: [{ kind: 'inline' }] } as const
  const windows = [{ kind: 'deny', schedule: '@daily', durationMs: 3_600_000 }] as const

  test('every state, none without stacks', async () => {
    expect(Object.keys(await counted())).toEqual([...states])
    expect(new Set(Object.values(await counted()))).toEqual(new Set([0]))
  })

  test('as the list says', async () => {
    await world().push(yaml(label('red'), bucket('raw')))
    await world().create('synced')
    await world().create('suspended', { target: 'other', ref: 'main' })
    await world().ask.suspendStack('suspended', 'lunch', undefined, 'ann')
    await world().ask.createStack(world().spec('failed', { path: 'nowhere' }), 'ann')
    await world().ask.createStack(world().spec('window', { windows, ref: 'main' }), 'ann')
    await world().ask.createStack(world().spec('push', inline), 'ann')
    await until(
      'each has its state',
      async () => (await listed())['Running'] === 0 && (await listed())['Unknown'] === 0,
    )
    expect(await listed()).toMatchObject({ Synced: 1, Suspended: 1, Failed: 1, Waiting: 2 })
    expect(await counted()).toEqual(await listed())
  })

  test('by the moves of channels, by pins and by approvals', async () => {
    const commit = await world().push(yaml(label('red'), bucket('raw')), 'stable')
    const { id } = await world().create('pinned')
    await world().create('stable', { ref: 'stable', target: 'other' })
    await world().push(yaml(label('red'), bucket('raw'), label('blue')))
    await world().sync('pinned')
    const rollback = await world().ask.rollBack('pinned', id, '', 'ann')
    await world().ended('pinned', rollback.id)
    await world().ask.pinChannel('stable', { at: commit, why: 'an audit', by: 'ann' }, never)
    expect(await listed()).toMatchObject({ Pinned: 2 })
    expect(await counted()).toEqual(await listed())
    await world().ask.unpinChannel('stable', { why: '', by: 'ann' })
    await world().ask.unpinStack('pinned', 'ann')
    await until('it follows its ref', async () => (await listed())['Synced'] === 2)
    await world().push(label('red'), 'stable')
    await world().sync('stable')
    await until('both plans need approval', async () => (await listed())['Needs approval'] === 2)
    expect(await counted()).toEqual(await listed())
  })
})

test('of the queue: what waits, and for how long, but nothing of suspended stacks', async () => {
  await world().push(label('red'))
  const { id } = await world().create('boards')
  expect(await figures()).toMatchObject({ queued: 0, oldestQueuedMs: 0, inProgress: 0, oldestPollMs: 0 })
  let open: () => void = () => {}
  const closed = new Promise<void>((resolve) => (open = resolve))
  const { stack, revision } = (await world().store.runs.get(id))!
  void world().agent.runs.exclusively(stack, never, () => closed)
  await world().store.runs.add({ stack, revision, cause: { kind: 'person' } })
  world().clock.advance(5_000)
  expect(await figures()).toMatchObject({ queued: 1, oldestQueuedMs: 5_000 })
  await world().store.stacks.change(stack, { suspended: { reason: 'lunch', by: 'ann', until: null } })
  expect(await figures()).toMatchObject({ queued: 0, oldestQueuedMs: 0 })
  open()
  await world().store.stacks.change(stack, { suspended: null })
  world().agent.runs.wake(stack)
  await until('it is done', async () => (await figures()).queued === 0)
})
