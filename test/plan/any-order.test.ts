// Lists whose order has no meaning: the charts of a dashboard have positions.
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/model/json.js'
import { inActualOrder } from '../../src/plan/any-order.js'
import { plainVersion } from '../plain/plain-kinds.js'
import { byHand, declare, planOf, settled, type Doc } from './scenario.js'

const chart = (name: string, xPos: number): Doc => ({ kind: 'Table', name, xPos, width: 1, height: 1 })
const board = (...charts: readonly Doc[]): Doc => ({
  apiVersion: plainVersion,
  kind: 'Dashboard',
  metadata: { name: 'ops' },
  spec: { name: 'ops', charts },
})

describe('charts in another order', () => {
  const before = settled(declare(board(chart('b', 4), chart('a', 0), chart('a', 0))))

  test('are no change', () => {
    const { value } = planOf(declare(board(chart('a', 0), chart('a', 0), chart('b', 4))), before)
    expect(value).toMatchObject({ changes: [], unchanged: 1 })
  })

  test('are no change if only the target lists them in another order than before', () => {
    const there = byHand(before, 'Dashboard/ops', (actual) => ({
      ...actual,
      charts: (actual['charts'] as readonly JsonObject[]).toReversed(),
    }))
    for (const charts of [
      [chart('b', 4), chart('a', 0), chart('a', 0)],
      [chart('a', 0), chart('b', 4), chart('a', 0)],
    ])
      expect(planOf(declare(board(...charts)), there).value).toMatchObject({ changes: [], unchanged: 1 })
  })

  test('are drift, and not an edit, if somebody also changed another field', () => {
    const there = byHand(before, 'Dashboard/ops', (actual) => ({
      ...actual,
      description: 'changed',
      charts: (actual['charts'] as readonly JsonObject[]).toReversed(),
    }))
    const { changes } = planOf(declare(board(chart('b', 4), chart('a', 0), chart('a', 0))), there).value
    expect(changes).toMatchObject([{ reason: 'drifted', fields: [{ path: 'description' }] }])
  })

  test('are no change if the target has additional fields', () => {
    const there = byHand(before, 'Dashboard/ops', (actual) => ({
      ...actual,
      charts: (actual['charts'] as readonly JsonObject[]).map((one) => ({ ...one, id: '01' })),
    }))
    expect(planOf(declare(board(chart('a', 0), chart('a', 0), chart('b', 4))), there).value.changes).toEqual([])
  })

  test('are compared by position if more than their order differs', () => {
    const { value } = planOf(declare(board(chart('a', 0), chart('a', 1), chart('b', 4))), before)
    expect(value.changes.map(({ fields }) => fields.map(({ path }) => path))).toEqual([
      ['charts[0].name', 'charts[0].xPos', 'charts[1].xPos', 'charts[2].name', 'charts[2].xPos'],
    ])
  })

  test('are compared with their duplicates', () => {
    const { value } = planOf(declare(board(chart('b', 4), chart('b', 4), chart('a', 0))), before)
    expect(value.changes).toHaveLength(1)
  })
})

test('keeps the order of lists that differ in type or length, or are very long', () => {
  const numbers = Array.from({ length: 501 }, (_, at) => at)
  const pairs: readonly (readonly [actual: JsonObject, desired: JsonObject])[] = [
    [{}, { list: [2, 1] }],
    [{ list: 'x' }, { list: [2, 1] }],
    [{ list: [1, 2, 3] }, { list: [2, 1] }],
    [{ list: numbers }, { list: numbers.toReversed() }],
  ]
  for (const [actual, desired] of pairs) expect(inActualOrder(actual, desired, ['list'])).toBe(desired)
  expect(inActualOrder({ list: [1, [2]] }, { list: [[2], 1] }, ['list'])).toEqual({ list: [1, [2]] })
  expect(inActualOrder({ list: [1, 2] }, { list: [2, 1] })).toEqual({ list: [2, 1] })
})

test('reorders lists of up to 500 entries, also of different types, and keeps the other fields', () => {
  const numbers = Array.from({ length: 500 }, (_, at) => at)
  const actual = { name: 'old', list: numbers, mixed: [{ a: 1 }, 2] }
  const desired = { name: 'new', list: numbers.toReversed(), mixed: [2, { a: 1 }] }
  expect(inActualOrder(actual, desired, ['list', 'mixed'])).toEqual({ ...actual, name: 'new' })
})
