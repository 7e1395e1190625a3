import { expect, test } from 'vitest'
import { groupDigits } from '../../../src/lib/text/group-digits.js'

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [12_345_678, '12,345,678'],
])('%i is written as %s', (value, text) => {
  expect(groupDigits(value)).toBe(text)
})
