import { describe, expect, test } from 'vitest'
import { Stopped } from '../../src/model/errors.js'
import { bucket, dashboard, label, type Doc } from '../plan/scenario.js'
import { EngineWorld, type Fate } from './engine-world.js'

const before = [
  label('red', 'Red'),
  bucket('raw', 'raw', { labels: ['red'] }),
  dashboard('ops', 'Ops'),
  bucket('last', 'last'),
]
/** Its last step, the removal of the bucket `last`, is what a test refuses. */
const without = (...gone: readonly string[]): readonly Doc[] =>
  [
    label('red', 'Red'),
    bucket('raw', 'raw', { labels: gone.includes('red') ? [] : ['red'] }),
    dashboard('ops', 'Ops'),
  ].filter((_, i) => !gone.includes(['red', 'raw', 'ops'][i]!))

/** The last step is refused; while that is undone, the calls named here meet their fate. */
function whileUndoing(world: EngineWorld, fates: Readonly<Record<string, Fate>>): void {
  let undoing = false
  world.fate = (call) => {
    if (call === 'start undo') undoing = true
    return call === 'remove Bucket last' ? 'refused' : undoing ? (fates[call] ?? 'well') : 'well'
  }
}

describe('an undo', () => {
  test('of a removal recreates the resource, and its parts refer to the new one', async () => {
    await using world = new EngineWorld()
    await world.apply(before)
    const old = await world.owned()
    whileUndoing(world, {})
    expect((await world.apply(without('red'))).outcome).toBe('undone')
    const now = await world.owned()
    expect(now['Label/red']).not.toBe(old['Label/red'])
    expect(now).toEqual({
      ...old,
      'Label/red': await world.idOf('Label', 'Red'),
      'LabelMapping/Bucket/raw/red': `${old['Bucket/raw']}/${now['Label/red']}`,
    })
    const records = await world.store.ownership.of((await world.stack()).id)
    expect(records.get('LabelMapping/Bucket/raw/red' as never)!.applied).toMatchObject({ labelID: now['Label/red'] })
  })

  test('of an update restores the former state, with unmanaged fields', async () => {
    await using world = new EngineWorld()
    await world.apply(before)
    const id = (await world.idOf('Dashboard', 'Ops'))!
    const state = { name: 'Ops', description: 'by hand', charts: [], owner: 'ann' }
    await world.store.documents.replace('main', 'Dashboard', { id, key: null, state, links: [] })
    whileUndoing(world, {})
    await world.apply([...without('ops'), dashboard('ops', 'Operations')])
    expect((await world.store.documents.byIds('main', 'Dashboard', [id])).get(id)!.state).toEqual(state)
  })

  test('of an update keeps the age of the ownership: the oldest of two stacks inherits a shared resource', async () => {
    await using world = new EngineWorld()
    await world.apply(before)
    const old = Object.keys(await world.owned())
    whileUndoing(world, {})
    const [, ...others] = without()
    expect((await world.apply([label('red', 'Red', 'dark'), ...others])).outcome).toBe('undone')
    expect(Object.keys(await world.owned())).toEqual(old)
  })

  test('of a move restores the address', async () => {
    await using world = new EngineWorld()
    await world.apply(before)
    const old = await world.owned()
    whileUndoing(world, {})
    await world.apply([label('crimson', 'Red'), bucket('raw', 'raw', { labels: ['crimson'] }), dashboard('ops', 'Ops')])
    expect(await world.owned()).toEqual(old)
  })

  test('of an adoption restores the resource and ends its ownership', async () => {
    await using world = new EngineWorld()
    await world.apply(before)
    const state = { name: 'Blue', color: 'blue', description: '' }
    await world.store.documents.insert('main', 'Label', { id: 'ab'.repeat(8), key: 'blue', state, links: [] })
    whileUndoing(world, {})
    await world.apply([...without(), label('blue', 'Blue', 'navy')])
    expect(Object.keys(await world.owned())).not.toContain('Label/blue')
    expect((await world.store.documents.byIds('main', 'Label', ['ab'.repeat(8)])).get('ab'.repeat(8))!.state).toEqual(
      state,
    )
  })

  test('removes a resource whose creation was not confirmed', async () => {
    await using world = new EngineWorld()
    world.fate = (call) => (call === 'create Dashboard Ops' ? 'lost' : 'well')
    expect((await world.apply([dashboard('ops', 'Ops')])).outcome).toBe('undone')
    expect(await world.resources()).toEqual([])
  })

  test('finds a resource whose recreation was not confirmed', async () => {
    await using world = new EngineWorld()
    await world.apply(before)
    whileUndoing(world, { 'create Dashboard Ops': 'lost' })
    const { run, outcome } = await world.apply(without('ops'))
    expect(outcome).toBe('undoing')
    world.fate = () => 'well'
    expect(await world.undo(run)).toBe('undone')
    expect((await world.resources()).filter((resource) => resource === 'Dashboard Ops')).toHaveLength(1)
    expect((await world.owned())['Dashboard/ops']).toBe(await world.idOf('Dashboard', 'Ops'))
  })

  test('retries later what got no answer and its dependants, and undoes the rest', async () => {
    await using world = new EngineWorld()
    await world.apply(before)
    whileUndoing(world, { 'create Label Red': 'unavailable' })
    const { run, outcome } = await world.apply([...without('red', 'ops'), dashboard('ops', 'Operations')])
    expect(outcome).toBe('undoing')
    expect((await world.store.runs.get(run.id))!.phase).toBe('undoing')
    expect(await world.resources()).toEqual(['Bucket last', 'Bucket raw', 'Dashboard Ops'])
    world.fate = () => 'well'
    expect(await world.undo(run)).toBe('undone')
    expect(await world.resources()).toEqual(['Bucket last', 'Bucket raw', 'Dashboard Ops', 'Label Red', 'LabelMapping'])
  })

  test('keeps the reason why it began, however often it is interrupted', async () => {
    await using world = new EngineWorld()
    await world.apply(before)
    whileUndoing(world, { 'create Label Red': 'unavailable' })
    const { run } = await world.apply(without('red'))
    world.fate = () => 'well'
    await world.undo(run)
    const ended = (await world.store.runs.get(run.id))!
    expect([ended.outcome, ended.problems.map(({ code }) => code)]).toEqual(['undone', ['platform/refused']])
    expect((await world.stack()).failure).toMatchObject({ reason: 'Undone', retry: 'change' })
  })

  test('gives up refused resources and their dependants, and reports them', async () => {
    await using world = new EngineWorld()
    await world.apply(before)
    whileUndoing(world, { 'create Label Red': 'refused' })
    const { outcome, run } = await world.apply(without('red'))
    expect(outcome).toBe('undone')
    expect(Object.keys(await world.owned())).toEqual(['Bucket/raw', 'Dashboard/ops', 'Bucket/last'])
    expect(run.problems.map(({ code }) => code)).toEqual([
      'platform/refused',
      'engine/undo-failed',
      'engine/undo-skipped',
    ])
    expect((await world.stack()).failure).toMatchObject({ reason: 'UndoIncomplete', code: 'engine/undo-incomplete' })
  })

  test('keeps the ownership of a created resource that it cannot remove', async () => {
    await using world = new EngineWorld()
    await world.apply(before)
    whileUndoing(world, { 'remove Label Blue': 'refused' })
    await world.apply([...without(), label('blue', 'Blue')])
    expect((await world.owned())['Label/blue']).toBe(await world.idOf('Label', 'Blue'))
    world.fate = () => 'well'
    expect((await world.apply([...before, label('blue', 'Blue')])).outcome).toBe('unchanged')
    expect((await world.resources()).filter((resource) => resource === 'Label Blue')).toHaveLength(1)
  })

  test('reports what it gave up, although the rest is undone later', async () => {
    await using world = new EngineWorld()
    await world.apply(before)
    whileUndoing(world, { 'create Dashboard Ops': 'refused', 'create Label Red': 'unavailable' })
    const { run, outcome } = await world.apply(without('red', 'ops'))
    expect(outcome).toBe('undoing')
    world.fate = () => 'well'
    await world.undo(run)
    expect((await world.stack()).failure).toMatchObject({ reason: 'UndoIncomplete' })
    expect((await world.stack()).failure!.message).toContain('Dashboard/ops could not be undone')
  })
})

