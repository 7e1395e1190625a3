// Kinds that share a name: of two platforms in one agent, and of two groups and two versions of one platform.
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/model/json.js'
import { until } from '../e2e/until.js'
import { never, useWorld } from '../e2e/world.js'
import { Lamps, lampsKind } from '../lamps.js'

const lamps = new Lamps()
const heating = new Lamps('heating', [
  lampsKind('Room', 'heating/v1'),
  lampsKind('Valve', 'heating/v1'),
  lampsKind('Valve', 'heating/v2'),
  lampsKind('Valve', 'garden/v1', 'GardenValve'),
])
/** Both systems have the same name, too. */
const targets = {
  lights: { platform: 'lamps', settings: { bridge: 'house' } },
  warmth: { platform: 'heating', settings: { bridge: 'house' } },
}
const world = useWorld({ platforms: [lamps, heating], changed: { targets } })

function document(apiVersion: string, kind: string, name: string, spec: string): string {
  return `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`
}

/** The state of each resource of a platform, by family and name. */
function states(platform: Lamps): Readonly<Record<string, JsonObject>> {
  const devices = [...platform.bridge('house').values()]
  return Object.fromEntries(
    devices.map(({ family, state: { name, ...state } }) => [`${family}/${name as string}`, state]),
  )
}

/** Pushes a package, and applies it with a new stack of this name to the target of the same name. */
async function apply(target: string, ...documents: readonly string[]): Promise<void> {
  await world().push(documents.join('---\n'))
  const run = await world().create(target, { target })
  expect([run.outcome, run.problems]).toEqual(['applied', []])
}

async function applyBoth(): Promise<void> {
  for (const platform of [lamps, heating]) platform.bridge('house').clear()
  await apply('lights', document('lamps/v1', 'Room', 'hall', '{ floor: 1 }'))
  await world().ask.suspendStack('lights', 'the package is of the other platform', undefined, 'ann')
  await apply('warmth', document('heating/v1', 'Room', 'hall', '{ celsius: 20 }'))
}

test('stacks of two platforms own a resource of the same kind, name and address, each on its own system', async () => {
  await applyBoth()
  expect([states(lamps), states(heating)]).toEqual([{ 'Room/hall': { floor: 1 } }, { 'Room/hall': { celsius: 20 } }])
  const listed = await Promise.all(['lights', 'warmth'].map((target) => world().live(target)))
  expect(listed).toMatchObject([{ 'Room/hall': { stack: 'lights' } }, { 'Room/hall': { stack: 'warmth' } }])
})

test('drift of one platform is corrected there, and nothing is written to the other', async () => {
  await applyBoth()
  const before = states(lamps)
  for (const device of heating.bridge('house').values()) device.state = { name: 'hall', celsius: 5 }
  expect((await world().ask.previewPlan('warmth', {}, never)).changes).toMatchObject([
    { action: 'update', address: 'Room/hall', reason: 'drifted' },
  ])
  expect((await world().sync('warmth')).outcome).toBe('applied')
  expect([states(lamps), states(heating)]).toEqual([before, { 'Room/hall': { celsius: 20 } }])
})

test('a deletion with everything that a stack owns leaves the other platform alone', async () => {
  await applyBoth()
  const { digest } = await world().ask.previewPlan('warmth', { uninstall: true }, never)
  await world().ask.deleteStack('warmth', { uninstall: digest, by: 'ann' }, never)
  await until('nothing is left there', () => Object.keys(states(heating)).length === 0)
  expect(states(lamps)).toEqual({ 'Room/hall': { floor: 1 } })
})

test('the apiVersion decides between kinds of one platform with one name', async () => {
  heating.bridge('house').clear()
  const [inside, outside] = ['heating/v2', 'garden/v1'].map((version) => document(version, 'Valve', 'a', '{ open: 1 }'))
  await apply('warmth', inside!, outside!)
  expect(Object.keys(states(heating)).sort()).toEqual(['GardenValve/a', 'Valve/a'])
  await world().push(inside!)
  const run = await world().sync('warmth')
  expect([run.outcome, run.problems]).toEqual(['applied', []])
  expect(Object.keys(states(heating))).toEqual(['Valve/a'])
})

test('another version of a kind changes nothing on the target, if the state is the same', async () => {
  heating.bridge('house').clear()
  await apply('warmth', document('heating/v1', 'Valve', 'a', '{ open: 1 }'))
  await world().push(document('heating/v2', 'Valve', 'a', '{ open: 1 }'))
  expect((await world().sync('warmth')).outcome).toBe('unchanged')
})
