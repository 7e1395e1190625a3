import { expect, test } from 'vitest'
import { pointerKeys, pointerTo } from '../../../src/lib/text/json-pointer.js'

test.each([
  ['', []],
  ['/', ['']],
  ['/spec/charts/1', ['spec', 'charts', '1']],
  ['/a~1b/~0c/~01', ['a/b', '~c', '~1']],
])('%j leads through %j', (pointer, keys) => {
  expect(pointerKeys(pointer)).toEqual(keys)
  expect(keys.reduce(pointerTo, '')).toBe(pointer)
})
