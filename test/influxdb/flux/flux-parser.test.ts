import { afterAll, describe, expect, test, vi } from 'vitest'
import { FluxError } from '../../../src/influxdb/kinds/kinds.js'
import { whenReady } from '../../../src/lib/async/pending.js'
import { inSlices, type Steps } from '../../../src/lib/async/steps.js'
import { FluxParser, fluxLimits } from '../../../src/influxdb/flux/flux-parser.js'
import { roundsDuring } from '../../rounds.js'

const flux = new FluxParser()
afterAll(() => flux[Symbol.dispose]())

const again = (query: string): string => flux.print(flux.parse(query))

/** Takes more than half a second. */
const slow = (n: number): string => `a = ${n}${'+1'.repeat(8_000)}`

function refusal(parser: FluxParser, query: string): string {
  try {
    parser.parse(query)
  } catch (error) {
    if (error instanceof FluxError) return error.message
    throw error
  }
  throw new Error('It is not refused.')
}

describe('a query that is parsed and printed', () => {
  const cases: Readonly<Record<string, readonly [query: string, printed: string]>> = {
    'is in canonical format': ['from(bucket:"a")\n|>last()', 'from(bucket: "a")\n    |> last()\n'],
    'keeps its comments': ['// lead\na = 1\n', '// lead\na = 1\n'],
    'ends in one new line, after a comment too': ['a = 1\n// end\n\n\n', 'a = 1// end\n'],
    'keeps a text that resembles code': ['a = "\\${b}"', 'a = "\\${b}"\n'],
    'keeps code in a text': ['a = "x ${b} \\${c}"', 'a = "x ${b} \\${c}"\n'],
    'keeps quotes, backslashes and lines of a text': ['a = "\\"\\\\\n\\t"', 'a = "\\"\\\\\n\t"\n'],
    'keeps blanks before the end of a line of a text': ['a = "b  \nc"', 'a = "b  \nc"\n'],
    'keeps a dollar in a pattern': ['a = /b${3}/', 'a = /b${3}/\n'],
    'keeps floats that are whole': ['a = 1.0', 'a = 1.0\n'],
    'keeps floats as they are written': ['a = 100.', 'a = 100.\n'],
    'may have the characters that replace others meanwhile': [
      'a = "\ue000 \ue001\n\\${b}"',
      'a = "\ue000 \ue001\n\\${b}"\n',
    ],
  }
  test.each(Object.entries(cases))('%s', (_title, [query, printed]) => {
    expect(again(query)).toBe(printed)
    expect(again(printed)).toBe(printed)
  })

  test('is refused where the printer would change it', () => {
    const tree = { type: 'File', package: null, imports: [], body: [] }
    const assign = (init: object): object => ({ type: 'VariableAssignment', id: { name: 'a' }, init })
    const code = { ...tree, body: [assign({ type: 'Identifier', name: '1 |> drop()' })] }
    expect(() => flux.print(code as never)).toThrow(FluxError)
  })
})

describe('a hostile query is refused, and the next one is parsed:', () => {
  const deep = 100_000
  const cases: Readonly<Record<string, string>> = {
    'a megabyte': 'x'.repeat(1_000_000),
    'a long word': 'x'.repeat(fluxLimits.bytes),
    parentheses: '('.repeat(deep),
    'fewer parentheses': `a = ${'('.repeat(30_000)}1${')'.repeat(30_000)}`,
    brackets: `a = ${'['.repeat(500)}${']'.repeat(500)}`,
    braces: '{'.repeat(3_000),
    'records, which double the work of the printer': `a = ${'{a: '.repeat(24)}1${'}'.repeat(24)}`,
    'functions, which multiply it': `a = ${'() => {return '.repeat(20)}"${'x'.repeat(200)}"${'}'.repeat(20)}`,
    'lists of long texts': `a = ${'['.repeat(30)}"${'x'.repeat(200)}"${']'.repeat(30)}`,
    'minus signs': `a = ${'-'.repeat(3_000)}1`,
    conditions: `a = ${'if true then 1 else '.repeat(1_500)}1`,
    sums: `a = 1${'+1'.repeat(30_000)}`,
    members: `a = b${'.c'.repeat(2_000)}`,
    'code in texts': `a = ${'"${'.repeat(3_000)}`,
    parameters: `a = ${'(b='.repeat(3_000)}`,
    types: `builtin a : ${'['.repeat(3_000)}int`,
    'an unterminated text': 'a = "abc',
    'an unterminated record': 'option task = {',
    'half a character': 'a = "\ud800"',
    'what is no Flux': '/* \u0000',
  }
  test.each(Object.entries(cases))('%s', (_title, query) => {
    expect(() => again(query)).toThrow(FluxError)
    expect(again('a=1')).toBe('a = 1\n')
  })

  test('what takes too long', () => {
    using hasty = new FluxParser({ firstMs: 0 })
    expect(() => hasty.parse(slow(0))).toThrow('it took longer than 0 ms to read or print')
    expect(() => hasty.parse(slow(1))).toThrow(FluxError)
  })
})

