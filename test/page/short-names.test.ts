// Short forms of long names.
import { expect, test } from 'vitest'
import { cutNames } from '../../web/lib/text.js'

const cut = (names: readonly string[], most = 24): readonly string[] => [...cutNames(names, most).values()]
const edge = (number: string): string => `edge-location-with-number-${number}-and-a-long-name`

test('names that fit, or that differ at their ends, keep beginning and end', () => {
  expect(cut(['local', edge('01')])).toEqual(['local', 'edge-locati…-a-long-name'])
})

test('where names would have one form, what differs stays', () => {
  expect(cut([edge('01'), edge('02'), edge('12')])).toEqual([
    'edge-locat…01…-long-name',
    'edge-locat…02…-long-name',
    'edge-locat…12…-long-name',
  ])
})

test.each([
  [['a'.repeat(40), 'a'.repeat(41)]],
  [[`x1${'a'.repeat(40)}`, `x2${'a'.repeat(40)}`]],
  [[`${'a'.repeat(40)}-first-1-${'z'.repeat(20)}`, `${'a'.repeat(40)}-quite-a-long-second-2-${'z'.repeat(20)}`]],
  [Array.from({ length: 120 }, (_, at) => edge(String(at)))],
])('short forms fit: %#', (names) => {
  for (const short of cut(names)) expect(short.length).toBeLessThanOrEqual(24)
})

test('every name of a long list has its own form', () => {
  const names = Array.from({ length: 120 }, (_, at) => edge(String(at)))
  expect(new Set(cut(names)).size).toBe(names.length)
})