describe('on a target that creates resources in two steps', () => {
  const described = [
    ...without('ops'),
    bucket('last', 'last'),
    dashboard('ops', 'Ops', { description: 'What we watch' }),
  ]

  test('a recreated resource that cannot be completed is owned as it is', async () => {
    await using world = new EngineWorld()
    world.halfMade = true
    await world.apply(described)
    whileUndoing(world, { 'update Dashboard Ops': 'refused' })
    await world.apply(without('ops'))
    expect(await world.resources()).toContain('Dashboard Ops')
    expect((await world.owned())['Dashboard/ops']).toBe(await world.idOf('Dashboard', 'Ops'))
  })

  test('a recreated resource that got no answer is completed later', async () => {
    await using world = new EngineWorld()
    world.halfMade = true
    await world.apply(described)
    whileUndoing(world, { 'update Dashboard Ops': 'unavailable' })
    const { run } = await world.apply(without('ops'))
    world.fate = () => 'well'
    expect(await world.undo(run)).toBe('undone')
    const id = (await world.idOf('Dashboard', 'Ops'))!
    const documents = await world.store.documents.byIds('main', 'Dashboard', [id])
    expect(documents.get(id)!.state).toMatchObject({ description: 'What we watch' })
    expect((await world.owned())['Dashboard/ops']).toBe(id)
  })
})

