import { expect, test } from 'vitest'
import { isSmall } from '../../src/lib/small-json.js'

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at)
const map = (count: number): object => Object.fromEntries(numbers(count).map((at) => [`key${at}`, at]))
const circle: { self?: object } = {}
circle.self = circle

class Opaque {
  readonly many = numbers(1_000)
}

test.each([
  ['few values', { a: [1, 2, { b: 'text' }], c: null }, true],
  ['a list of many values', numbers(1_000), false],
  ['a map of many values', { a: map(1_000) }, false],
  ['many values at several depths', numbers(20).map(() => ({ a: numbers(20) })), false],
  ['long texts', { a: 'x'.repeat(50_000) }, false],
  ['bytes', { bytes: new Uint8Array(1_000) }, false],
  ['a few bytes', { bytes: new Uint8Array(8) }, true],
  ['an object of a class', { one: new Opaque(), at: new Date(0) }, true],
  ['a circle', circle, false],
])('%s are small or not', (_, value, small) => {
  expect(isSmall(value)).toBe(small)
})

test('of a large value it looks at no more than makes it large', () => {
  let reads = 0
  const value = new Proxy(map(100_000), {
    get: (target, key) => {
      reads++
      return Reflect.get(target, key) as unknown
    },
  })
  expect(isSmall(value)).toBe(false)
  expect(reads).toBeLessThan(500)
})
