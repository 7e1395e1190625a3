// Targets that report changes: the drift check of a stack is due at once.
import { beforeEach, describe, expect, test } from 'vitest'
import { WatchSession } from '../../../src/agent/runs/watch-session.js'
import { PlainPlatform } from '../../plain/plain-platform.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const watching = {
  changed: { targets: { local: { platform: 'plain', settings: { space: 'main', watch: 'yes' } } } },
}
const world = useWorld(watching)
const hour = 3_600_000
const boards = yaml(label('red'), bucket('raw', { description: 'as declared' }))

beforeEach(() => world().push(boards))

/** Somebody else changes the bucket on the target. */
async function damage(text = 'by hand'): Promise<void> {
  const { inner } = world().platform
  await using connection = await inner.connect(
    { name: 'local', platform: 'plain', settings: { space: 'main', watch: 'no' } },
    never,
  )
  const driver = connection.driver(inner.kinds.find(({ kind }) => kind === 'Bucket')!)
  const { identity } = (await world().store.ownership.of(await id())).get('Bucket/raw' as never)!
  const address = 'Bucket/raw' as never
  const there = (await driver.read([{ address, identity }], never)).get(address)!
  await driver.update(there, { ...there.actual, description: text }, never)
}

async function id(): Promise<string> {
  return (await world().ask.getStack('boards')).id
}

async function description(): Promise<unknown> {
  return (await world().live())['Bucket/raw']?.live['description']
}

function platform(): PlainPlatform {
  return world().platform.inner as PlainPlatform
}

/** Both resources are watched, and nothing is in progress. */
async function watched(): Promise<void> {
  await until('both are watched', async () => platform().watched === 2)
  await quiet()
}

/** All that the last change caused has ended. */
async function quiet(): Promise<void> {
  await until('nothing is in progress', async () => !world().agent.runs.isBusy(await id()))
}

describe('a change that the target reports', () => {
  test('is corrected at once, without waiting for the interval', async () => {
    const first = await world().create('boards')
    await watched()
    await damage()
    const run = await world().runAfter('boards', first.id)
    expect(run).toMatchObject({ outcome: 'applied', cause: { kind: 'drift' }, changes: { update: 1 } })
    expect(await description()).toBe('as declared')
  })

  test('is only reported by a stack with drift report', async () => {
    await world().create('boards', { drift: 'report' })
    await watched()
    await damage()
    await until('it is reported', async () => (await world().ask.getStack('boards')).sync === 'Drifted')
    expect(await description()).toBe('by hand')
  })

  test('causes nothing while the stack is suspended', async () => {
    const run = await world().create('boards')
    await watched()
    await world().ask.suspendStack('boards', 'audit', undefined, 'ann')
    await quiet()
    const connections = world().platform.callers.length
    await damage()
    await quiet()
    expect((await world().lastRun('boards')).id).toBe(run.id)
    expect([world().platform.callers.length, await description()]).toEqual([connections, 'by hand'])
  })

  test('causes nothing in a stack that ignores drift, which is not watched', async () => {
    await world().create('boards', { drift: 'ignore' })
    await quiet()
    const connections = world().platform.callers.length
    await damage()
    await quiet()
    expect([world().platform.callers.length, await description()]).toEqual([connections, 'by hand'])
  })

  test('is reported while a window is closed, and corrected when the window opens', async () => {
    const windows = [{ kind: 'deny', schedule: '0 1 * * *', durationMs: 4 * hour, reason: 'night' }] as const
    const first = await world().create('boards', { windows, driftIntervalMs: 24 * hour })
    await watched()
    world().clock.advance(2 * hour)
    await quiet()
    await damage()
    await until('it is reported', async () => (await world().ask.getStack('boards')).sync === 'Drifted')
    await quiet()
    expect((await world().lastRun('boards')).id).toBe(first.id)
    world().clock.advance(4 * hour)
    expect(await world().runAfter('boards', first.id)).toMatchObject({ outcome: 'applied', cause: { kind: 'drift' } })
  })

  test('is found during a reload that changes the target, and then by watches of a new connection', async () => {
    const first = await world().create('boards')
    await watched()
    const connections = world().platform.callers.length
    const [local] = Object.values(watching.changed.targets)
    await world().reload({ changed: { targets: { local: { ...local!, labels: { env: 'prod' } } } } })
    await quiet()
    expect(world().platform.callers.length).toBe(connections)
    const settings = { ...local!.settings, token: 'new' }
    const reloaded = world().reload({ changed: { targets: { local: { ...local!, settings } } } })
    await damage()
    await reloaded
    const run = await world().runAfter('boards', first.id)
    expect(run).toMatchObject({ outcome: 'applied', cause: { kind: 'drift' } })
    await watched()
    expect(world().platform.callers.length).toBeGreaterThan(connections)
  })

  test('is found after a restart of the agent, and by watches that were lost and added again', async () => {
    const first = await world().create('boards')
    await world().restart(watching)
    await watched()
    platform().loseWatches()
    expect(world().log).toContainEqual(expect.objectContaining({ message: 'resources are not watched, will retry' }))
    await damage()
    await quiet()
    expect((await world().lastRun('boards')).id).toBe(first.id)
    world().clock.advance(6_000)
    expect(await world().runAfter('boards', first.id)).toMatchObject({ outcome: 'applied', cause: { kind: 'drift' } })
  })

  test('is not watched by an agent that stops while it connects, and the stop does not wait', async () => {
    await world().create('boards')
    const { targets } = world().agent.sync
    const stop = new AbortController()
    const kept: Promise<void>[] = []
    const callbacks = { woken: () => {}, lost: () => {} }
    const stack = (await world().store.stacks.get('boards'))!
    const opened = WatchSession.open(stack, { targets, callbacks, keep: (work) => kept.push(work) }, stop.signal)
    stop.abort(new Error('stopped'))
    await expect(opened).rejects.toThrow('stopped')
    await Promise.all(kept)
    expect(kept).toHaveLength(1)
  })

  test('that comes very often causes 10 checks, and then one every 5 seconds', async () => {
    await world().create('boards', { drift: 'report' })
    await watched()
    const checks = (): number => world().platform.callers.length - connections
    const connections = world().platform.callers.length
    for (let n = 0; n < 30; n++) {
      await damage(`by hand ${n}`)
      await quiet()
    }
    expect(checks()).toBe(10)
    world().clock.advance(5_000)
    await until('it was checked again', async () => checks() === 11)
  })
})
