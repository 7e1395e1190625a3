import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.js'
import { Keyring } from '../../src/secrets/keyring.js'
import type { Counts } from '../../src/model/resources/change.js'
import { label } from '../plan/scenario.js'
import { EngineWorld, type Fate } from './engine-world.js'

const applied = [label('red', 'Red'), label('blue', 'Blue'), label('gone', 'Gone'), label('stays', 'Stays')]
const edited = [label('red', 'Red', 'dark'), label('blue', 'Blue', 'dark')]

/** A process that ended in the middle of a run that changes two labels and removes two. Returns the run. */
async function interrupted(world: EngineWorld, fates: Readonly<Record<string, Fate>>): Promise<string> {
  await world.apply(applied)
  world.fate = (call) => fates[call] ?? (call === 'settle' ? 'unavailable' : 'well')
  await world.apply(edited, { onFailure: 'continue' }).catch(() => {})
  world.fate = () => 'well'
  const [run] = await world.store.runs.list((await world.stack()).id, { limit: 1 })
  const { id, stack, lease } = await world.store.runs.takeLease(run!)
  const plan = { stack, target: '', revision: '', changes: [], unchanged: 0, needsApproval: [], digest: 'd' }
  await world.store.runs.savePlan(lease, plan, { create: 0, update: 2, remove: 2, unchanged: 0 })
  await world.store.runs.finish(lease, { outcome: 'interrupted' })
  return id
}

async function countsOf(world: EngineWorld, run: string): Promise<Counts> {
  return (await world.store.runs.get(run))!.changes!
}

const noAnswers = {
  'update Label Red': 'lost',
  'update Label Blue': 'unavailable',
  'remove Label Gone': 'lost',
  'remove Label Stays': 'unavailable',
} as const

describe('updates and removals of an interrupted run whose answers were lost', () => {
  test('count for that run if the target made them', async () => {
    await using world = new EngineWorld()
    const run = await interrupted(world, noAnswers)
    expect(await countsOf(world, run)).toEqual({ create: 0, update: 0, remove: 0, unchanged: 0 })
    expect((await world.apply(edited)).outcome).toBe('applied')
    expect(await countsOf(world, run)).toEqual({ create: 0, update: 1, remove: 1, unchanged: 0 })
  })

  test('count once, also if the recovery is interrupted', async () => {
    await using world = new EngineWorld()
    const run = await interrupted(world, noAnswers)
    world.fate = (call) => (call === 'settle' ? 'unavailable' : 'well')
    await world.apply(edited).catch(() => {})
    world.fate = () => 'well'
    await world.apply(edited)
    expect(await countsOf(world, run)).toEqual({ create: 0, update: 1, remove: 1, unchanged: 0 })
  })

  test('count only as removals, if the key of what was there before is lost', async () => {
    await using world = new EngineWorld()
    const run = await interrupted(world, noAnswers)
    world.engine = new Engine({ journal: world.store.journal, sealer: new Keyring(randomBytes(32)) })
    expect((await world.apply(edited)).outcome).toBe('applied')
    expect(await countsOf(world, run)).toEqual({ create: 0, update: 0, remove: 1, unchanged: 0 })
  })

  test('are undone by the next run that fails', async () => {
    await using world = new EngineWorld()
    await interrupted(world, noAnswers)
    world.fate = (call) => (call === 'create Label New' ? 'refused' : 'well')
    expect((await world.apply([...edited, label('new', 'New')])).outcome).toBe('undone')
    expect(await world.resources()).toEqual(['Label Blue', 'Label Gone', 'Label Red', 'Label Stays'])
    expect((await world.state('Label', 'Red'))!['color']).toBe('')
  })
})
