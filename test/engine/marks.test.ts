// Marks of completed steps wait for the next write of their run.
import { expect, test } from 'vitest'
import { Stopped } from '../../src/model/errors.js'
import type { Identity } from '../../src/model/address.js'
import type { Owned } from '../../src/model/resources/resource.js'
import { beginStep } from '../begin-step.js'
import { at, bucket, label } from '../plan/scenario.js'
import { driverWith, EngineWorld } from './engine-world.js'

/** Another stack takes each created resource over before its creator knows that it exists. */
function takeCreated(world: EngineWorld): void {
  world.around = (driver) =>
    driverWith(driver, {
      create: async (state, trace, signal) => {
        const made = await driver.create(state, trace, signal)
        await ownElsewhere(world, made.identity)
        return made
      },
    })
}

async function ownElsewhere(world: EngineWorld, identity: Identity): Promise<void> {
  const { run } = await world.store.stacks.create(
    { ...(await world.stack()).spec, name: 'other' },
    { managedBy: 'api', target: 'plain/main', cause: { kind: 'created' } },
  )
  const { lease } = await world.store.runs.takeLease(run)
  const owned: Owned = { address: at('Label/x'), kind: 'Label', identity, applied: {}, needs: [], adopted: true }
  const change = { address: owned.address, kind: 'Label', action: 'update', fields: [], needs: [], after: [] }
  const entry = await beginStep(world.store.journal, lease, { ...change, reason: 'added' } as never)
  await world.store.journal.recordProgress(lease, entry, { state: 'done', own: [owned] })
}

test.each(['undo', 'continue'] as const)(
  'the last step fails if its resource belongs to another stack by then, with %s on failure',
  async (onFailure) => {
    await using world = new EngineWorld()
    takeCreated(world)
    const { run, outcome } = await world.apply([label('red', 'Red')], { onFailure })
    expect(outcome).toBe(onFailure === 'undo' ? 'undone' : 'failed')
    expect(run.problems).toMatchObject([{ code: 'store/owned', about: 'Label/red' }])
    expect((await world.stack()).applied).toBeNull()
    expect([await world.owned(), await world.journal()]).toEqual([{}, []])
  },
)

test('a step whose mark cannot be stored is reported alone: those after it did not begin because of it', async () => {
  await using world = new EngineWorld()
  takeCreated(world)
  world.concurrency = 1
  const { run, outcome } = await world.apply([label('red', 'Red'), label('blue', 'Blue')], { onFailure: 'continue' })
  expect(outcome).toBe('failed')
  expect(run.problems.map(({ code, about }) => [code, about])).toEqual([['store/owned', run.problems[0]!.about]])
})

test('a run that is stopped stores what it has done before it ends', async () => {
  await using world = new EngineWorld()
  const stopping = new AbortController()
  world.concurrency = 1
  world.pause = (call) => {
    if (call === 'create Label Red') stopping.abort(new Stopped('cancelled', 'enough'))
    return undefined
  }
  const { outcome } = await world.apply([label('red', 'Red'), bucket('raw')], { signal: stopping.signal })
  expect(outcome).toBe('stopped')
  expect((await world.journal()).map(({ change, state }) => [change.address, state])).toEqual([['Label/red', 'done']])
  expect(Object.keys(await world.owned())).toEqual(['Label/red'])
})