describe('who can wait for a query', () => {
  function* each(flux: FluxParser, queries: readonly string[]): Steps<unknown[]> {
    const reported: unknown[] = []
    for (const query of queries) {
      yield
      const outcome = (): unknown => {
        try {
          return flux.parse(query)['type']
        } catch (error) {
          if (error instanceof FluxError) return error.message
          throw error
        }
      }
      reported.push(yield* whenReady(outcome))
    }
    return reported
  }

  test('gets the same result while the process does other work', async () => {
    using flux = new FluxParser({ firstMs: 400 })
    const long = `a = 1${'+1'.repeat(11_000)}`
    const queries = ['a = 1', 'option task = {', long, 'b = 2', '/* \u0000', long]
    const outcomes = inSlices(each(flux, queries))
    const rounds = await roundsDuring(outcomes)
    const reported = await outcomes
    const broken = expect.stringMatching(/400 ms|too deeply/)
    expect(reported).toEqual([
      'File',
      expect.stringContaining('line 1'),
      broken,
      'File',
      expect.any(String),
      reported[2],
    ])
    expect(rounds).toBeGreaterThan(200) // while it waits for the long ones; about two for each query if it did not
  })

  test("gets an error when the minute's budget is used up, and other queries continue", async () => {
    using flux = new FluxParser({ firstMs: 200, perMinuteMs: 450 })
    const queries = Array.from({ length: 6 }, (_, n) => slow(n))
    const reported = await inSlices(each(flux, [...queries, 'b = 2']))
    expect(reported).toEqual([
      ...queries.map(() => expect.stringMatching(/took longer|timed out|too deeply/)),
      expect.any(String),
    ])
    expect(reported).toContain('too many queries timed out; retry in a minute')
    await new Promise((resolve) => setImmediate(resolve)) // an orphaned answer would end the process here
  })

  test('parses a text once for concurrent callers', async () => {
    using flux = new FluxParser()
    const all = await Promise.all(Array.from({ length: 20 }, () => inSlices(each(flux, ['a = 1', 'b = 2']))))
    expect(all).toEqual(Array.from({ length: 20 }, () => ['File', 'File']))
  })
})

describe('many queries that take too long', () => {
  test('keep the process waiting for little more than one of them does: those after it are hurried', () => {
    using flux = new FluxParser({ firstMs: 400 })
    const began = performance.now()
    expect(() => flux.parse(slow(0))).toThrow('it took longer than 400 ms')
    for (const n of [1, 2]) expect(() => flux.parse(slow(n))).toThrow('it took longer than 200 ms')
    expect(performance.now() - began).toBeLessThan(10_000)
    expect(flux.parse('a = 1')).toMatchObject({ type: 'File' })
  })

  test('are refused for the same reason when they come again, and not read: no time of the minute is left', () => {
    using flux = new FluxParser({ firstMs: 300, perMinuteMs: 700 })
    const known = [slow(0), `a = ${'-'.repeat(3_000)}1`]
    const reasons = known.map((query) => refusal(flux, query))
    for (let n = 1; !refusal(flux, slow(n)).includes('in a minute');) n += 1
    expect(known.map((query) => refusal(flux, query))).toEqual(reasons)
  })

  test('are not read any more when the time of a minute is gone', () => {
    using flux = new FluxParser({ firstMs: 200, perMinuteMs: 201 })
    expect(() => flux.parse(slow(0))).toThrow('it took longer than 200 ms')
    expect(() => flux.parse(slow(1))).toThrow('retry in a minute')
  })
})

test('says where a query is wrong', () => {
  expect(() => flux.parse('a = 1\n\nb = f(')).toThrow('expected RPAREN, got EOF, in line 3')
})

test('writes nothing to the console, even as it breaks', () => {
  const written = vi.spyOn(process.stderr, 'write')
  const out = vi.spyOn(process.stdout, 'write')
  expect(() => flux.parse(`a = ${'-'.repeat(3_000)}1`)).toThrow(FluxError)
  expect([written.mock.calls, out.mock.calls]).toEqual([[], []])
  vi.restoreAllMocks()
})

describe('inspecting a text without its tree:', () => {
  const facts = { fields: 0, interpolates: false }
  const cases: Readonly<Record<string, readonly [text: string, known: object | undefined]>> = {
    'a query is Flux': ['from(bucket: "a")\r\n  |> last()', facts],
    'what is wrong, and the line': ['a = 1\nb = (', { ...facts, wrong: expect.stringMatching(/, in line 2$/) }],
    'fields that are compared with texts': [
      'f(fn: (r) => (r._field == "a" or r["_field"] != "b") and r._field =~ /c/)',
      { ...facts, fields: 2 },
    ],
    'code in a text': ['a = "${b}"', { ...facts, interpolates: true }],
    'why it is not read, where it is too long': [
      'x'.repeat(fluxLimits.bytes + 1),
      { fields: 0, interpolates: false, notChecked: 'it has 65537 bytes, more than 65536' },
    ],
    'why it is not read, where it would keep the parser busy': [
      '('.repeat(30_000),
      { fields: 0, interpolates: false, notChecked: 'it is too large' },
    ],
  }
  test.each(Object.entries(cases))('%s', (_title, [text, known]) => {
    expect(flux.inspect(text)).toEqual(known)
  })

  test('each text is read once', () => {
    using once = new FluxParser()
    const query = `a = 1${'+1'.repeat(2_000)}`
    const known = once.inspect(query)
    expect(known).toEqual(facts)
    expect(once.inspect(query)).toBe(known)
  })
})
