import { expect, test } from 'vitest'
import { generatedName } from '../../../src/stacks/export/names.js'

const ids = Array.from({ length: 5_000 }, (_, i) => (i + 1).toString(16).padStart(16, '0'))

test('the name of an id is always the same, of two words and six digits', () => {
  expect(generatedName('0123456789abcdef')).toBe(generatedName('0123456789abcdef'))
  expect(generatedName('0123456789abcdef')).toMatch(/^[a-z]+-[a-z]+-[0-9a-f]{6}$/)
})

test('every name is a DNS label, and five thousand ids have five thousand names', () => {
  const names = ids.map(generatedName)
  expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || name.length > 63)).toEqual([])
  expect(new Set(names).size).toBe(ids.length)
})

test('the words are spread over all names', () => {
  const words = new Set(ids.flatMap((id) => generatedName(id).split('-').slice(0, 2)))
  expect(words.size).toBe(128)
})
