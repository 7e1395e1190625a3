import { describe, expect, test } from 'vitest'
import type { NamedFieldChange } from '../../src/model/resources/change.js'
import { Secret, type Json, type JsonObject } from '../../src/model/json.js'
import { namedChanges } from '../../src/plan/named-changes.js'
import { plainVersion } from '../plain/plain-kinds.js'
import { at, byHand, declare, planOf, settled, type Doc } from './scenario.js'

const chart = (name: string, more: JsonObject = {}): JsonObject => ({ name, ...more })
const charts = (...list: readonly Json[]): JsonObject => ({ charts: list })

/** `charts[0] "CPU" / charts[0].xPos: 1 → 2`. */
function line({ path, entries = [], ...values }: NamedFieldChange): string {
  const where = entries.map((entry) => `${entry.path} "${entry.name}" / `).join('')
  return `${where}${path}: ${JSON.stringify(values.old) ?? 'none'} → ${JSON.stringify(values.new) ?? 'none'}`
}

const cases: Readonly<
  Record<string, readonly [actual: JsonObject, desired: JsonObject, lines: readonly string[] | undefined]>
> = {
  'in a named entry has its name': [
    charts(chart('CPU', { xPos: 1 }), chart('Disk')),
    charts(chart('CPU', { xPos: 2 }), chart('Disk')),
    ['charts[0] "CPU" / charts[0].xPos: 1 → 2'],
  ],
  'in a renamed entry has its old name': [
    charts(chart('Processor', { xPos: 1 })),
    charts(chart('CPU', { xPos: 1 })),
    ['charts[0] "Processor" / charts[0].name: "Processor" → "CPU"'],
  ],
  'of an inserted entry is that entry alone': [
    charts(chart('CPU', { xPos: 1 }), chart('Disk', { xPos: 2 })),
    charts(chart('Load'), chart('CPU', { xPos: 1 }), chart('Disk', { xPos: 3 })),
    ['charts[0] "Load" / charts[0]: none → {"name":"Load"}', 'charts[2] "Disk" / charts[2].xPos: 2 → 3'],
  ],
  'of an inserted entry of an ordered list is that entry alone': [
    { columns: [chart('time'), chart('host')] },
    { columns: [chart('level'), chart('time'), chart('host')] },
    ['columns[0] "level" / columns[0]: none → {"name":"level"}'],
  ],
  'of several inserted entries is those entries': [
    { columns: [chart('time'), chart('host')] },
    { columns: [chart('level'), chart('time'), chart('text'), chart('host')] },
    [
      'columns[0] "level" / columns[0]: none → {"name":"level"}',
      'columns[2] "text" / columns[2]: none → {"name":"text"}',
    ],
  ],
  'of a removed entry is that entry alone': [
    charts(chart('CPU'), chart('Disk', { xPos: 2 }), chart('Load', { xPos: 3 })),
    charts(chart('Disk', { xPos: 2 }), chart('Load', { xPos: 3 })),
    ['charts[0] "CPU" / charts[0]: {"name":"CPU"} → none'],
  ],
  'in entries of an unordered list ignores their order': [
    charts(chart('CPU', { xPos: 1 }), chart('Disk')),
    charts(chart('Disk'), chart('CPU', { xPos: 2 })),
    ['charts[1] "CPU" / charts[1].xPos: 1 → 2'],
  ],
  'in entries of an ordered list compares by position if their order changed': [
    { columns: [chart('time'), chart('host')] },
    { columns: [chart('host'), chart('time')] },
    ['columns[0] "time" / columns[0].name: "time" → "host"', 'columns[1] "host" / columns[1].name: "host" → "time"'],
  ],
  'in entries with the same name compares by position': [
    charts(chart('CPU', { xPos: 1 }), chart('CPU', { xPos: 2 })),
    charts(chart('CPU', { xPos: 1 }), chart('CPU', { xPos: 3 })),
    ['charts[1] "CPU" / charts[1].xPos: 2 → 3'],
  ],
  'in entries of which one has no name compares by position': [
    charts(chart('CPU', { xPos: 1 }), { xPos: 2 }),
    charts(chart('CPU', { xPos: 2 }), chart('Disk', { xPos: 2 })),
    ['charts[0] "CPU" / charts[0].xPos: 1 → 2', 'charts[1].name: none → "Disk"'],
  ],
  'of lists without names has the entries that only one of them has': [
    charts(chart('CPU', { tags: [1, 2], hosts: [1] })),
    charts(chart('CPU', { tags: [1], hosts: [1, 2] })),
    ['charts[0] "CPU" / charts[0].tags[1]: 2 → none', 'charts[0] "CPU" / charts[0].hosts[1]: none → 2'],
  ],
  'of a value that became a list is that list': [
    charts(chart('CPU', { axes: 'none' })),
    charts(chart('CPU', { axes: ['x'], colors: ['red'] })),
    ['charts[0] "CPU" / charts[0].axes: "none" → ["x"]', 'charts[0] "CPU" / charts[0].colors: none → ["red"]'],
  ],
  'in an entry of an entry has both names': [
    charts(chart('CPU', { axes: [chart('x', { base: '2' })] })),
    charts(chart('CPU', { axes: [chart('x', { base: '10' })] })),
    ['charts[0] "CPU" / charts[0].axes[0] "x" / charts[0].axes[0].base: "2" → "10"'],
  ],
  'has the key of an entry without a name': [
    { tags: [{ key: 'host', value: 'a' }] },
    { tags: [{ key: 'host', value: 'b' }] },
    ['tags[0] "host" / tags[0].value: "a" → "b"'],
  ],
  'of states without named entries is undefined: the fields say the same': [
    { a: [1], b: { c: 1 } },
    { a: [2] },
    undefined,
  ],
  'of equal states is undefined': [charts(chart('CPU')), charts(chart('CPU')), undefined],
  'ignores undeclared fields and equal secrets': [
    charts(chart('CPU', { id: 1, token: new Secret('x', 'f1') })),
    charts(chart('CPU', { token: new Secret('x', 'f1') })),
    undefined,
  ],
}

