// A resource whose fields wait for values of another one, inside text and inside a list: the whole way, with a crash.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LampsWorld } from './lamps-world.js'

const document = (kind: string, name: string, spec: string): string =>
  `apiVersion: lamps/v1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`
const room = (floor: number): string => document('Room', 'hall', `{ floor: ${floor} }`)
const door = (more = ''): string =>
  document(
    'Lamp',
    'door',
    `{ text: "in $(ref.Room/hall.serial), floor $(ref.Room/hall.floor)", rooms: [x, $(ref.Room/hall.id)]${more} }`,
  )

let world: LampsWorld
const sync: LampsWorld['sync'] = (...documents) => world.sync(...documents)
const devices: LampsWorld['devices'] = () => world.devices()

beforeEach(() => void (world = new LampsWorld()))
afterEach(() => world[Symbol.dispose]())

/** What the lamp has, with the values of its room. */
function expectResolved(floor: number): void {
  const { 'Room/hall': hall, 'Lamp/door': lamp } = devices()
  expect(lamp).toMatchObject({ text: `in S-${hall!.id}, floor ${floor}`, rooms: ['x', hall!.id] })
}

test('is planned with what is known, applied with all of it, and then unchanged', async () => {
  expect(await sync(door(), room(1))).toEqual([
    'Room/hall create added: name = "hall", floor = 1',
    'Lamp/door create added: name = "door", text = "(known after apply: serial of Room/hall)", ' +
      'rooms = ["x","(known after apply: id of Room/hall)"]',
    'applied',
  ])
  expectResolved(1)
  expect(await sync(door(), room(1))).toEqual(['unchanged'])
})

test('changes with the other resource, in one run', async () => {
  await sync(door(), room(1))
  expect(await sync(door(), room(2))).toEqual([
    'Room/hall update edited: floor = 2',
    'Lamp/door update edited: text = "(known after apply: serial of Room/hall)"',
    'applied',
  ])
  expectResolved(2)
})

test('is undone after a failure, with the other resource', async () => {
  expect((await sync(door(', colour: broken'), room(1))).at(-1)).toBe('undone')
  expect(devices()).toEqual({})
  await sync(door(), room(1))
  const before = devices()
  expect((await sync(door(', colour: broken'), room(2))).at(-1)).toBe('undone')
  expect(devices()).toEqual(before)
  expect(await sync(door(), room(1))).toEqual(['unchanged'])
})

test('is a problem of its line if its value does not fit, and others of the resource are reported with it', async () => {
  const list = '$(ref.Room/hall.ports)'
  const lamp = document('Lamp', 'door', `\n  text: "in ${list}"\n  note: "of ${list}"`)
  expect((await sync(document('Room', 'hall', '{ ports: [{ number: 80 }] }'), lamp)).at(-1)).toBe('undone')
  const [run] = await world.store.runs.list(await world.stack(), { limit: 1 })
  const found = run!.problems.map(({ code, message, place, about }) => [code, message, place?.line, about])
  const why = `contains "${list}", which is a list or a map.`
  expect(found).toEqual([
    ['graph/late-value', `Lamp/door: spec.text ${why}`, 10, 'Lamp/door'],
    ['graph/late-value', `Lamp/door: spec.note ${why}`, 11, 'Lamp/door'],
  ])
})

test('is corrected when it drifts, with the values of the other resource', async () => {
  await sync(door(), room(1))
  const [hall, lamp] = [devices()['Room/hall']!.id, devices()['Lamp/door']!.id]
  world.lamps.bridge('hall').get(lamp)!.state = { name: 'door', text: 'in S-0, floor 1', rooms: ['x'] }
  expect(await sync(door(), room(1))).toEqual([
    `Lamp/door update drifted: text = "in S-${hall}, floor 1", rooms[1] = "${hall}"`,
    'applied',
  ])
  expectResolved(1)
})

test.each(['before', 'after'] as const)('is complete after a crash %s its creation', async (when) => {
  await new Promise<void>((crashed) => {
    const die = async (make: () => unknown): Promise<never> => {
      if (when === 'after') await make()
      crashed()
      return new Promise(() => {})
    }
    world.around = (driver, family) =>
      family === 'Lamp' ? { ...driver, create: (...given) => die(() => driver.create(...given)) } : driver
    void sync(door(), room(1))
  })
  world.around = (driver) => driver
  expect(await sync(door(), room(1))).toHaveLength(when === 'before' ? 2 : 1)
  expect(Object.keys(devices()).sort()).toEqual(['Lamp/door', 'Room/hall'])
  expectResolved(1)
})
