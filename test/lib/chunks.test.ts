import { expect, test } from 'vitest'
import { chunks } from '../../src/lib/chunks.js'

test.each([
  [[], []],
  [[1], [[1]]],
  [[1, 2], [[1, 2]]],
  [
    [1, 2, 3],
    [[1, 2], [3]],
  ],
  [
    [1, 2, 3, 4],
    [
      [1, 2],
      [3, 4],
    ],
  ],
])('%j in chunks of two is %j', (items, expected) => {
  expect([...chunks(items, 2)]).toEqual(expected)
})
