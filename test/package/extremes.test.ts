// What a package file may hold at its worst: it is read as it says, or refused with file and line; it never throws.
import { describe, expect, test } from 'vitest'
import { InvalidPackage, Refused } from '../../src/model/errors.js'
import { firstProblems } from '../../src/model/problem.js'
import { packageLimits, packageSteps, readPackage } from '../../src/package/package.js'
import { mostKeyCharacters } from '../../src/package/parse-error.js'
import { file } from '../graph/read-texts.js'

const head = 'apiVersion: v\nkind: k\nmetadata: {name: aa}\n'
const json = (spec: string): string => `{"apiVersion": "v", "kind": "k", "metadata": {"name": "aa"},\n"spec": ${spec}}`
const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth)
const manyItems = (count: number): string => `[${'1,'.repeat(count)}1]`
const long = 'x'.repeat(mostKeyCharacters + 1)

describe('is read as written', () => {
  test.each<readonly [title: string, path: string, text: string, spec: unknown]>([
    [
      'hexadecimal, octal and decimal numbers',
      'a.yml',
      `${head}spec: [0x1F, 0o17, 017, 1e3, -.5, +1]`,
      [31, 15, 17, 1000, -0.5, 1],
    ],
    [
      'numbers of YAML 1.1, which are strings in YAML 1.2',
      'a.yml',
      `${head}spec: [0b1, 1_000, 1:20]`,
      ['0b1', '1_000', '1:20'],
    ],
    [
      'infinite numbers, which stay strings',
      'a.yml',
      `${head}spec: [1e400, -1e400, .inf]`,
      ['1e400', '-1e400', '.inf'],
    ],
    ['a number too small for a float, in JSON', 'a.json', json('[1e-400, -0]'), [0, -0]],
    ['large integers, as JavaScript stores them', 'a.json', json('[9007199254740993]'), [9007199254740992]],
    [
      'yes, no, on, off and dates, which are strings',
      'a.yml',
      `${head}spec: [yes, off, 2020-01-01]`,
      ['yes', 'off', '2020-01-01'],
    ],
    ['a byte order mark', 'a.yml', `\ufeff${head}spec: 1`, 1],
    ['line ends of DOS', 'a.yml', `${head}spec: "a\n  b"\n`.replaceAll('\n', '\r\n'), 'a b'],
    ['line ends of old Macintoshes', 'a.yml', `${head}spec: 1\n`.replaceAll('\n', '\r'), 1],
    ['escaped NUL and lone surrogates', 'a.yml', `${head}spec: "\\0\\ud800"`, '\u0000\ud800'],
    ['the same in JSON', 'a.json', json('"\\u0000\\ud800"'), '\u0000\ud800'],
    ['bidirectional characters', 'a.yml', `${head}spec: "\u202e\u2066"`, '\u202e\u2066'],
    ['a text of 8 MB', 'a.yml', `${head}spec: ${'x'.repeat(8_000_000)}`, 'x'.repeat(8_000_000)],
    ['the greatest allowed depth', 'a.json', json(nested(63, '[', ']')), JSON.parse(nested(63, '[', ']'))],
    ['the longest allowed key', 'a.json', json(`{"${long.slice(1)}": 1}`), { [long.slice(1)]: 1 }],
  ])('%s', (_, path, text, spec) => {
    const { value, problems } = readPackage([file(path, text)])
    expect(problems).toEqual([])
    expect(value.map(({ body }) => JSON.stringify(body['spec']))).toEqual([JSON.stringify(spec)])
  })

  test('ten thousand documents', () => {
    const { value, problems } = readPackage([file('a.yml', Array.from({ length: 10_000 }, () => head).join('---\n'))])
    expect([value.length, value.at(-1)!.place, problems]).toEqual([
      10_000,
      { file: 'a.yml', index: 9_999, pointer: '', line: 39_997 },
      [],
    ])
  })
})

