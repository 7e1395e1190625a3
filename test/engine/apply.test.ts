import { describe, expect, test } from 'vitest'
import { Stopped } from '../../src/model/errors.js'
import { bucket, dashboard, label } from '../plan/scenario.js'
import { EngineWorld, never } from './engine-world.js'

describe('an apply', () => {
  test('journals each step before and after it, and settles', async () => {
    await using world = new EngineWorld()
    const { outcome } = await world.apply([label('red', 'Red')])
    expect(outcome).toBe('applied')
    expect(world.calls).toEqual(['open', 'open', 'begin', 'create Label Red', 'progress', 'settle'])
    expect(await world.journal()).toEqual([])
    expect(await world.owned()).toEqual({ 'Label/red': await world.idOf('Label', 'Red') })
  })

  test('owns a partly created resource before it completes it', async () => {
    await using world = new EngineWorld()
    world.halfMade = true
    await world.apply([label('red', 'Red', '#f00')])
    expect(world.calls).toEqual([
      'open',
      'open',
      'begin',
      'create Label Red',
      'progress',
      'update Label Red',
      'progress',
      'settle',
    ])
  })

  test('writes nothing if everything is as declared', async () => {
    await using world = new EngineWorld()
    await world.apply([label('red', 'Red')])
    world.calls.length = 0
    expect((await world.apply([label('red', 'Red')])).outcome).toBe('unchanged')
    expect(world.calls).toEqual(['open', 'open', 'settle'])
  })

  test('keeps a field that a person added', async () => {
    await using world = new EngineWorld()
    await world.apply([label('red', 'Red')])
    const id = (await world.idOf('Label', 'Red'))!
    const state = { name: 'Red', color: '', description: '', orgID: '7' }
    await world.store.documents.replace('main', 'Label', { id, key: 'red', state, links: [] })
    await world.apply([label('red', 'Red', '#f00')])
    const documents = await world.store.documents.byIds('main', 'Label', [id])
    expect(documents.get(id)!.state).toEqual({ ...state, color: '#f00' })
  })

  test('owns a part with its parent and its needs', async () => {
    await using world = new EngineWorld()
    await world.apply([label('red', 'Red'), bucket('raw', 'raw', { labels: ['red'] })])
    const record = (await world.store.ownership.of((await world.stack()).id)).get(
      'LabelMapping/Bucket/raw/red' as never,
    )
    expect(record).toMatchObject({ partOf: 'Bucket/raw', needs: ['Bucket/raw', 'Label/red'], adopted: false })
  })

  test('records that a resource was adopted', async () => {
    await using world = new EngineWorld()
    const state = { name: 'Red', color: '', description: '' }
    await world.store.documents.insert('main', 'Label', { id: 'ab'.repeat(8), key: 'red', state, links: [] })
    await world.apply([label('red', 'Red', '#f00')])
    const records = await world.store.ownership.of((await world.stack()).id)
    expect([...records.values()]).toMatchObject([{ address: 'Label/red', identity: 'ab'.repeat(8), adopted: true }])
  })

  test('leaves the journal open and undoes nothing when it is stopped', async () => {
    await using world = new EngineWorld()
    const stop = new AbortController()
    world.pause = (call) => {
      if (call === 'create Label Red') stop.abort(new Stopped('superseded', 'A newer revision is there.'))
      return undefined
    }
    const documents = [label('red', 'Red'), dashboard('ops', 'Ops', { labels: ['red'] })]
    expect((await world.apply(documents, { signal: stop.signal })).outcome).toBe('stopped')
    expect(await world.resources()).toEqual(['Dashboard Ops', 'Label Red'])
    expect((await world.journal()).map(({ state }) => state)).toEqual(['done', 'done'])
    expect((await world.apply(documents)).outcome).toBe('applied')
    expect(await world.journal()).toEqual([])
  })

  test('reports every failure of a group and undoes the rest', async () => {
    await using world = new EngineWorld()
    world.fate = (call) => (/create Label [RG]/.test(call) ? 'refused' : 'well')
    const { outcome, run } = await world.apply([label('red', 'Red'), label('green', 'Green'), label('blue', 'Blue')])
    expect(outcome).toBe('undone')
    expect(await world.resources()).toEqual([])
    expect(await world.owned()).toEqual({})
    expect(run.problems.map(({ message }) => message)).toEqual([
      'Label/red: The target refused to create Label Red.',
      'Label/green: The target refused to create Label Green.',
    ])
    expect((await world.stack()).failure).toMatchObject({ reason: 'Undone', code: 'platform/refused', retry: 'change' })
  })

  test('begins nothing of a later group of kinds after a failure: labels come before buckets', async () => {
    await using world = new EngineWorld()
    world.concurrency = 1
    world.fate = (call) => (call === 'create Label Red' ? 'refused' : 'well')
    expect((await world.apply([label('red', 'Red'), bucket('raw')])).outcome).toBe('undone')
    expect(world.calls).not.toContain('create Bucket raw')
  })

  test('is retried soon if the target did not answer', async () => {
    await using world = new EngineWorld()
    world.fate = (call) => (call === 'create Label Red' ? 'unavailable' : 'well')
    await world.apply([label('red', 'Red')])
    expect((await world.stack()).failure).toMatchObject({ retry: 'soon' })
  })
})

describe('an apply with onFailure: continue', () => {
  test('keeps completed changes, and skips what depends on a failure', async () => {
    await using world = new EngineWorld()
    world.fate = (call) => (call === 'create Label Red' ? 'refused' : 'well')
    const documents = [label('red', 'Red'), label('blue', 'Blue'), dashboard('ops', 'Ops', { labels: ['red', 'blue'] })]
    const { outcome } = await world.apply(documents, { onFailure: 'continue' })
    expect(outcome).toBe('failed')
    expect(await world.resources()).toEqual(['Dashboard Ops', 'Label Blue', 'LabelMapping'])
    expect(Object.keys(await world.owned())).toEqual(['Label/blue', 'Dashboard/ops', 'LabelMapping/Dashboard/ops/blue'])
    expect((await world.stack()).applied).toBeNull()
  })

  test('finds an unconfirmed resource before it settles the journal', async () => {
    await using world = new EngineWorld()
    world.fate = (call) => (call === 'create Dashboard Ops' ? 'lost' : 'well')
    await world.apply([dashboard('ops', 'Ops')], { onFailure: 'continue' })
    expect(await world.owned()).toEqual({ 'Dashboard/ops': await world.idOf('Dashboard', 'Ops') })
    world.fate = () => 'well'
    await world.apply([dashboard('ops', 'Ops')], { onFailure: 'continue' })
    expect(await world.resources()).toEqual(['Dashboard Ops'])
  })

  test('keeps the journal if it cannot read the target', async () => {
    await using world = new EngineWorld()
    world.fate = (call) =>
      call === 'create Dashboard Ops' ? 'lost' : call === 'find Dashboard' ? 'unavailable' : 'well'
    await expect(world.apply([dashboard('ops', 'Ops')], { onFailure: 'continue' })).rejects.toThrow(
      'No answer to find Dashboard.',
    )
    expect(await world.journal()).toHaveLength(1)
  })
})

test('an undo of an empty journal changes nothing', async () => {
  await using world = new EngineWorld()
  await world.apply([label('red', 'Red')])
  const acting = await world.acting(await world.newRun())
  expect(await world.engine.recover(acting, never)).toEqual([])
  expect(await world.engine.undo(acting, { problems: [], failure: null }, never)).toBe('undone')
  expect(await world.resources()).toEqual(['Label Red'])
})
