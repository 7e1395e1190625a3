// The journal between two steps, as a process that ends there leaves it.
import { describe, expect, test } from 'vitest'
import { Stopped } from '../../src/model/errors.js'
import type { Run } from '../../src/model/stacks/run.js'
import { at, bucket, dashboard, label, type Doc } from '../plan/scenario.js'
import { EngineWorld, never, type Fate } from './engine-world.js'
import { beginStep } from '../begin-step.js'

/** Carries a package out but for the last act, as a process that ends there. */
async function endedBeforeSettling(world: EngineWorld, documents: readonly Doc[]): Promise<void> {
  world.pause = (call) => (call === 'settle' ? Promise.reject(new Error('ended')) : undefined)
  await expect(world.apply(documents)).rejects.toThrow('ended')
  world.pause = () => undefined
}

/** Applies; what goes wrong forward and while it is undone. */
async function failing(
  world: EngineWorld,
  documents: readonly Doc[],
  forward: Fates,
  back: Fates,
): Promise<{ run: Run; outcome: string }> {
  let undoing = false
  world.fate = (call) => {
    if (call === 'start undo') undoing = true
    return (undoing ? back : forward)[call] ?? 'well'
  }
  const result = await world.apply(documents)
  world.fate = () => 'well'
  return result
}

type Fates = Readonly<Record<string, Fate>>

describe('a completed step', () => {
  test('is `done` in the journal, in one transaction with its ownership', async () => {
    await using world = new EngineWorld()
    world.halfMade = true
    const held = { name: 'Found', color: '', description: '' }
    await world.store.documents.insert('main', 'Label', { id: 'ab'.repeat(8), key: 'found', state: held, links: [] })
    await world.apply([label('red', 'Red'), label('gone', 'Gone')])
    await endedBeforeSettling(world, [
      label('red', 'Red', 'dark'),
      label('found', 'Found'),
      label('new', 'New', 'light'),
    ])
    expect((await world.journal()).map(({ change, state }) => [change.action, change.address, state])).toEqual([
      ['update', 'Label/red', 'done'],
      ['update', 'Label/found', 'done'],
      ['create', 'Label/new', 'done'],
      ['remove', 'Label/gone', 'done'],
    ])
    expect(Object.keys(await world.owned()).sort()).toEqual(['Label/found', 'Label/new', 'Label/red'])
  })

  test('names its driver calls', async () => {
    await using world = new EngineWorld()
    world.halfMade = true
    await world.apply([label('red', 'Red'), label('gone', 'Gone')])
    world.driverCalls.length = 0
    await world.apply([label('red', 'Red', 'dark')])
    expect(world.driverCalls).toEqual(['read Label', 'update Label/red', 'remove Label/gone'])
  })
})

describe('an interrupted run', () => {
  test('counts creations whose resource is known, also those that are not complete', async () => {
    await using world = new EngineWorld()
    world.halfMade = true
    world.fate = (call) => (call.startsWith('update Label') || call === 'start undo' ? 'unavailable' : 'well')
    await world.apply([label('red', 'Red', 'dark'), bucket('raw', 'raw')]).catch(() => {})
    const [run] = await world.store.runs.list((await world.stack()).id, { limit: 1 })
    const { id, stack, lease } = await world.store.runs.takeLease(run!)
    const plan = { stack, target: '', revision: '', changes: [], unchanged: 0, needsApproval: [], digest: 'd' }
    await world.store.runs.savePlan(lease, plan, { create: 2, update: 0, remove: 0, unchanged: 0 })
    await world.store.runs.finish(lease, { outcome: 'interrupted' })
    const known = (await world.journal()).filter(({ identity }) => identity !== undefined)
    expect((await world.store.runs.get(id))!.changes!.create).toBe(known.length)
    expect(known.map(({ change }) => change.address)).toContain('Label/red')
  })
})

