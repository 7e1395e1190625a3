// Partial plans: what they may change, that one may end at any point, and that thousands of them leave nothing behind.
import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { ApplyInput } from '../../src/engine/engine.js'
import type { Change, Plan } from '../../src/model/resources/change.js'
import { planStack } from '../../src/stacks/plans/plan-stack.js'
import { at, declare, label, type Doc } from '../plan/scenario.js'
import { EngineWorld, never } from './engine-world.js'
import { attackShare } from '../attack/scale.js'
import { collectGarbage } from '../collect-garbage.js'

/** Carries the changes of a plan out as a partial plan. `over`: in place of what was planned. */
async function applyPartial(
  world: EngineWorld,
  documents: readonly Doc[],
  over: (changes: readonly Change[]) => readonly Change[] = (changes) => changes,
): Promise<string> {
  const run = await world.newRun()
  const acting = await world.acting(run)
  const resources = declare(...documents)
  const { engine, store, platform } = world
  const { connection, calling } = acting
  const deps = { store, platform, connection, calling, system: 'plain/main' }
  const { plan: whole, ...planned } = await planStack(
    await world.stack(),
    { revision: run.revision, resources },
    deps,
    never,
  )
  const plan: Plan = { ...whole, changes: over(whole.changes), partial: true }
  const byAddress = new Map(resources.map((resource) => [resource.address, resource]))
  const input: ApplyInput = {
    ...acting,
    ...planned,
    plan,
    byAddress,
    onFailure: 'continue',
    problems: [],
    applied: null,
  }
  return engine.apply(input, never)
}

const both = [label('red', 'Red'), label('blue', 'Blue')]

describe('a partial plan', () => {
  test('corrects a resource, and leaves what is applied and the failure of its stack', async () => {
    await using world = new EngineWorld()
    await world.apply(both)
    const failure = { reason: 'X', code: 'x', message: 'x', retry: 'soon' } as const
    await world.store.stacks.change((await world.stack()).id, { failure })
    const before = await world.stack()
    await world.changeLabel('Red', { color: 'other' })
    expect(await applyPartial(world, both)).toBe('applied')
    expect(await world.state('Label', 'Red')).toMatchObject({ color: '' })
    const { applied, failure: after } = await world.stack()
    expect([applied, after]).toEqual([before.applied, failure])
  })

  const planned = { fields: [], reason: 'dropped', needs: [], after: [], kind: 'Label', address: at('Label/blue') }
  test.each<[string, Partial<Change>]>([
    ['removes a resource', { action: 'remove' }],
    ['untracks a resource', { action: 'untrack' }],
    ['adopts a resource', { action: 'update', adopts: true }],
    ['shares a resource', { action: 'update', shares: true }],
    ['takes a resource over', { action: 'update', takesFrom: 'other' }],
    ['moves a resource', { action: 'update', from: at('Label/red') }],
  ])('that %s is refused before anything is written', async (_, change) => {
    await using world = new EngineWorld()
    await world.apply(both)
    await world.changeLabel('Red', { color: 'other' })
    world.calls.length = 0
    const applying = applyPartial(world, both, (changes) => [...changes, { ...planned, ...change } as Change])
    await expect(applying).rejects.toMatchObject({ name: 'Bug' })
    expect(world.calls).toEqual(['open'])
    expect([await world.resources(), Object.keys(await world.owned()).sort()]).toEqual([
      ['Label Blue', 'Label Red'],
      ['Label/blue', 'Label/red'],
    ])
  })

  test('is refused while an interrupted run is not settled', async () => {
    await using world = new EngineWorld()
    await world.apply([label('red', 'Red')])
    world.pause = (call) => (call === 'settle' ? Promise.reject(new Error('ended')) : undefined)
    await expect(world.apply(both)).rejects.toThrow('ended')
    world.pause = () => undefined
    await world.changeLabel('Red', { color: 'other' })
    await expect(applyPartial(world, both)).rejects.toMatchObject({ name: 'Bug' })
    expect((await world.journal()).map(({ change }) => change.address)).toEqual(['Label/blue'])
  })
})

test('a partial run that ends at any of its calls is settled by the next run', async () => {
  let ended = 0
  for (let isThrough = false; !isThrough; ended++) {
    await using world = new EngineWorld()
    await world.apply(both)
    const before = await world.owned()
    for (const name of ['Red', 'Blue']) await world.changeLabel(name, { color: 'other' })
    let stop = (): void => {}
    const stopped = new Promise<true>((resolve) => (stop = (): void => resolve(true)))
    let calls = 0
    world.pause = () => (calls++ < ended ? undefined : (stop(), new Promise(() => {})))
    isThrough = (await Promise.race([applyPartial(world, both), stopped])) !== true
    world.pause = () => undefined
    await world.apply(both)
    const colors = await Promise.all(['Red', 'Blue'].map((name) => world.state('Label', name)))
    expect(colors.map((state) => state?.['color'])).toEqual(['', ''])
    expect([await world.owned(), await world.journal()]).toEqual([before, []])
  }
  expect(ended).toBeGreaterThan(4) // reads, the begin of both, two updates, the settlement
})

describe('partial runs', () => {
  const descriptors = (): number => readdirSync('/proc/self/fd').length
  const heap = (): number => (collectGarbage(), process.memoryUsage().heapUsed / 2 ** 20)

  test(`${attackShare(10_000)} of them leave no descriptor, memory, journal entry or event behind`, async () => {
    await using world = new EngineWorld()
    await world.apply(both)
    const { id } = await world.stack()
    const events = (await world.store.runs.events(id, 100)).length
    const count = attackShare(10_000)
    const after: { readonly descriptors: number; readonly heap: number }[] = []
    for (let n = 1; n <= count; n++) {
      await world.changeLabel('Red', { color: `c${n}` })
      expect(await applyPartial(world, both)).toBe('applied')
      world.calls.length = world.driverCalls.length = 0
      if (n % Math.ceil(count / 4) === 0 || n === count) after.push({ descriptors: descriptors(), heap: heap() })
    }
    expect(await applyPartial(world, both)).toBe('unchanged')
    expect(after.at(-1)!.descriptors).toBeLessThanOrEqual(after[0]!.descriptors)
    expect(after.at(-1)!.heap).toBeLessThan(after[0]!.heap + 2)
    expect([await world.journal(), (await world.store.runs.events(id, 100)).length]).toEqual([[], events])
  })
})
