// An existing resource belongs to the stack before it is written.
import { describe, expect, test } from 'vitest'
import type { Observed, Owned } from '../../src/model/resources/resource.js'
import type { Change } from '../../src/model/resources/change.js'
import { Rejected } from '../../src/model/errors.js'
import { beginStep } from '../begin-step.js'
import { at, bucket, declare, label } from '../plan/scenario.js'
import { driverWith, EngineWorld, never, type Fate } from './engine-world.js'

const recolored = [label('red', 'Red', '#f00')]

/** Somebody makes a label that no stack owns. */
async function madeByHand(world: EngineWorld): Promise<Observed> {
  const [red] = declare(label('red', 'Red'))
  const driver = (await world.connection()).driver(red!.kind)
  const state = { name: 'Red', color: '', description: '' }
  return driver.create(state, driver.trace(state), never)
}

/** Another stack of the same target. */
async function otherStack(world: EngineWorld): ReturnType<EngineWorld['store']['stacks']['create']> {
  const { spec } = await world.stack()
  const created = { managedBy: 'api', target: 'plain/main', cause: { kind: 'created' } } as const
  return world.store.stacks.create({ ...spec, name: 'other' }, created)
}

function change(address: string, more: Pick<Change, 'action'> & Partial<Change>): Change {
  return { address: at(address), kind: 'Label', reason: 'added', fields: [], needs: [], after: [], ...more }
}

async function ownerOf(world: EngineWorld, { identity }: Observed): Promise<Owned | undefined> {
  const resource = { family: 'Label', identity }
  return (await world.store.ownership.owners('plain/main', [resource])).get(`Label/${identity}`) as Owned | undefined
}

describe('an adopted resource', () => {
  test('belongs to the stack when it is written', async () => {
    await using world = new EngineWorld()
    const red = await madeByHand(world)
    const owners: unknown[] = []
    world.around = (driver) =>
      driverWith(driver, {
        update: async (...given) => {
          owners.push(await ownerOf(world, red))
          return driver.update(...given)
        },
      })
    expect((await world.apply(recolored)).outcome).toBe('applied')
    expect(owners).toMatchObject([{ stack: 'boards', address: 'Label/red' }])
  })

  test('belongs to the stack from the beginning of the step also if nothing is written', async () => {
    await using world = new EngineWorld()
    const red = await madeByHand(world)
    const owners: unknown[] = []
    world.pause = async (call) => {
      if (call === 'progress') owners.push(await ownerOf(world, red))
    }
    expect((await world.apply([label('red', 'Red')])).outcome).toBe('applied')
    expect(owners).toMatchObject([{ stack: 'boards', address: 'Label/red' }])
    expect(world.calls).not.toContain('update Label Red')
  })

  test.each([
    ['undo', 'refused', 'undone'],
    ['undo', 'lost', 'undone'],
    ['continue', 'refused', 'failed'],
    ['continue', 'lost', 'failed'],
  ] as const)('belongs to nobody again after a failure: %s, %s', async (onFailure, fate, outcome) => {
    await using world = new EngineWorld()
    const red = await madeByHand(world)
    let isFirst = true
    world.fate = (call): Fate => {
      if (call !== 'update Label Red' || !isFirst) return 'well'
      isFirst = false
      return fate
    }
    expect((await world.apply(recolored, { onFailure })).outcome).toBe(outcome)
    expect([await ownerOf(world, red), await world.owned(), await world.journal()]).toEqual([undefined, {}, []])
    await world.apply(recolored)
    expect(await world.records()).toMatchObject([{ address: 'Label/red', adopted: true }])
  })

  test('stays owned after a failure of something else', async () => {
    await using world = new EngineWorld()
    const red = await madeByHand(world)
    world.fate = (call) => (call === 'create Bucket raw' ? 'refused' : 'well')
    await world.apply([...recolored, bucket('raw', 'raw', { labels: ['red'] })], { onFailure: 'continue' })
    expect(await ownerOf(world, red)).toMatchObject({ stack: 'boards' })
  })

  test('is not found by the stack that created it without knowing', async () => {
    await using world = new EngineWorld()
    const red = await madeByHand(world)
    const { run, stack } = await otherStack(world)
    const [resource] = declare(label('mine', 'Red'))
    const acting = await world.acting(run)
    const trace = (await world.connection()).driver(resource!.kind).trace(red.actual)
    await beginStep(world.store.journal, acting.lease, change('Label/mine', { action: 'create' }), { trace })
    let open: readonly unknown[] | undefined
    world.around = (driver) =>
      driverWith(driver, {
        update: async (...given) => {
          open = await world.engine.recover(acting, never)
          return driver.update(...given)
        },
      })
    expect((await world.apply(recolored)).outcome).toBe('applied')
    expect([open, (await world.store.ownership.of(stack.id)).size]).toEqual([[], 0])
  })

  test('belongs to the stack after a crash, so a recovery only updates it', async () => {
    await using world = new EngineWorld()
    const red = await madeByHand(world)
    const begun = new Promise<void>((resolve) => {
      world.pause = (call) => {
        if (call !== 'update Label Red') return undefined
        resolve()
        return new Promise(() => {})
      }
    })
    void world.apply(recolored)
    await begun
    expect(await ownerOf(world, red)).toMatchObject({ stack: 'boards' })
    world.pause = () => undefined
    expect((await world.apply(recolored)).outcome).toBe('applied')
    expect(await world.state('Label', 'Red')).toMatchObject({ color: '#f00' })
    expect(await world.records()).toMatchObject([{ address: 'Label/red', adopted: true }])
  })

  test('is claimed alone: a step that begins with it and loses its resource fails before any write', async () => {
    await using world = new EngineWorld()
    const red = await madeByHand(world)
    const { run } = await otherStack(world)
    const { lease } = await world.store.runs.takeLease(run)
    world.pause = async (call) => {
      if (!call.startsWith('begin')) return
      world.pause = () => undefined
      const claim = { ...ownedRed, identity: red.identity }
      await beginStep(world.store.journal, lease, change('Label/red', { action: 'update', adopts: true }), { claim })
    }
    const { run: failed } = await world.apply(recolored)
    expect(failed).toMatchObject({ outcome: 'undone', problems: [{ code: 'store/owned', about: 'Label/red' }] })
    expect(world.calls).not.toContain('update Label Red')
    expect(await ownerOf(world, red)).toMatchObject({ stack: 'other' })
  })
})

