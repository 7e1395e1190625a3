// Ignored fields: a person's values survive writes and undos.
import { expect, test } from 'vitest'
import { at, bucket, dashboard, label, type Doc } from '../plan/scenario.js'
import { EngineWorld } from './engine-world.js'

const red = (color: string, description: string): Doc => ({
  ...label('red', 'Red'),
  spec: { name: 'Red', color, description },
})

test('an update keeps the actual value of an ignored field, which ownership does not store', async () => {
  await using world = new EngineWorld()
  world.ignore = [{ family: 'Label', path: 'color' }]
  await world.apply([red('one', '')])
  await world.changeLabel('Red', { color: 'by hand' })
  expect((await world.apply([red('two', 'new')])).outcome).toBe('applied')
  expect(await world.state('Label', 'Red')).toMatchObject({ color: 'by hand', description: 'new' })
  const { applied } = (await world.store.ownership.of((await world.stack()).id)).get(at('Label/red'))!
  expect(applied).toEqual({ name: 'Red', description: 'new' })
})

test('an undo of an update keeps what a person changed meanwhile in an ignored field', async () => {
  await using world = new EngineWorld()
  world.ignore = [{ family: 'Label', path: 'color' }]
  world.concurrency = 1
  await world.apply([red('one', 'old')])
  world.pause = async (call) => {
    if (call === 'create Label Blue') await world.changeLabel('Red', { color: 'by hand' })
  }
  world.fate = (call) => (call === 'create Label Blue' ? 'refused' : 'well')
  expect((await world.apply([red('one', 'new'), label('blue', 'Blue')])).outcome).toBe('undone')
  expect(await world.state('Label', 'Red')).toMatchObject({ color: 'by hand', description: 'old' })
})

test('a recreated resource gets the values of its ignored fields back, also if it is completed later', async () => {
  await using world = new EngineWorld()
  world.ignore = [{ family: 'Dashboard', path: 'description' }]
  world.halfMade = true
  await world.apply([dashboard('ops', 'Ops', { description: 'What we watch' }), bucket('last', 'last')])
  let undoing = false
  world.fate = (call) => {
    if (call === 'start undo') undoing = true
    if (call === 'remove Bucket last') return 'refused'
    return undoing && call === 'update Dashboard Ops' ? 'unavailable' : 'well'
  }
  const { run, outcome } = await world.apply([])
  expect(outcome).toBe('undoing')
  world.fate = () => 'well'
  expect(await world.undo(run)).toBe('undone')
  expect(await world.state('Dashboard', 'Ops')).toMatchObject({ description: 'What we watch' })
})