describe('an interrupted undo', () => {
  test('continues with the new identities of recreated resources', async () => {
    await using world = new EngineWorld()
    const before = [label('red', 'Red'), dashboard('ops', 'Ops', { labels: ['red'] }), bucket('last', 'last')]
    await world.apply(before)
    const { run, outcome } = await failing(
      world,
      [dashboard('ops', 'Ops')],
      { 'remove Bucket last': 'refused' },
      { 'create LabelMapping': 'unavailable' },
    )
    expect(outcome).toBe('undoing')
    expect((await world.journal()).map(({ change, state }) => [change.address, state])).toContainEqual([
      'Label/red',
      'undone',
    ])
    expect(await world.undo(run)).toBe('undone')
    const { 'LabelMapping/Dashboard/ops/red': mapping, 'Dashboard/ops': ops, 'Label/red': red } = await world.owned()
    expect(red).toBe(await world.idOf('Label', 'Red'))
    expect(mapping).toBe(`${ops}/${red}`)
    expect(await world.resources()).toEqual(['Bucket last', 'Dashboard Ops', 'Label Red', 'LabelMapping'])
  })

  test('finds the resource it was recreating before it does anything else', async () => {
    await using world = new EngineWorld()
    await world.apply([dashboard('ops', 'Ops'), label('last', 'Last')])
    const { outcome } = await failing(world, [], { 'remove Label Last': 'refused' }, { 'create Dashboard Ops': 'lost' })
    expect(outcome).toBe('undoing')
    const entry = (await world.journal()).find(({ change }) => change.address === 'Dashboard/ops')!
    expect([entry.state, entry.identity]).toEqual(['undoing', undefined])
    world.driverCalls.length = 0
    const open = await world.engine.recover(await world.acting(await world.newRun()), never)
    expect(world.driverCalls).toEqual(['find Dashboard/ops'])
    const id = await world.idOf('Dashboard', 'Ops')
    expect(open.find(({ change }) => change.address === 'Dashboard/ops')).toMatchObject({
      state: 'undoing',
      identity: id,
    })
    expect((await world.owned())['Dashboard/ops']).toBe(id)
  })

  test('knows a recreated resource that is not complete', async () => {
    await using world = new EngineWorld()
    world.halfMade = true
    await world.apply([dashboard('ops', 'Ops', { description: 'What we watch' }), label('last', 'Last')])
    await failing(world, [], { 'remove Label Last': 'refused' }, { 'update Dashboard Ops': 'unavailable' })
    const entry = (await world.journal()).find(({ change }) => change.address === 'Dashboard/ops')!
    expect([entry.state, entry.identity]).toEqual(['undoing', await world.idOf('Dashboard', 'Ops')])
    expect((await world.owned())['Dashboard/ops']).toBe(entry.identity)
  })

  test('reads a resource once that is undone already', async () => {
    await using world = new EngineWorld()
    await world.apply([label('red', 'Red', 'one')])
    const documents = [label('red', 'Red', 'two'), label('blue', 'Blue'), label('green', 'Green')]
    const { run } = await failing(
      world,
      documents,
      { 'create Label Green': 'refused' },
      { 'update Label Red': 'unavailable' },
    )
    expect((await world.journal()).map(({ state }) => state)).toEqual(['done', 'undone', 'undone'])
    world.driverCalls.length = 0
    expect(await world.undo(run)).toBe('undone')
    expect(world.driverCalls).toEqual(['read Label/red', 'undo: update Label/red'])
  })

  test('names its driver calls', async () => {
    await using world = new EngineWorld()
    world.halfMade = true
    await world.apply([dashboard('ops', 'Ops', { description: 'What we watch' }), label('last', 'Last')])
    world.fate = (call) => (call === 'remove Label Last' ? 'refused' : call === 'create Label New' ? 'lost' : 'well')
    await world.apply([label('new', 'New')])
    const calls = world.driverCalls.slice(world.driverCalls.indexOf('create Label/new'))
    expect(calls).toEqual(['create Label/new', 'find Label/new', 'read Label/new', 'undo: remove Label/new'])
    world.driverCalls.length = 0
    world.fate = (call) => (call === 'remove Label Last' ? 'refused' : 'well')
    await world.apply([])
    expect(world.driverCalls.slice(-3)).toEqual([
      'read Dashboard/ops',
      'undo: create Dashboard/ops',
      'undo: update Dashboard/ops',
    ])
  })
})