describe('a resource that is taken over', () => {
  test.each(['undo', 'continue'] as const)('goes back to its owner if it is not written: %s', async (onFailure) => {
    await using world = new EngineWorld()
    const red = await madeByHand(world)
    const { run } = await otherStack(world)
    const { lease } = await world.store.runs.takeLease(run)
    const claim = { ...ownedRed, identity: red.identity }
    await beginStep(world.store.journal, lease, change('Label/red', { action: 'update', adopts: true }), { claim })
    world.takesOver = true
    const owners: unknown[] = []
    world.around = (driver) =>
      driverWith(driver, {
        update: async () => {
          owners.push(await ownerOf(world, red))
          throw new Rejected('No.', { code: 'a/b' })
        },
      })
    await world.apply(recolored, { onFailure })
    expect(owners).toMatchObject([{ stack: 'boards' }])
    expect(await ownerOf(world, red)).toMatchObject({ stack: 'other' })
    expect(await world.records()).toEqual([])
  })
})

describe('an undo leaves what another stack owns by now', () => {
  /** While the last step is refused, another stack takes the label over. */
  async function takeOver(world: EngineWorld): Promise<void> {
    const identity = (await world.idOf('Label', 'Red')) as Observed['identity']
    const { run } = await otherStack(world)
    const { lease } = await world.store.runs.takeLease(run)
    const taking = change('Label/red', { action: 'update', takesFrom: 'boards', identity })
    await beginStep(world.store.journal, lease, taking, { claim: { ...ownedRed, identity } })
  }

  test.each(['an update', 'a create'])('of %s', async (what) => {
    await using world = new EngineWorld()
    if (what === 'an update') await world.apply([label('red', 'Red')])
    const raw = bucket('raw', 'raw', { labels: ['red'] })
    world.around = (driver, family) =>
      family !== 'Bucket'
        ? driver
        : driverWith(driver, {
            create: async () => {
              await takeOver(world)
              throw new Rejected('No.', { code: 'a/b' })
            },
          })
    world.concurrency = 1
    expect((await world.apply([...recolored, raw])).outcome).toBe('undone')
    expect(await world.state('Label', 'Red')).toMatchObject({ color: '#f00' })
    expect(world.calls.filter((call) => /^(update|remove) Label/.test(call))).toHaveLength(what === 'an update' ? 1 : 0)
    const mine = what === 'an update' ? [{ address: 'Label/red', shared: true }] : []
    expect(await world.records()).toMatchObject(mine)
  })
})

const ownedRed = { address: at('Label/red'), kind: 'Label', applied: { name: 'Red' }, needs: [], adopted: true }
