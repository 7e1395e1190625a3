// A platform whose kinds are known only after connecting: a bridge says which sorts of devices it has.
import { beforeEach, expect, test } from 'vitest'
import type { Finding } from '../../src/model/problem.js'
import type { Connection, Platform, Target } from '../../src/platform/platform.js'
import { Unavailable } from '../../src/model/errors.js'
import { never, useWorld } from '../e2e/world.js'
import { Lamps, lampsKind } from '../lamps.js'

/** What the bridge answers. */
const firmware = { kinds: [] as readonly string[], warnings: [] as readonly Finding[], down: false }
const devices = new Lamps()

const lateLamps: Platform = {
  name: 'lamps',
  version: 1,
  onFailure: 'undo',
  systemId: (settings) => devices.systemId(settings),
  connect: async ({ settings }: Target): Promise<Connection> => {
    if (firmware.down) throw new Unavailable('The bridge does not answer.', { code: 'lamps/down' })
    const kinds = new Lamps(
      'lamps',
      firmware.kinds.map((kind) => lampsKind(kind)),
    )
    return { ...(await devices.connect({ settings })), kinds, warnings: firmware.warnings }
  },
}

const world = useWorld({
  platforms: [lateLamps],
  changed: { targets: { hall: { platform: 'lamps', settings: { bridge: 'hall' } } } },
})

beforeEach(() => {
  Object.assign(firmware, { kinds: ['Room', 'Lamp'], warnings: [], down: false })
  devices.bridge('hall').clear()
})

const document = (kind: string, name: string, spec: string): string =>
  `apiVersion: lamps/v1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`
const room = document('Room', 'hall', '{ floor: 1 }')
const lamp = document('Lamp', 'door', '{ room: hall, colour: red }')
const blind = document('Blind', 'window', '{ room: hall }')

const names = (): readonly string[] =>
  [...devices.bridge('hall').values()].map(({ family, state }) => `${family}/${state['name'] as string}`).sort()

test('a package is planned, applied and corrected', async () => {
  await world().push([lamp, room].join('---\n'))
  const run = await world().create('lights', { target: 'hall' })
  expect([run.outcome, run.problems, names()]).toEqual(['applied', [], ['Lamp/door', 'Room/hall']])
  for (const device of devices.bridge('hall').values()) if (device.family === 'Room') device.state = { name: 'hall' }
  expect((await world().ask.previewPlan('lights', {}, never)).changes).toMatchObject([{ reason: 'drifted' }])
  expect((await world().sync('lights')).outcome).toBe('applied')
  await world().push(room)
  expect((await world().sync('lights')).outcome).toBe('applied')
  expect(names()).toEqual(['Room/hall'])
})

test('a kind that the target does not have yet is refused, and applied once the target has it', async () => {
  await world().push([room, blind].join('---\n'))
  const run = await world().create('lights', { target: 'hall' })
  expect([run.outcome, run.problems[0]?.message]).toEqual(['failed', 'A bridge has no Blind.'])
  firmware.kinds = ['Room', 'Lamp', 'Blind']
  expect((await world().sync('lights')).outcome).toBe('applied')
  expect(names()).toEqual(['Blind/window', 'Room/hall'])
})

test('a kind that the target loses changes nothing: the resources stay, and the plan says why it fails', async () => {
  await world().push([room, lamp].join('---\n'))
  await world().create('lights', { target: 'hall' })
  firmware.kinds = ['Room']
  await world().push(room)
  const run = await world().sync('lights')
  expect([run.outcome, run.problems.map(({ code }) => code)]).toEqual(['failed', ['plan/unknown-kind']])
  expect(names()).toEqual(['Lamp/door', 'Room/hall'])
})

test('a target that does not answer fails the run, which is retried; views work without its kinds', async () => {
  await world().push(room)
  await world().create('lights', { target: 'hall' })
  await world().restart({
    platforms: [lateLamps],
    changed: { targets: { hall: { platform: 'lamps', settings: { bridge: 'hall' } } } },
  })
  firmware.down = true
  const run = await world().sync('lights')
  expect([run.outcome, run.problems[0]?.code]).toEqual(['failed', 'lamps/down'])
  const { resources } = await world().ask.getStack('lights')
  expect(resources).toMatchObject([{ kind: 'Room', name: 'hall', displayName: 'hall' }])
})

test('warnings of the connection are in plans, runs, `explain` and the doctor', async () => {
  const finding = { code: 'lamps/rights', message: 'gitmoor may not rename rooms.', hint: 'Give it the right "rooms".' }
  firmware.warnings = [finding]
  await world().push(room)
  const run = await world().create('lights', { target: 'hall' })
  expect([run.outcome, run.problems]).toMatchObject(['applied', [{ severity: 'warning', ...finding }]])
  expect((await world().ask.previewPlan('lights', {}, never)).problems).toMatchObject([finding])
  expect((await world().ask.explainStack('lights')).text).toContain(`Warning: ${finding.message} ${finding.hint}`)
  const { checks } = await world().ask.diagnose(never)
  expect(checks.find(({ name }) => name === 'target hall')).toMatchObject({
    state: 'warning',
    message: `answered in 0 ms. ${finding.message}`,
    next: finding.hint,
  })
})
