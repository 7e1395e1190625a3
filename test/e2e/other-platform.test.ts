// A whole agent over two platforms: that of test/lamps.ts, beside the plain one.
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/model/json.js'
import { Lamps } from '../lamps.js'
import { label } from './packages.js'
import { never, useWorld } from './world.js'

const lamps = new Lamps()
const hall = { platform: 'lamps', settings: { bridge: 'hall' } }
const local = { platform: 'plain', settings: { space: 'main' } }
const world = useWorld({ platforms: [lamps], changed: { targets: { local, hall } } })

function document(kind: string, name: string, spec: string): string {
  return `apiVersion: lamps/v1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`
}

const room = document('Room', 'hall', '{ floor: 1 }')
const door = (colour: string): string => document('Lamp', 'door', `{ room: hall, colour: ${colour} }`)
const alarm = document('Secret', 'alarm', '{ code: "1234" }')

/** The devices of the bridge, by kind and name. */
function devices(): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    [...lamps.bridge('hall').values()].map(({ family, state }) => [`${family}/${state['name'] as string}`, state]),
  )
}

async function applied(...documents: readonly string[]): Promise<void> {
  lamps.bridge('hall').clear()
  await world().push(documents.join('---\n'))
  const run = await world().create('lights', { target: 'hall' })
  expect([run.outcome, run.problems]).toEqual(['applied', []])
}

test('a package is applied in the order of its references, and applied again nothing changes', async () => {
  await applied(door('red'), room, alarm)
  const roomId = [...lamps.bridge('hall').values()].find(({ family }) => family === 'Room')!.id
  expect(devices()).toEqual({
    'Room/hall': { name: 'hall', floor: 1 },
    'Lamp/door': { name: 'door', colour: 'red', room: roomId },
    'Secret/alarm': { name: 'alarm', code: '1234' },
  })
  expect((await world().sync('lights')).outcome).toBe('unchanged')
})

test('a failed apply is undone', async () => {
  await applied(room, door('red'), alarm)
  const before = devices()
  await world().push([document('Room', 'hall', '{ floor: 2 }'), door('broken'), alarm].join('---\n'))
  expect((await world().sync('lights')).outcome).toBe('undone')
  expect(devices()).toEqual(before)
})

test('a manual change is drift, and the next sync corrects it', async () => {
  await applied(room, door('red'))
  for (const device of lamps.bridge('hall').values())
    if (device.family === 'Lamp') device.state = { ...device.state, colour: 'blue' }
  const { changes } = await world().ask.previewPlan('lights', {}, never)
  expect(changes).toMatchObject([{ action: 'update', address: 'Lamp/door', reason: 'drifted' }])
  expect((await world().sync('lights')).outcome).toBe('applied')
  expect(devices()['Lamp/door']).toMatchObject({ colour: 'red' })
})

test('resources of a kind named Secret are removed like any other', async () => {
  await applied(room, alarm)
  await world().push(room)
  expect((await world().sync('lights')).outcome).toBe('applied')
  expect(Object.keys(devices())).toEqual(['Room/hall'])
})

test('an export declares the same resources', async () => {
  await applied(room, door('red'), alarm)
  const { documents, problems } = await world().ask.exportPackage({ targets: [{ target: 'hall' }] }, never)
  expect(problems).toEqual([])
  expect(documents.map(({ kind }) => kind)).toEqual(['Secret', 'Lamp', 'Room'])
})

test('stacks of both platforms live in one agent', async () => {
  await applied(room)
  await world().push(label('red'))
  const run = await world().create('boards')
  expect(run.outcome).toBe('applied')
  expect(await world().names()).toEqual(['Label/red'])
  expect(Object.keys(devices())).toEqual(['Room/hall'])
})
