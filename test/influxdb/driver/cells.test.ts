// Which cells of a dashboard change: a cell keeps its id wherever a desired chart resembles it.
import { expect, test } from 'vitest'
import { cellChanges, mapsIn, type Cell, type CellChanges } from '../../../src/influxdb/driver/cells.js'
import type { JsonObject } from '../../../src/model/json.js'

const chart = (name: string, xPos: number, more: JsonObject = {}): JsonObject => ({
  kind: 'Single',
  name,
  xPos,
  ...more,
})
const cell = (id: string, of: JsonObject): Cell => ({ id, chart: of })
const nothing: CellChanges = { moved: [], redrawn: [], added: [], removed: [] }

test.each<[string, readonly Cell[], readonly JsonObject[], Partial<CellChanges>]>([
  ['nothing of nothing', [], [], {}],
  [
    'nothing in another order',
    [cell('a', chart('x', 0)), cell('b', chart('y', 1))],
    [chart('y', 1), chart('x', 0)],
    {},
  ],
  ['a cell with another place moves', [cell('a', chart('x', 0))], [chart('x', 4)], { moved: [{ id: 'a', at: 0 }] }],
  ['a place of zero may be absent', [cell('a', { kind: 'Single', xPos: 0 })], [{ kind: 'Single' }], {}],
  ['a renamed cell is drawn again', [cell('a', chart('x', 0))], [chart('y', 0)], { redrawn: [{ id: 'a', at: 0 }] }],
  [
    'another kind at the same place takes its cell',
    [cell('a', chart('x', 0))],
    [chart('x', 0, { kind: 'Gauge' })],
    {
      redrawn: [{ id: 'a', at: 0 }],
    },
  ],
  ['a new chart is added', [cell('a', chart('x', 0))], [chart('new', 9), chart('x', 0)], { added: [0] }],
  [
    'a cell without a chart is removed',
    [cell('a', chart('x', 0)), cell('b', chart('y', 1))],
    [chart('y', 1)],
    {
      removed: ['a'],
    },
  ],
  [
    'of two equal cells one is removed',
    [cell('a', chart('x', 0)), cell('b', chart('x', 0))],
    [chart('x', 0)],
    {
      removed: ['b'],
    },
  ],
])('%s', (_, cells, desired, expected) => {
  expect(cellChanges(cells, desired)).toEqual({ ...nothing, ...expected })
})

test('entries of a list that are no maps, and what is no list, are ignored', () => {
  expect([mapsIn([1, null, { a: 1 }, ['x']]), mapsIn({}), mapsIn(undefined)]).toEqual([[{ a: 1 }], [], []])
})
