// Why a resource waits for another, from the package to what people see.
import { expect, test } from 'vitest'
import { planLines } from '../../src/cli/text/plan/plan-text.js'
import { resourceDetailLines } from '../../src/cli/text/resource-explanation-text.js'
import { plainStyle } from '../../src/cli/text/text.js'
import { Lamps } from '../lamps.js'
import { never, useWorld } from '../influxdb/world.js'

const hall = { platform: 'lamps', settings: { bridge: 'hall' } }
const world = useWorld({ platforms: [new Lamps()], changed: { targets: { hall } } })

const display = { style: plainStyle, width: undefined, now: 0 }

function document(kind: string, name: string, rest: string): string {
  return `apiVersion: lamps/v1\nkind: ${kind}\nmetadata: { name: ${name} }\n${rest}\n`
}

test('plans and `explain` show what a resource waits for, and why', async () => {
  const room = document('Room', 'hall', 'spec: { floor: 1 }')
  const porch = document('Lamp', 'porch', 'spec: { colour: red }')
  await world().push([room, porch].join('---\n'))
  await world().create('lights', { target: 'hall' })
  const door = document('Lamp', 'door', 'spec: { room: hall }\nneeds: [Lamp/porch]\nmeta: { timeout: 10m }')
  await world().push([room, porch.replace('red', 'blue'), door].join('---\n'))
  const plan = await world().ask.previewPlan('lights', {}, never)
  expect(plan.changes.map(({ address, after, timeoutMs }) => [address, after, timeoutMs])).toEqual([
    ['Lamp/porch', [], undefined],
    ['Lamp/door', ['Lamp/porch'], 600_000],
  ])
  expect(planLines(plan, display)).toContain('      after Lamp/porch: needs[0]')
  expect((await world().sync('lights')).outcome).toBe('applied')
  const detail = await world().ask.explainResource('lights', 'Lamp/door')
  expect(detail.needs).toEqual(['Lamp/porch', 'Room/hall'])
  const needs = expect.stringMatching(/^needs: +Lamp\/porch \(needs\[0\]\), Room\/hall \(spec\.room\)$/) as string
  expect(resourceDetailLines(detail, display, '')).toContainEqual(needs)
})

test('a resource that no longer needs another is only owned differently', async () => {
  const porch = document('Lamp', 'porch', '')
  await world().push([porch, document('Lamp', 'door', 'needs: [Lamp/porch]')].join('---\n'))
  await world().create('lights', { target: 'hall' })
  await world().push([porch, document('Lamp', 'door', '')].join('---\n'))
  const { changes } = await world().ask.previewPlan('lights', {}, never)
  expect(changes.map(({ address, action, fields }) => [address, action, fields])).toEqual([['Lamp/door', 'update', []]])
})

test('plans show a field that waits for a value of another resource', async () => {
  const room = document('Room', 'cellar', 'spec: { floor: 1 }')
  await world().push([document('Lamp', 'stairs', 'spec: { text: "in $(ref.Room/cellar.serial)" }'), room].join('---\n'))
  await world().ask.createStack(world().spec('lights', { target: 'hall', apply: 'approval' }), 'ann')
  const plan = await world().ask.previewPlan('lights', {}, never)
  const lines = planLines(plan, display).map((line) => line.trim())
  expect(lines).toContain('text: "(known after apply: serial of Room/cellar)"')
  expect(lines).toContain('after Room/cellar: spec.text')
})