describe('a resource that is given up while another one is retried', () => {
  test('is `undone` in the journal, and ownership has its actual state', async () => {
    await using world = new EngineWorld()
    await world.apply([label('red', 'Red', 'one')])
    const documents = [label('red', 'Red', 'two'), label('blue', 'Blue'), label('green', 'Green')]
    const back: Fates = { 'update Label Red': 'unavailable', 'remove Label Blue': 'refused' }
    const { outcome, run } = await failing(
      world,
      documents,
      { 'create Label Blue': 'lost', 'create Label Green': 'refused' },
      back,
    )
    expect(outcome).toBe('undoing')
    const blue = await world.idOf('Label', 'Blue')
    expect(
      (await world.journal()).map(({ change, state, identity }) => [change.address, state, identity]),
    ).toContainEqual(['Label/blue', 'undone', blue])
    const record = (await world.store.ownership.of((await world.stack()).id)).get(at('Label/blue'))
    expect(record).toMatchObject({ identity: blue, kind: 'Label', adopted: false, applied: { name: 'Blue' } })
    expect((await world.store.runs.get(run.id))!.problems.at(-1)).toEqual({
      severity: 'error',
      code: 'engine/undo-failed',
      message: 'Label/blue could not be undone: The target refused to remove Label Blue.',
      about: 'Label/blue',
    })
    expect(await world.undo(run)).toBe('undone')
    expect((await world.owned())['Label/blue']).toBe(blue)
  })

  test('is no longer owned if it is missing and will not be recreated', async () => {
    await using world = new EngineWorld()
    await world.apply([label('red', 'Red'), label('blue', 'Blue')])
    const { outcome } = await failing(
      world,
      [label('blue', 'Blue')],
      { 'remove Label Red': 'lost' },
      { 'create Label Red': 'refused' },
    )
    expect(outcome).toBe('undone')
    expect(Object.keys(await world.owned())).toEqual(['Label/blue'])
  })

  test('is reported once, with its dependants', async () => {
    await using world = new EngineWorld()
    await world.apply([label('red', 'Red'), dashboard('ops', 'Ops', { labels: ['red'] }), bucket('last', 'last')])
    const { run } = await failing(
      world,
      [dashboard('ops', 'Ops')],
      { 'remove Bucket last': 'refused' },
      { 'create Label Red': 'refused' },
    )
    const [why, failed, skipped] = (await world.store.runs.get(run.id))!.problems
    expect(why!.code).toBe('platform/refused')
    expect(failed!.message).toBe('Label/red could not be undone: The target refused to create Label Red.')
    expect(skipped).toEqual({
      severity: 'error',
      code: 'engine/undo-skipped',
      message:
        'LabelMapping/Dashboard/ops/red was not undone, because a resource that depends on it could not be undone.',
      about: 'LabelMapping/Dashboard/ops/red',
    })
    expect((await world.stack()).failure!.message).toBe(
      `Not everything could be undone: ${failed!.message}; ${skipped!.message}`,
    )
  })
})

describe('an unconfirmed creation', () => {
  async function lost(world: EngineWorld, documents: readonly Doc[], call: string): Promise<void> {
    world.fate = (one) => (one === call ? 'lost' : one === 'start undo' ? 'unavailable' : 'well')
    await world.apply(documents).catch(() => {})
    world.fate = () => 'well'
  }

  test('of a part belongs to its parent when it is found', async () => {
    await using world = new EngineWorld()
    await lost(world, [label('red', 'Red'), dashboard('ops', 'Ops', { labels: ['red'] })], 'create LabelMapping')
    expect(await world.engine.recover(await world.acting(await world.newRun()), never)).toHaveLength(3)
    const record = (await world.store.ownership.of((await world.stack()).id)).get(at('LabelMapping/Dashboard/ops/red'))
    expect(record).toMatchObject({ partOf: 'Dashboard/ops', adopted: false })
  })

  test('is dropped if another stack took the resource over', async () => {
    await using world = new EngineWorld()
    await lost(world, [label('red', 'Red')], 'create Label Red')
    const other = await world.store.stacks.create(
      { ...(await world.stack()).spec, name: 'other' },
      { managedBy: 'api', target: 'plain/main', cause: { kind: 'created' } },
    )
    const [entry] = await world.journal()
    const { lease } = await world.store.runs.takeLease(other.run)
    const begun = await beginStep(world.store.journal, lease, entry!.change)
    const record = {
      address: at('Label/red'),
      kind: 'Label',
      identity: (await world.idOf('Label', 'Red')) as never,
      applied: {},
      needs: [],
      adopted: true,
    }
    await world.store.journal.recordProgress(lease, begun, { state: 'done', own: [record] })
    expect(await world.engine.recover(await world.acting(await world.newRun()), never)).toEqual([])
    expect([await world.owned(), await world.resources()]).toEqual([{}, ['Label Red']])
  })

  test('stays unconfirmed if the journal cannot be written', async () => {
    await using world = new EngineWorld()
    await lost(world, [label('red', 'Red')], 'create Label Red')
    const acting = await world.acting(await world.newRun())
    world.fate = (call) => (call === 'progress' ? 'refused' : 'well')
    await expect(world.engine.recover(acting, never)).rejects.toThrow('The target refused to progress.')
    world.fate = (call) => (call === 'progress' ? 'unavailable' : 'well')
    await expect(world.engine.recover(acting, never)).rejects.toThrow('No answer to progress.')
    expect(await world.journal()).toMatchObject([{ state: 'doing' }])
  })

  test('is returned as an open entry, also if nothing had to be read', async () => {
    await using world = new EngineWorld()
    const stop = new AbortController()
    world.pause = (call) => {
      if (call === 'create Label Red') stop.abort(new Stopped('superseded', 'A newer revision is there.'))
      return undefined
    }
    world.concurrency = 1
    await world.apply([label('red', 'Red'), label('blue', 'Blue')], { signal: stop.signal })
    const open = await world.engine.recover(await world.acting(await world.newRun()), never)
    expect(open.map(({ change }) => change.address)).toEqual(['Label/red'])
  })
})