test('a recreated resource that cannot be completed is still found by the earlier steps on it', async () => {
  await using world = new EngineWorld()
  world.halfMade = true
  const ops = (description: string): Doc => dashboard('ops', 'Ops', { description })
  await world.apply([...without('ops'), bucket('last', 'last'), ops('one')])
  const first = [
    ...without('ops'),
    bucket('last', 'last'),
    ops('two'),
    dashboard('extra', 'Extra', { labels: ['red'] }),
  ]
  await stoppedAt(world, 'update Dashboard Ops', first)
  whileUndoing(world, { 'update Dashboard Ops': 'refused' })
  expect((await world.apply(without('ops'))).outcome).toBe('undone')
  const id = await world.idOf('Dashboard', 'Ops')
  expect(id).toBeDefined()
  expect((await world.owned())['Dashboard/ops']).toBe(id)
})

/** Applies the package by a run that is stopped at this call. */
async function stoppedAt(world: EngineWorld, until: string, documents: readonly Doc[]): Promise<void> {
  const stop = new AbortController()
  world.pause = (call) => {
    if (call === until) stop.abort(new Stopped('superseded', 'A newer revision is there.'))
    return undefined
  }
  expect((await world.apply(documents, { signal: stop.signal })).outcome).toBe('stopped')
  world.pause = () => undefined
}