const refused: Readonly<Record<string, readonly [path: string, text: string, code: string, line: number]>> = {
  'a depth of 1,000': ['a.yml', `${head}spec: ${nested(1000, '[', ']')}`, 'package/depth', 4],
  'a depth of 1,000 in blocks': ['a.yml', `${head}spec:\n  ${'- '.repeat(1000)}a`, 'package/depth', 5],
  'a depth of a million in JSON': ['a.json', json('['.repeat(1_000_000)), 'package/depth', 2],
  'maps in maps in JSON': ['a.json', json('{"a":'.repeat(1000)), 'package/depth', 2],
  'a key that is too long': ['a.yml', `${head}spec:\n  ${long}: 1`, 'package/key-length', 5],
  'a key that is too long in JSON': ['a.json', json(`{"${long}": 1}`), 'package/key-length', 2],
  'too many values': ['a.yml', `${head}spec: ${manyItems(packageLimits.values)}`, 'package/too-large', 4],
  'too many values in JSON': ['a.json', json(manyItems(packageLimits.values)), 'package/too-large', 2],
  'too many values on few lines': [
    'a.yml',
    `${head}spec:\n${`  ${'- '.repeat(60)}1\n`.repeat(10_000)}`,
    'package/too-large',
    8201,
  ],
  'too many values below long keys': [
    'a.yml',
    `${head}spec:\n  ${long.slice(1)}: ${manyItems(1_900_000)}`,
    'package/too-large',
    5,
  ],
  'NUL as it is': ['a.yml', `${head}spec: "\u0000"`, 'package/syntax', 4],
  'NUL as it is in JSON': ['a.json', json('"\u0000"'), 'package/syntax', 2],
  'a number of 400 digits’ power in JSON': ['a.json', json('1e400'), 'package/syntax', 2],
  'a hexadecimal number in JSON': ['a.json', json('0x1F'), 'package/syntax', 2],
  'an alias to a name of a megabyte': ['a.yml', `${head}spec: *${'a'.repeat(1_000_000)}`, 'package/syntax', 4],
  'a tag that makes functions': ['a.yml', `${head}spec: !!js/function "x"`, 'package/syntax', 4],
  'a tag that makes objects': ['a.yml', `${head}spec: !!python/object/apply:os.system ["x"]`, 'package/syntax', 4],
  'a merge with what is no map': ['a.yml', `${head}spec: {<<: 5}`, 'package/syntax', 4],
  '__proto__ twice': ['a.yml', `${head}spec:\n  __proto__: 1\n  __proto__: 2\n`, 'package/duplicate-key', 6],
  '__proto__ twice in JSON': ['a.json', json('{"__proto__": 1,\n"__proto__": 2}'), 'package/duplicate-key', 3],
  'constructor twice': ['a.json', json('{"constructor": 1, "constructor": 2}'), 'package/duplicate-key', 2],
}

describe('an invalid file is refused with file and line', () => {
  test.each(Object.entries(refused))('%s', (_, [path, text, code, line]) => {
    const { value, problems } = readPackage([file(path, text), file('z.yml', head)])
    expect(problems).toMatchObject([{ severity: 'error', code, place: { file: path, line } }])
    expect(problems[0]!.message.length).toBeLessThan(500)
    expect(value.map(({ place }) => place.file)).toEqual(['z.yml'])
  })

  const shorten = 'Shorten it to at most 1024 characters.'
  const tooDeep = ['it is nested deeper than 64 levels', 'Nest lists and maps at most 64 levels deep.'] as const
  const fewer = 'Use fewer aliases, or split the file into several files.'
  test.each([
    ['a.yml', nested(65, '[', ']'), ...tooDeep],
    ['a.json', nested(66, '[', ']'), ...tooDeep],
    ['a.yml', `${long}: 1`, 'a key has more than 1024 characters', shorten],
    ['a.json', `{"${long}": 1}`, 'a key has more than 1024 characters', shorten],
    ['a.yml', `a: &a 1\nb: [${Array(1001).fill('*a').join(',')}]`, 'there are more than 1000 aliases', fewer],
    [
      'a.yml',
      `a: &a [${manyItems(1_000)}]\nb: [${Array(101).fill('*a').join(',')}]`,
      'the aliases expand to more than 100000 values',
      fewer,
    ],
    ['a.yml', 'a: &a\n  - *a', '*a refers to itself', 'Write the value there instead of the alias.'],
  ])('%s names the limit and what to do: %#', (path, text, reason, hint) => {
    const { problems } = readPackage([file(path, text)])
    const message = expect.stringMatching(/^a\.(yml|json):\d+:\d+ cannot be read: /) as string
    expect(problems).toMatchObject([{ message, hint }])
    expect(problems[0]!.message).toContain(`cannot be read: ${reason}.`)
  })

  test.each([
    ['UTF-16', Buffer.from(`\ufeff${head}`, 'utf16le')],
    ['Latin 1', Buffer.from(`${head}spec: é`, 'latin1')],
    ['half a character', Buffer.from(`${head}spec: €`).subarray(0, -1)],
    ['a surrogate as bytes', Buffer.concat([Buffer.from(head), Buffer.from([0xed, 0xa0, 0x80])])],
  ])('%s', (_, bytes) => {
    const { problems } = readPackage([{ path: 'a.yml', id: 'x', bytes }])
    expect(problems).toMatchObject([
      { code: 'package/encoding', place: { file: 'a.yml', line: 1 }, hint: 'Save it as UTF-8.' },
    ])
  })
})

