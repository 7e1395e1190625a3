import { describe, expect, test } from 'vitest'
import { dashboard, label } from '../plan/scenario.js'
import { EngineWorld, never } from './engine-world.js'

/** A process that ended in the middle of a create: what it wrote down, and whether the target heard of it. */
async function cutShort(world: EngineWorld, heard: boolean): Promise<void> {
  world.fate = (call) =>
    call === 'create Dashboard Ops' ? (heard ? 'lost' : 'unavailable') : call === 'start undo' ? 'unavailable' : 'well'
  await world.apply([dashboard('ops', 'Ops')]).catch(() => {})
  world.fate = () => 'well'
}

describe('an unconfirmed creation', () => {
  test('is owned if the resource is found', async () => {
    await using world = new EngineWorld()
    await cutShort(world, true)
    const open = await world.engine.recover(await world.acting(await world.newRun()), never)
    expect(open).toMatchObject([{ state: 'doing', identity: await world.idOf('Dashboard', 'Ops') }])
    expect(await world.owned()).toEqual({ 'Dashboard/ops': await world.idOf('Dashboard', 'Ops') })
  })

  test('is dropped if the resource is not found', async () => {
    await using world = new EngineWorld()
    await cutShort(world, false)
    expect(await world.engine.recover(await world.acting(await world.newRun()), never)).toEqual([])
    expect(await world.owned()).toEqual({})
  })

  test('is searched once', async () => {
    await using world = new EngineWorld()
    await cutShort(world, true)
    const acting = await world.acting(await world.newRun())
    await world.engine.recover(acting, never)
    world.calls.length = 0
    await world.engine.recover(acting, never)
    expect(world.calls).toEqual(['open'])
  })

  test('stays unconfirmed while the target does not answer', async () => {
    await using world = new EngineWorld()
    await cutShort(world, true)
    world.fate = (call) => (call === 'find Dashboard' ? 'unavailable' : 'well')
    await expect(world.engine.recover(await world.acting(await world.newRun()), never)).rejects.toThrow('No answer')
    expect(await world.journal()).toHaveLength(1)
  })

  test('of an interrupted run counts for that run, once', async () => {
    await using world = new EngineWorld()
    await cutShort(world, true)
    const [run] = await world.store.runs.list((await world.stack()).id, { limit: 1 })
    const { id, stack, lease } = await world.store.runs.takeLease(run!)
    const plan = { stack, target: '', revision: '', changes: [], unchanged: 0, needsApproval: [], digest: 'd' }
    await world.store.runs.savePlan(lease, plan, { create: 1, update: 0, remove: 0, unchanged: 0 })
    await world.store.runs.finish(lease, { outcome: 'interrupted' })
    const created = async (): Promise<number> => (await world.store.runs.get(id))!.changes!.create
    expect(await created()).toBe(0)
    const acting = await world.acting(await world.newRun())
    await world.engine.recover(acting, never)
    await world.engine.recover(acting, never)
    expect(await created()).toBe(1)
  })

  test('is not repeated by the next run', async () => {
    await using world = new EngineWorld()
    await cutShort(world, true)
    expect((await world.apply([dashboard('ops', 'Ops')])).outcome).toBe('applied')
    expect(await world.resources()).toEqual(['Dashboard Ops'])
  })

  test('is undone by the next run that fails', async () => {
    await using world = new EngineWorld()
    await cutShort(world, true)
    world.fate = (call) => (call === 'create Label Red' ? 'refused' : 'well')
    expect((await world.apply([dashboard('ops', 'Ops'), label('red', 'Red')])).outcome).toBe('undone')
    expect(await world.resources()).toEqual([])
    expect(await world.owned()).toEqual({})
  })
})
