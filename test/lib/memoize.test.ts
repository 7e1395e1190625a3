import { expect, test } from 'vitest'
import { memoize } from '../../src/lib/memoize.js'

function counted<T>(
  most: number,
  work: (text: string) => T,
): { readonly ask: (text: string) => T; readonly worked: string[] } {
  const worked: string[] = []
  return { worked, ask: memoize(most, (text) => (worked.push(text), work(text))) }
}

test('does not compute a known value again, even if it is undefined', () => {
  const { ask, worked } = counted(10, (text) => (text === 'a' ? 1 : undefined))
  expect([ask('a'), ask('b'), ask('a'), ask('b')]).toEqual([1, undefined, 1, undefined])
  expect(worked).toEqual(['a', 'b'])
})

test('empties the cache when it is full', () => {
  const { ask, worked } = counted(2, (text) => text.length)
  for (const text of ['a', 'b', 'c', 'c', 'a']) ask(text)
  expect(worked).toEqual(['a', 'b', 'c', 'a'])
})

test('does not cache errors', () => {
  let fails = true
  const { ask } = counted(10, (text) => {
    if (fails) throw new Error('no')
    return text
  })
  expect(() => ask('a')).toThrow('no')
  fails = false
  expect(ask('a')).toBe('a')
})