describe('a whole package', () => {
  test('has a bounded number of values, in one file or many', () => {
    const limits = { ...packageLimits, values: 5_000, totalValues: 20_000 }
    const text = `${head}spec: ${manyItems(4_900)}`
    const read = (count: number) =>
      readPackage(
        Array.from({ length: count }, (_, at) => file(`${at}.yml`, text)),
        { limits },
      )
    expect(read(4).problems).toEqual([])
    expect(read(5).problems).toMatchObject([
      { code: 'package/too-large', message: 'The package has more than 20000 values.' },
    ])
    expect(packageLimits.totalValues).toBeGreaterThan(packageLimits.values)
  })

  test.each([
    ['a list', `[${'1,'.repeat(95)}1]`, `[${'1,'.repeat(96)}1]`],
    ['a map', `{a: [${'1,'.repeat(94)}1]}`, `{a: {b: [${'1,'.repeat(94)}1]}}`],
    ['aliases', `{a: &a [1, 2, 3], b: [${'*a,'.repeat(22)}1]}`, `{a: &a [1, 2, 3], b: [${'*a,'.repeat(23)}1]}`],
  ])('has documents of bounded size: %s', (_, fits, exceeds) => {
    const limits = { ...packageLimits, documentValues: 102 }
    expect(readPackage([file('a.yml', `${head}spec: ${fits}`)], { limits }).problems).toEqual([])
    const { problems, value } = readPackage([file('a.yml', `${head}---\n${head}spec: ${exceeds}\n`)], { limits })
    expect(problems).toMatchObject([
      { code: 'package/too-large', message: 'Document 2 has more than 102 values.', place: { line: 5 } },
    ])
    expect(value).toHaveLength(1)
  })

  test('is refused with the exceeded limit', () => {
    const limits = { ...packageLimits, documents: 1, bytes: 200 }
    const two = readPackage([file('a.yml', `${head}---\n${head}`)], { limits })
    expect(two.problems[0]!.message).toBe('The package has more than 1 documents (limits.documents).')
    const large = readPackage([file('a.yml', head.repeat(9))], { limits })
    expect(large.problems[0]!.message).toContain('200 are allowed (limits.totalBytes).')
  })

  test('has a .gitmoorignore with bounded number and length of lines', () => {
    const rules = `${'x'.repeat(201)}\n${Array.from({ length: 400 }, (_, at) => `no-${at}.yml`).join('\n')}\n`
    const { problems, value } = readPackage([
      file('.gitmoorignore', rules),
      file('no-100.yml', head),
      file('no-300.yml', head),
    ])
    expect(problems.map(({ message }) => message)).toEqual([
      'Line 1 of .gitmoorignore has more than 200 characters.',
      '.gitmoorignore has more than 200 lines.',
    ])
    expect(value.map(({ place }) => place.file)).toEqual(['no-300.yml'])
  })

  test('may pause before each file is compared with .gitmoorignore', () => {
    const files = Array.from({ length: 50 }, (_, at) => file(`${at}.yml`, ''))
    const steps = packageSteps([file('.gitmoorignore', '*.yml\n'), ...files])
    let count = 0
    while (steps.next().done !== true) count++
    expect(count).toBe(50)
  })
})

describe('problems', () => {
  const problems = (severity: 'error' | 'warning', count: number) =>
    Array.from({ length: count }, (_, at) => ({ severity, code: 'x', message: `${severity} ${at}` }))

  test('beyond the first thousand are counted, errors before warnings', () => {
    const first = firstProblems([...problems('warning', 2000), ...problems('error', 300)])
    expect(first).toHaveLength(1000)
    expect(first.filter(({ severity }) => severity === 'error')).toHaveLength(300)
    expect(first.slice(0, 699).every(({ severity }) => severity === 'warning')).toBe(true)
    expect(first.at(-1)).toMatchObject({ severity: 'warning', message: 'There are 1301 more problems.' })
    expect(firstProblems(problems('error', 5000))).toHaveLength(1000)
    expect(firstProblems(problems('error', 1000))).toHaveLength(1000)
    expect(firstProblems(first)).toEqual(first)
    expect(new InvalidPackage(problems('error', 5000)).problems).toHaveLength(1000)
    expect(new Refused('usage', 'No.', { problems: problems('error', 5000) }).problems).toHaveLength(1000)
  })
})
