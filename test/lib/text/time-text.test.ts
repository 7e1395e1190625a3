import { expect, test } from 'vitest'
import { isoTime, timeText } from '../../../src/lib/text/time-text.js'

const minute = 60_000

test.each([
  0,
  -1,
  999,
  59_999,
  minute,
  Date.UTC(2026, 1, 28, 23, 59, 59, 999),
  Date.UTC(2028, 1, 29, 12, 0, 0, 7),
  Date.UTC(10_000, 0, 1, 1, 2, 3, 40),
  -Date.UTC(2026, 0, 1),
  8.64e15,
  -8.64e15,
  1_764_000_000_000.75,
])('the time %d is written as Date writes it', (ms) => {
  expect(isoTime(ms)).toBe(new Date(ms).toISOString())
})

test('a time in a message has neither milliseconds nor a T', () => {
  expect(timeText(Date.UTC(2026, 0, 1, 5, 0, 0, 123))).toBe('2026-01-01 05:00:00Z')
  expect(timeText(Date.UTC(10_000, 0, 1))).toBe('+010000-01-01 00:00:00Z')
})

test('a time that does not exist is refused as Date refuses it', () => {
  expect(() => isoTime(Number.NaN)).toThrow(RangeError)
  expect(() => isoTime(8.64e15 + minute)).toThrow(RangeError)
})
