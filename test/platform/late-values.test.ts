// A resource whose fields wait for values of another one, inside text and inside a list: the whole way, with a crash.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.js'
import { buildGraph } from '../../src/graph/graph.js'
import type { JsonObject } from '../../src/model/json.js'
import { readPackage } from '../../src/package/package.js'
import type { Connection, Driver } from '../../src/platform/platform.js'
import { Keyring } from '../../src/secrets/keyring.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import { planStack } from '../../src/stacks/plans/plan-stack.js'
import { kindsByName } from '../../src/stacks/targets.js'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { file } from '../graph/read-texts.js'
import { Lamps } from '../lamps.js'
import { ManualClock } from '../manual-clock.js'
import { openNewStore } from '../new-data-directory.js'

const never = new AbortController().signal
const sources = [{ kind: 'git', url: 'file:///nowhere', ref: 'main', path: '' }] as const
const document = (kind: string, name: string, spec: string): string =>
  `apiVersion: lamps/v1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`
const room = (floor: number): string => document('Room', 'hall', `{ floor: ${floor} }`)
const door = (more = ''): string =>
  document(
    'Lamp',
    'door',
    `{ text: "in $(ref.Room/hall.serial), floor $(ref.Room/hall.floor)", rooms: [x, $(ref.Room/hall.id)]${more} }`,
  )

let lamps: Lamps
let store: SqliteStore
let directory: string
let stack: string
/** Changes what a driver does. */
let around: (driver: Driver, family: string) => Driver

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-late-'))
  store = openNewStore(join(directory, 'gitmoor.db'), new ManualClock())
  lamps = new Lamps()
  around = (driver) => driver
  const made = { managedBy: 'api', target: 'lamps/hall', cause: { kind: 'created' } } as const
  stack = (await store.stacks.create({ ...stackDefaults, name: 'lights', sources }, made)).stack.id
})

afterEach(() => {
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

/** Plans and applies by a new run and a new engine, as after a start: the changes of the plan, and the outcome. */
async function sync(...documents: readonly string[]): Promise<readonly string[]> {
  const { value: read } = readPackage([file('a.yml', documents.join('---\n'))])
  const { value: graph, problems } = buildGraph(read, (kind, version) => lamps.kind(kind, version))
  expect(problems).toEqual([])
  const run = await store.runs.add({ stack, revision: 'main', cause: { kind: 'commit' } })
  const { lease } = await store.runs.takeLease(run)
  const plain = await lamps.connect({ settings: { bridge: 'hall' } })
  const connection: Connection = { ...plain, driver: (kind) => around(plain.driver(kind), kind.family) }
  const calling = { caller: { run: run.id }, limitMs: 30_000, onCall: () => {} }
  const acting = { lease, connection, calling, kindNamed: kindsByName(lamps) }
  const engine = new Engine({ journal: store.journal, sealer: new Keyring(Buffer.alloc(32, 7)) })
  const open = await engine.recover(acting, never)
  const deps = { store, platform: lamps, connection, calling, system: 'lamps/hall' }
  const planned = await planStack((await store.stacks.get(stack))!, { ...graph, revision: 'main' }, deps, never)
  await engine.confirm(acting, open, planned)
  const applied = { revision: 'main', content: '', files: '', place: '' }
  const change = { ...acting, ...planned, byAddress: graph.byAddress, onFailure: 'undo', problems, applied } as const
  const outcome = await engine.apply(change, never)
  const lines = planned.plan.changes.map(({ address, action, reason, fields }) => {
    const shown = fields.map(({ path, new: value }) => `${path} = ${JSON.stringify(value)}`)
    return `${address} ${action} ${reason}: ${shown.join(', ')}`
  })
  return [...lines, outcome]
}

function devices(): Readonly<Record<string, JsonObject & { readonly id: string }>> {
  const all = [...lamps.bridge('hall').values()]
  return Object.fromEntries(
    all.map(({ family, id, state }) => [`${family}/${state['name'] as string}`, { ...state, id }]),
  )
}

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
  const [run] = await store.runs.list(stack, { limit: 1 })
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
  lamps.bridge('hall').get(lamp)!.state = { name: 'door', text: 'in S-0, floor 1', rooms: ['x'] }
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
    around = (driver, family) =>
      family === 'Lamp' ? { ...driver, create: (...given) => die(() => driver.create(...given)) } : driver
    void sync(door(), room(1))
  })
  around = (driver) => driver
  expect(await sync(door(), room(1))).toHaveLength(when === 'before' ? 2 : 1)
  expect(Object.keys(devices()).sort()).toEqual(['Lamp/door', 'Room/hall'])
  expectResolved(1)
})