describe('a difference for people', () => {
  test.each(Object.entries(cases))('%s', (_, [actual, desired, lines]) => {
    expect(namedChanges(actual, desired, ['charts'])?.map(line)).toEqual(lines)
  })
})

describe('a plan of a dashboard', () => {
  const board = (...names: readonly string[]): Doc => ({
    apiVersion: plainVersion,
    kind: 'Dashboard',
    metadata: { name: 'ops' },
    spec: {
      name: 'ops',
      charts: names.map((name, at) => ({ kind: 'Markdown', name, note: name, xPos: at, yPos: 0, width: 1, height: 1 })),
    },
  })
  const before = settled(declare(board('CPU', 'Disk')))

  test('shows an inserted chart as one new entry; its digest is that of the fields by position', () => {
    const { value } = planOf(declare(board('Load', 'CPU', 'Disk')), before)
    const [change] = value.changes
    expect(change!.shown!.map(({ path, entries }) => [path, entries!.at(-1)!.name])).toEqual([
      ['charts[0]', 'Load'],
      ['charts[1].xPos', 'CPU'],
      ['charts[2].xPos', 'Disk'],
    ])
    expect(change!.fields.map(({ path }) => path)).toContain('charts[0].name')
  })

  test('names the chart that was changed on the target', () => {
    const moved = byHand(before, 'Dashboard/ops', (actual) => ({
      ...actual,
      charts: (actual['charts'] as readonly JsonObject[]).map((one) => ({ ...one, height: 9 })),
    }))
    const { value } = planOf(declare(board('CPU', 'Disk')), moved)
    expect(value.changes[0]).toMatchObject({ address: at('Dashboard/ops'), reason: 'drifted' })
    expect(value.changes[0]!.shown!.map(({ entries }) => entries![0]!.name)).toEqual(['CPU', 'Disk'])
  })
})
