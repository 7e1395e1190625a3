import { expect, test } from 'vitest'
import { formatDuration, parseDuration } from '../../../../src/influxdb/kinds/fields/duration.js'

const second = 1_000_000_000n

test.each<readonly [string, bigint, string]>([
  ['1h30m', 5400n * second, '1h30m0s'],
  ['1d1h', 90_000n * second, '25h0m0s'],
  ['-5d', -432_000n * second, '-120h0m0s'],
  ['1mo', 28n * 86_400n * second, '672h0m0s'],
  ['1y', 364n * 86_400n * second, '8736h0m0s'],
  ['1w', 7n * 86_400n * second, '168h0m0s'],
  ['1m5s', 65n * second, '1m5s'],
  ['15s', 15n * second, '15s'],
  ['1500ms', 1_500_000_000n, '1s500ms'],
  ['3us', 3000n, '3us'],
  ['3µs', 3000n, '3us'],
  ['3μs', 3000n, '3us'],
  ['7ns', 7n, '7ns'],
  ['0s', 0n, ''],
])('%s is a duration', (text, duration, printed) => {
  expect(parseDuration(text)).toBe(duration)
  expect(formatDuration(duration)).toBe(printed)
  if (printed !== '') expect(parseDuration(printed)).toBe(duration)
})

test.each([
  '',
  '1',
  'h',
  '1.5h',
  '1 h',
  '+1h',
  '1H',
  '1h ',
  '-',
  '--1h',
  '1h-1m',
  '99999999999y',
  '9'.repeat(30) + 's',
  '1s'.repeat(1000),
])('%j is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined()
})
