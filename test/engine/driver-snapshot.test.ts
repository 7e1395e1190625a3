// A driver that keeps a digest of a large description in the journal, and the description itself elsewhere.
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/model/json.js'
import { Rejected } from '../../src/model/errors.js'
import type { Driver } from '../../src/platform/platform.js'
import { label, type Doc } from '../plan/scenario.js'
import { driverWith, EngineWorld } from './engine-world.js'

const large = 'x'.repeat(10_000)

function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

/** A world whose labels are kept that way. `kept`: the contents, by digest. */
function worldWith(kept: Map<string, string>): EngineWorld {
  const world = new EngineWorld()
  const digested = (state: JsonObject): JsonObject => ({ ...state, color: digestOf(state['color'] as string) })
  const whole = (state: JsonObject): JsonObject => {
    const color = state['color'] as string
    if (!color.startsWith('sha256:')) return state
    const content = kept.get(color)
    if (content === undefined) throw new Rejected('The content is gone.', { code: 'platform/gone' })
    return { ...state, color: content }
  }
  const keep = (state: JsonObject): void => void kept.set(digestOf(state['color'] as string), state['color'] as string)
  world.around = (driver: Driver, family) =>
    family !== 'Label'
      ? driver
      : driverWith(driver, {
          snapshot: digested,
          create: (state, trace, signal) => driver.create(whole(state), trace, signal),
          update: (now, state, signal) => (keep(now.actual), driver.update(now, whole(state), signal)),
          remove: (now, signal) => (keep(now.actual), driver.remove(now, signal)),
        })
  return world
}

const red = (color: string): Doc => label('red', 'Red', color)
const last = label('last', 'Last')

/** The last change is refused, so the run is undone. Its snapshots are recorded. */
function refuseLast(world: EngineWorld): string[] {
  const snapshots: string[] = []
  world.fate = (call) => (call === 'remove Label Last' ? 'refused' : 'well')
  world.pause = async (call) => {
    if (call === 'start undo')
      for (const { before } of await world.journal())
        if (before !== undefined) snapshots.push(world.sealer.open(before))
  }
  return snapshots
}

test.each([
  ['an update', [red('small')]],
  ['a removal', [label('other', 'Other')]],
])('%s is undone with a snapshot that the driver chose', async (_, next) => {
  await using world = worldWith(new Map())
  await world.apply([red(large), last])
  const snapshots = refuseLast(world)
  expect((await world.apply(next)).outcome).toBe('undone')
  expect(snapshots.some((one) => one.includes(digestOf(large)))).toBe(true)
  expect(snapshots.some((one) => one.includes(large))).toBe(false)
  expect((await world.state('Label', 'Red'))!['color']).toBe(large)
})

test('what is as the snapshot says is not written again', async () => {
  await using world = worldWith(new Map())
  await world.apply([red(large), last])
  refuseLast(world)
  const { fate } = world
  world.fate = (call) => (call === 'update Label Red' ? 'refused' : fate(call))
  world.calls.length = 0
  expect((await world.apply([red('small'), last])).outcome).toBe('undone')
  expect(world.calls.filter((call) => call === 'update Label Red')).toHaveLength(1)
})

test('a content that the driver no longer has is a problem of the undo', async () => {
  const kept = new Map<string, string>()
  await using world = worldWith(kept)
  await world.apply([red(large), last])
  refuseLast(world)
  const { pause } = world
  world.pause = async (call) => {
    if (call === 'start undo') kept.clear()
    await pause(call)
  }
  const { run } = await world.apply([red('small')])
  expect((await world.stack()).failure).toMatchObject({ reason: 'UndoIncomplete' })
  expect(run.problems.map(({ code, message }) => [code, message])).toContainEqual([
    'engine/undo-failed',
    'Label/red could not be undone: The content is gone.',
  ])
})

test('an update whose answer was lost counts if the target made it', async () => {
  await using world = worldWith(new Map())
  await world.apply([red(large)])
  const lost = async (fate: 'lost' | 'unavailable'): Promise<number> => {
    world.fate = (call) => (call === 'update Label Red' ? fate : call === 'settle' ? 'unavailable' : 'well')
    await world.apply([red('small')], { onFailure: 'continue' }).catch(() => {})
    world.fate = () => 'well'
    const [run] = await world.store.runs.list((await world.stack()).id, { limit: 1 })
    const { id, stack, lease } = await world.store.runs.takeLease(run!)
    const plan = { stack, target: '', revision: '', changes: [], unchanged: 0, needsApproval: [], digest: 'd' }
    await world.store.runs.savePlan(lease, plan, { create: 0, update: 1, remove: 0, unchanged: 0 })
    await world.store.runs.finish(lease, { outcome: 'interrupted' })
    await world.apply([red(large)])
    return (await world.store.runs.get(id))!.changes!.update
  }
  expect([await lost('unavailable'), await lost('lost')]).toEqual([0, 1])
})
