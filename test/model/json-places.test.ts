import { expect, test } from 'vitest'
import { replaceAt } from '../../src/model/json-places.js'

test('a removed entry of a list leaves no hole, and the original stays', () => {
  const root = { list: ['a', 'b', 'c', 'd'], map: { a: 1, b: 2 } }
  const places = [
    { keys: ['list', 1], value: undefined },
    { keys: ['list', 2], value: 'C' },
    { keys: ['list', 3], value: undefined },
    { keys: ['map', 'a'], value: undefined },
    { keys: ['gone', 'a'], value: 1 },
  ]
  expect(replaceAt(root, places)).toEqual({ list: ['a', 'C'], map: { b: 2 } })
  expect(root).toEqual({ list: ['a', 'b', 'c', 'd'], map: { a: 1, b: 2 } })
})
