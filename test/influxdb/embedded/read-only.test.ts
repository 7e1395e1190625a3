import { expect, test } from 'vitest'
import { readOnlyFields } from '../../../src/influxdb/embedded/read-only.js'

const id = '00000000000000ab'
const second = Date.UTC(2026, 0, 2, 3, 4, 5)
const times = (createdAt: number | null, updatedAt: number | null): unknown =>
  readOnlyFields('NotificationEndpoint', { id, createdAt, updatedAt }).readOnly

test('times have the format of Go', () => {
  expect(times(second, second + 500)).toEqual({
    createdAt: '2026-01-02T03:04:05Z',
    updatedAt: '2026-01-02T03:04:05.5Z',
  })
  expect(times(second + 1, second + 120)).toEqual({
    createdAt: '2026-01-02T03:04:05.001Z',
    updatedAt: '2026-01-02T03:04:05.12Z',
  })
})

test('an unknown or invalid time is absent', () => {
  expect(times(null, 9e18)).toEqual({})
})

test('only checks and rules have a task, always the same', () => {
  const task = (family: string, of = id): unknown =>
    readOnlyFields(family, { id: of, createdAt: null, updatedAt: null }).readOnly?.['taskID']
  expect(task('Check')).toMatch(/^[0-9a-f]{16}$/)
  expect(task('NotificationRule')).toBe(task('Check'))
  expect(task('Check', '00000000000000ac')).not.toBe(task('Check'))
  expect(['NotificationEndpoint', 'Task', 'Label', 'constructor'].map((family) => task(family))).toEqual([
    ...Array<undefined>(4),
  ])
})
