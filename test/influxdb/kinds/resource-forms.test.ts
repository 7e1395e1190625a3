// The forms of InfluxDB's resource API that differ from those of packages: schedules of tasks, retention, rules, cells.
import { describe, expect, test } from 'vitest'
import type { Identity } from '../../../src/model/address.js'
import type { JsonObject } from '../../../src/model/json.js'
import { dashboardCells, resourceForms } from '../../../src/influxdb/kinds/kinds.js'

const context = {
  id: '00000000000000a1' as Identity,
  orgID: '00000000000000b1',
  orgName: 'main',
  endpointType: (id: unknown): string => (id === 'e1' ? 'slack' : ''),
}
const form = (family: string, state: JsonObject): JsonObject => resourceForms[family]!(state, context)

describe('a task', () => {
  const task = { name: 'a', description: '', every: '1h0m0s', cron: '', offset: '', query: 'q', status: 'active' }

  test.each([
    ['', undefined],
    ['5m0s', '5m'],
    ['10m0s', '10m'],
    ['1h0m5s', '1h5s'],
    ['10s', '10s'],
    ['100ms', '100ms'],
  ])('with the offset %j is shown with %j', (offset, shown) => {
    expect(form('Task', { ...task, offset })['offset']).toBe(shown)
  })

  test.each([
    ['a "b" \\ ${c}\n', 'option task = {name: "a \\"b\\" \\\\ \\${c}\\n", every: 1h0m0s}\n\nq'],
    ['', 'option task = {name: "", every: 1h0m0s}\n\nq'],
  ])('named %j has Flux that says so', (name, flux) => {
    expect(form('Task', { ...task, name })['flux']).toBe(flux)
  })

  test.each([
    ['import "a"\nimport b "c"\n\nx = 1', 'import "a"\nimport b "c"', '\n\nx = 1'],
    ['// why\npackage p\n// and\nimport "a"\n// x\nx = 1', '// why\npackage p\n// and\nimport "a"', '\n// x\nx = 1'],
    ['import "a"', 'import "a"', ''],
  ])('of %j has its imports before the option', (query, imports, body) => {
    expect(form('Task', { ...task, query })['flux']).toBe(
      `${imports}\n\noption task = {name: "a", every: 1h0m0s}\n${body}`,
    )
  })

  test.each(['x = 1\nimport "a"', '// only a remark\nx = 1'])('of %j keeps it after the option', (query) => {
    expect(form('Task', { ...task, query })['flux']).toBe(`option task = {name: "a", every: 1h0m0s}\n\n${query}`)
  })
})

test.each([
  [3_600, 3_600],
  [2 * 86_400 - 1, 3_600],
  [2 * 86_400, 86_400],
  [180 * 86_400, 86_400],
  [180 * 86_400 + 1, 604_800],
])('a bucket that keeps data for %i s has shards of %i s', (everySeconds, shardGroupDurationSeconds) => {
  const { retentionRules } = form('Bucket', { name: 'a', retentionRules: [{ type: 'expire', everySeconds }] })
  expect(retentionRules).toEqual([{ type: 'expire', everySeconds, shardGroupDurationSeconds }])
})

test.each([
  ['e1', { type: 'slack', channel: '#ops' }],
  ['gone', { type: '' }],
])('a rule has the type of its endpoint %s', (endpointID, shown) => {
  const { type, channel } = form('NotificationRule', { name: 'a', endpointID, channel: '#ops' })
  expect({ type, ...(channel === undefined ? {} : { channel }) }).toEqual(shown)
})

test('what a target has in no form of ours is shown with defaults, and nothing throws', () => {
  const state = { name: 1, charts: ['x', null], retentionRules: 'x', endpointID: null, query: {}, every: [] }
  for (const family of Object.keys(resourceForms)) expect(form(family, state)).toMatchObject({ id: context.id })
  expect(dashboardCells(state, 'd').map(({ properties }) => properties)).toEqual([
    { shape: 'empty' },
    { shape: 'empty' },
  ])
})
