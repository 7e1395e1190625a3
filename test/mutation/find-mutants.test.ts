import { describe, expect, test } from 'vitest'
import { findMutants } from './find-mutants.js'
import { describeMutant, mutated } from './mutant.js'
import { operators } from './operators.js'
import { sample } from './sample.js'

/** What becomes of a text, by operator. */
function becomes(text: string): readonly string[] {
  return findMutants('a.ts', text).map((mutant) => `${mutant.operator}: ${mutated(text, mutant)}`)
}

const cases: Readonly<Record<string, readonly [text: string, operator: string, results: readonly string[]]>> = {
  'conditions are turned round': ['if (a) b = c', 'condition', ['if (!(a)) b = c']],
  'signs are swapped': ['x = a <= b', 'comparison', ['x = a < b']],
  'and becomes or': ['x = a && b', 'logic', ['x = a || b']],
  'a default is lost': ['x = a ?? b', 'logic', ['x = a && b']],
  'counting goes the other way': ['i++', 'counting', ['i--']],
  'statements are removed': ['f(a)', 'statement', [';']],
  'a result is another, as its type has it': [
    'function f(): readonly string[] { return g() }',
    'result',
    ['function f(): readonly string[] { return [] }'],
  ],
  'a promised result is another, too': [
    'async function f(): Promise<boolean> { return g() }',
    'result',
    ['async function f(): Promise<boolean> { return true }', 'async function f(): Promise<boolean> { return false }'],
  ],
  'a map is empty': [
    'const f = (): ReadonlyMap<A, B> => g()',
    'result',
    ['const f = (): ReadonlyMap<A, B> => new Map()'],
  ],
  'numbers, words and truths are others': [
    "x = [0, 'a', true]",
    'constant',
    ["x = [1, 'a', true]", "x = [0, '', true]", "x = [0, 'a', false]"],
  ],
  'an element is removed': ['x = [a, b]', 'element', ['x = [b]', 'x = [a, ]']],
  'a spread is dropped': [
    'x = { ...a, b: [...c] }',
    'spread',
    ['x = { ...{}, b: [...c] }', 'x = { ...a, b: [...[]] }'],
  ],
  'a filter is dropped': ['x = a.filter(f)', 'list', ['x = a']],
  'some becomes every': ['x = a.some(f)', 'quantifier', ['x = a.every(f)']],
  'an order is turned round': ['x = a.toSorted(f)', 'order', ['x = a.toSorted((x, y) => (f)(y, x))']],
  'what may not be there must be': ['x = a?.b', 'chaining', ['x = a.b']],
}

describe('mutants', () => {
  test('are made by every operator that is tested here, and by no other', () => {
    expect([...new Set(Object.values(cases).map(([, operator]) => operator))].sort()).toEqual(
      Object.keys(operators).sort(),
    )
  })

  test.each(Object.entries(cases))('%s', (_, [text, operator, results]) => {
    const found = becomes(text).filter((one) => one.startsWith(`${operator}: `))
    expect(found).toEqual(results.map((one) => `${operator}: ${one}`))
  })

  test('of logic keep what the signs bind', () => {
    const logic = becomes('x = (a && b) || c').filter((one) => one.startsWith('logic'))
    expect(logic).toEqual(['logic: x = (a || b) || c', 'logic: x = (a && b) && c'])
  })

  test('leave types, imports, keys and prose alone', () => {
    const text =
      "import a from 'b'\ntype C = 'd' | 'e'\nconst f = { 'g h': 'these are words for people' as const } satisfies H\n"
    expect(becomes(text)).toEqual([])
  })

  test('have their line, and are printed on one line', () => {
    const [mutant] = findMutants('a.ts', 'x = 1\n\nif (a &&\n  b) c = d').filter(
      ({ operator }) => operator === 'condition',
    )
    expect(describeMutant(mutant!)).toBe('a.ts:3 condition: a && b → !(a && b)')
  })

  test('of a file that cannot be parsed are an error', () => {
    expect(() => findMutants('a.ts', 'if (')).toThrow('a.ts cannot be parsed')
  })
})

test('a sample is the same for the same seed, has each once, and keeps the order', () => {
  const list = Array.from({ length: 100 }, (_, i) => i)
  const some = sample(list, 20, 7)
  expect(some).toEqual(sample(list, 20, 7))
  expect(some).not.toEqual(sample(list, 20, 8))
  expect([new Set(some).size, some]).toEqual([20, some.toSorted((a, b) => a - b)])
  expect(sample(list, 1000, 7)).toEqual(list)
})
