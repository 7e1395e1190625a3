import { describe, expect, test } from 'vitest'
import { parseJson, parseJsonSteps } from '../../src/package/parse-json.js'
import { ParseError } from '../../src/package/parse-error.js'
import { seeded } from './seeded.js'

const LIMITS = { depth: 64, values: 10_000 }
const samples = [
  '{}',
  '[]',
  ' [ 1 , -0 , 0.5 , 1e3 , 1E-2 , 12345678901234567890 ] ',
  '{"a": {"b": [true, false, null, "x"]}, "": 0}',
  '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\\ud800 \u007f \u2028"',
  '{"key with \\"quotes\\"": "\\\\"}',
  '[[[[]]],{"a":{}}]',
]
const alphabet = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  'a',
  '0',
  '1',
  '-',
  '.',
  'e',
  '+',
  't',
  'true',
  'null',
  ' ',
  '\n',
  '\t',
  '\u0000',
  '\\u12',
]

/** Two resources are refused that JSON.parse lets pass: a key twice, and numbers that become infinite. */
const stricter = ['package/duplicate-key', 'is too large']

function outcome(read: () => unknown): string {
  try {
    return JSON.stringify(read())
  } catch (error) {
    const text = error instanceof ParseError ? `${error.code} ${error.message}` : ''
    return stricter.some((one) => text.includes(one)) ? 'stricter' : 'refused'
  }
}

test.each(samples)('%s is parsed like JSON.parse does', (text) => {
  expect(outcome(() => parseJson(text, LIMITS).value)).toBe(outcome(() => JSON.parse(text)))
})

test('mutated texts are parsed or refused like JSON.parse does', () => {
  const random = seeded(7)
  for (let round = 0; round < 4000; round++) {
    const text = mutated(samples[random(samples.length)]!, random)
    const ours = outcome(() => parseJson(text, LIMITS).value)
    if (ours !== 'stricter') expect([text, ours]).toEqual([text, outcome(() => JSON.parse(text))])
  }
})

function mutated(text: string, random: (below: number) => number): string {
  let result = text
  for (let times = 1 + random(3); times > 0; times--) {
    const at = random(result.length + 1)
    result =
      result.slice(0, at) + (random(2) === 0 ? alphabet[random(alphabet.length)]! : '') + result.slice(at + random(2))
  }
  return result
}

describe('positions', () => {
  const text = ' {"a/b": [10, {"c": 1}]}'
  test.each([
    ['', undefined],
    ['/a~1b', 2],
    ['/a~1b/0', 10],
    ['/a~1b/1', 14],
    ['/a~1b/1/c', 15],
    ['/a~1b/1/d', 14],
    ['/b', undefined],
  ])('of %j are those of keys and of entries of lists, as far as there are any: %s', (pointer, offset) => {
    const { positions } = parseJson(text, LIMITS, 10)
    expect(positions.offset).toBe(1)
    expect(positions.find(pointer)).toBe(offset)
  })

  test('are recorded down to a level', () => {
    const { positions } = parseJson(text, LIMITS, 1)
    expect([positions.find('/a~1b'), positions.find('/a~1b/1')]).toEqual([2, 2])
  })
})

describe('takes a step', () => {
  const limits = { depth: 64, values: 10_000 }

  /** The value, and how many steps it took. */
  function counted(text: string): { readonly value: unknown; readonly count: number } {
    const steps = parseJsonSteps(text, limits)
    for (let count = 0; ; count++) {
      const step = steps.next()
      if (step.done === true) return { value: step.value.value, count }
    }
  }

  test('for each value', () => {
    const written = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, [at]]))
    const { value, count } = counted(JSON.stringify(written))
    expect(value).toEqual(written)
    expect(count).toBeGreaterThanOrEqual(2_000)
  })

  test.each([
    ['letters', 'x'.repeat(2 ** 20)],
    ['escapes, some at the end of a piece', '"\n'.repeat(2 ** 19)],
    ['backslashes', '\\'.repeat(2 ** 20)],
  ])('for each piece of a long text of %s', (_, long) => {
    const written = { '\n': long, next: [long, 1] }
    const { value, count } = counted(JSON.stringify(written))
    expect(value).toEqual(written)
    expect(count).toBeGreaterThanOrEqual((2 * 2 ** 20) / (64 * 1024))
  })

  test('for each piece of a long text that does not end', () => {
    expect(() => counted(`["${'x'.repeat(2 ** 20)}`)).toThrow('has no closing quote')
  })
})