describe('an undo that is refused blocks the undo of an earlier run', () => {
  /** `last` and `extra` are those that stop the first run and fail the second. */
  const withLabels = (labels: readonly Doc[], raw: string, ...more: readonly Doc[]): readonly Doc[] => [
    ...labels,
    bucket('raw', 'raw', { labels: [raw] }),
    dashboard('ops', 'Ops'),
    ...more,
  ]
  const extra = (meta: string): readonly Doc[] => [
    bucket('last', 'last'),
    dashboard('extra', 'Extra', { labels: [meta] }),
  ]

  /** The last step is refused, and the first of these calls while that is undone. */
  function refusingOnce(world: EngineWorld, refused: string): void {
    let undoing = false
    let refusals = 0
    world.fate = (call) => {
      if (call === 'start undo') undoing = true
      if (call === 'remove Bucket last') return 'refused'
      return undoing && call === refused && refusals++ === 0 ? 'refused' : 'well'
    }
  }

  test('on the address that a resource moved from', async () => {
    await using world = new EngineWorld()
    await world.apply(before)
    await stoppedAt(world, 'update Label Red', withLabels([label('red', 'Red', 'two')], 'red', ...extra('red')))
    refusingOnce(world, 'update Label Red')
    const { run } = await world.apply(withLabels([label('crimson', 'Red', 'three')], 'crimson'))
    expect(run.problems.map(({ code, about }) => [code, about])).toEqual([
      ['platform/refused', 'Bucket/last'],
      ['engine/undo-failed', 'Label/crimson'],
      ['engine/undo-skipped', 'Label/red'],
    ])
    expect(Object.keys(await world.owned())).toContain('Label/crimson')
    expect(await world.state('Label', 'Red')).toMatchObject({ color: 'three' })
  })

  test('on the address that it moved to', async () => {
    await using world = new EngineWorld()
    await world.apply(before)
    const crimson = (color: string): readonly Doc[] => [label('crimson', 'Red', color)]
    await stoppedAt(world, 'update Label Red', withLabels(crimson('two'), 'crimson', ...extra('crimson')))
    refusingOnce(world, 'update Label Red')
    expect((await world.apply(withLabels(crimson('three'), 'crimson'))).outcome).toBe('undone')
    expect(Object.keys(await world.owned())).toContain('Label/crimson')
    expect(await world.state('Label', 'Red')).toMatchObject({ color: 'three' })
  })

  test('that would return to an address which another resource still has', async () => {
    await using world = new EngineWorld()
    await world.apply(before)
    const crimson = label('crimson', 'Red', 'two')
    await stoppedAt(world, 'update Label Red', withLabels([crimson], 'crimson', ...extra('crimson')))
    refusingOnce(world, 'remove Label Ruby')
    expect((await world.apply(withLabels([crimson, label('red', 'Ruby')], 'crimson'))).outcome).toBe('undone')
    expect(await world.owned()).toMatchObject({
      'Label/crimson': await world.idOf('Label', 'Red'),
      'Label/red': await world.idOf('Label', 'Ruby'),
    })
  })
})

describe('an undo of two runs, the first of which was stopped', () => {
  /** Carries out the first package but for what waits for `until`, then the second one, whose last step is refused. */
  async function afterTwoRuns(
    world: EngineWorld,
    until: string,
    first: readonly Doc[],
    second: readonly Doc[],
  ): Promise<void> {
    await world.apply(before)
    await stoppedAt(world, until, first)
    whileUndoing(world, {})
    expect((await world.apply(second)).outcome).toBe('undone')
  }

  test('removes what the first created and the second removed', async () => {
    await using world = new EngineWorld()
    const made = [
      ...without('red'),
      label('red', 'Red'),
      bucket('last', 'last'),
      dashboard('new', 'New', { labels: ['red'] }),
    ]
    await afterTwoRuns(world, 'create Dashboard New', made, without())
    expect(await world.resources()).toEqual(['Bucket last', 'Bucket raw', 'Dashboard Ops', 'Label Red', 'LabelMapping'])
    expect(Object.keys(await world.owned())).toHaveLength(5)
  })

  test('restores once what the first changed and the second removed', async () => {
    await using world = new EngineWorld()
    const changed = [
      label('red', 'Red', 'dark'),
      bucket('raw', 'raw', { labels: ['red'] }),
      bucket('last', 'last'),
      dashboard('ops', 'Operations'),
    ]
    await afterTwoRuns(
      world,
      'update Dashboard Operations',
      [...changed, dashboard('extra', 'Extra', { labels: ['red'] })],
      without('ops'),
    )
    expect(await world.resources()).toEqual(['Bucket last', 'Bucket raw', 'Dashboard Ops', 'Label Red', 'LabelMapping'])
    expect((await world.owned())['Dashboard/ops']).toBe(await world.idOf('Dashboard', 'Ops'))
  })

  test('returns to the first state, even if the later step is undone later', async () => {
    await using world = new EngineWorld()
    await world.apply(before)
    const named = (name: string): readonly Doc[] => [...without('ops'), dashboard('ops', name)]
    const one = [
      ...named('One'),
      bucket('last', 'last'),
      label('blue', 'Blue'),
      dashboard('extra', 'Extra', { labels: ['blue'] }),
    ]
    await stoppedAt(world, 'update Dashboard One', one)
    whileUndoing(world, { 'update Dashboard One': 'unavailable' })
    const { run, outcome } = await world.apply(named('Two'))
    expect(outcome).toBe('undoing')
    world.fate = () => 'well'
    expect(await world.undo(run)).toBe('undone')
    expect((await world.resources()).filter((resource) => resource.startsWith('Dashboard'))).toEqual(['Dashboard Ops'])
  })
})
