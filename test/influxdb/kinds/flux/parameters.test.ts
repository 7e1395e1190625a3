import { describe, expect, test } from 'vitest'
import { errorsOf } from '../../../../src/model/problem.js'
import type { Json, JsonObject } from '../../../../src/model/json.js'
import { build, doc, errorFields, file } from '../../read-texts.js'

const key = (name: string): string => `dashboards[boards].spec.charts[1].queries[1].params.${name}`

interface Given {
  readonly params?: readonly JsonObject[]
  readonly given?: Readonly<Record<string, string>>
}

/** A dashboard whose second chart has the query second. */
function dashboardOf(query: string, { params, given = {} }: Given = {}): ReturnType<typeof build> {
  const chart = { kind: 'single_stat', width: 1, height: 1 }
  const queries = [{ query: 'a = 1' }, { query, ...(params === undefined ? {} : { params }) }]
  const values = new Map(Object.entries(given).map(([name, value]) => [key(name), value]))
  return build([file('a.yml', doc('Dashboard', 'boards', { charts: [chart, { ...chart, queries }] }))], { values })
}

function filled(query: string, given: Given = {}): Json {
  const { value, problems } = dashboardOf(query, given)
  expect(errorsOf(problems)).toEqual([])
  return value.resources[0]!.spec.charts[1].queries[1].query as Json
}

describe('a query with parameters', () => {
  const cases: Readonly<Record<string, readonly [query: string, given: Given, printed: string]>> = {
    'is printed': ['option params={a:"b"}', {}, 'option params = {a: "b"}\n'],
    'has the default instead of what is in it': [
      'option params = {a: "b"}',
      { params: [{ key: 'a', default: 'c' }] },
      'option params = {a: "c"}\n',
    ],
    'has the given value instead of both': [
      'option params = {a: "b"}',
      { params: [{ key: 'a', default: 'c' }], given: { a: 'd' } },
      'option params = {a: "d"}\n',
    ],
    'has few entries on one line': ['option params = {\n  a: 1,\n  b: 2}', {}, 'option params = {a: 1, b: 2}\n'],
    'has many entries each on a line': [
      'option params = {start: -1d, stop: now(), a: 1, b: 2, c: 3}',
      {},
      'option params = {\n    start: -24h0m0s,\n    stop: now(),\n    a: 1,\n    b: 2,\n    c: 3,\n}\n',
    ],
    'has a duration as given': ['option params = {a: -1d}', { given: { a: '-5d' } }, 'option params = {a: -5d}\n'],
    'has a duration by default in hours': ['option params = {a: 1w}', {}, 'option params = {a: 168h0m0s}\n'],
    'has months by default as they are written': ['option params = {a: -1mo2d}', {}, 'option params = {a: -1mo2d}\n'],
    'has no time at all': ['option params = {a: 0s}', {}, 'option params = {a: 0s}\n'],
    'has a truth': ['option params = {a: true}', { given: { a: 'false' } }, 'option params = {a: false}\n'],
    'has a signed integer': ['option params = {a: -10}', { given: { a: '-0012' } }, 'option params = {a: -12}\n'],
    'has a large integer': [
      'option params = {a: 1}',
      { given: { a: '9223372036854775807' } },
      'option params = {a: 9223372036854775807}\n',
    ],
    'has a float of an integer': [
      'option params = {a: 10}',
      { params: [{ key: 'a', type: 'float' }] },
      'option params = {a: 10.0}\n',
    ],
    'has a float with an exponent': [
      'option params = {a: 1.0}',
      { given: { a: '-2.5e3' } },
      'option params = {a: -2500.0}\n',
    ],
    'has now instead of a time': [
      'option params = {a: 2020-01-01T00:00:00Z}',
      { given: { a: 'now()' } },
      'option params = {a: now()}\n',
    ],
    'has a time instead of now': [
      'option params = {a: now()}',
      { given: { a: '2020-02-03' } },
      'option params = {a: 2020-02-03T00:00:00Z}\n',
    ],
    'has a number as text': [
      'option params = {a: "b"}',
      { params: [{ key: 'a', default: 12 }] },
      'option params = {a: "12"}\n',
    ],
    'takes an entry that only the list has': [
      'option params = {a: 1}',
      { params: [{ key: 'b', default: 2.5 }] },
      'option params = {a: 1, b: 2.5}\n',
    ],
    'takes a type in any case': [
      'option params = {a: b}',
      { params: [{ key: 'a', type: 'String', default: 'c' }] },
      'option params = {a: "c"}\n',
    ],
    'keeps an expression that is not a literal': ['option params = {a: b + 1}', {}, 'option params = {a: b + 1}\n'],
    'stays as it is where it sets none': [
      'from(bucket:"a")',
      { params: [{ key: 'a', default: 'b' }] },
      'from(bucket:"a")',
    ],
    'stays as it is where it sets another option': ['option  now = () => x', {}, 'option  now = () => x'],
    'stays as it is where nothing is in it': ['option params={}', {}, 'option params={}'],
    'stays as it is where a task option is all': ['option  task={name:"a"}', {}, 'option  task={name:"a"}'],
  }
  test.each(Object.entries(cases))('%s', (_title, [query, given, printed]) => {
    expect(filled(query, given)).toBe(printed)
  })
})

describe('a given text is never code:', () => {
  const texts = [
    '"',
    '\\',
    '\\"',
    '${1 + 1}',
    '\\${x}',
    'a\nb',
    '"}\nfrom(bucket: "secrets")\n// ',
    '\r',
    '\u0000',
    '\ue000',
    '  \n ',
    '$',
    '${',
  ]
  test.each(texts.map((text) => [JSON.stringify(text), text] as const))('%s', (_title, given) => {
    const printed = filled('option params = {a: "b"}', { given: { a: given } })
    const back = dashboardOf(printed as string).value.resources[0]!
    expect(back.kind.inputs!.envReferences(back.spec)[0]).toMatchObject({ valueType: 'string', defaultValue: given })
  })
})

describe('a value that does not fit is an error that names the env key and the type:', () => {
  const cases: Readonly<Record<string, readonly [literal: string, given: string, type: string]>> = {
    'a truth': ['true', 'yes', 'bool'],
    'an integer': ['1', '1.5', 'int'],
    'an integer of more than 64 bits': ['1', '9223372036854775808', 'int'],
    'a float': ['1.0', 'much', 'float'],
    'a float without end': ['1.0', '1e999', 'float'],
    'a duration': ['1h', '1 hour', 'duration'],
    'a time': ['now()', 'yesterday', 'time'],
    'an invalid day': ['now()', '2020-13-01', 'time'],
    'half a character': ['"a"', '\ud800', 'string'],
  }
  test.each(Object.entries(cases))('%s', (_title, [literal, given, type]) => {
    const [problem, ...more] = errorsOf(
      dashboardOf(`option params = {a: ${literal}}`, { given: { a: given } }).problems,
    )
    expect(more).toEqual([])
    expect(problem).toMatchObject({ code: 'kinds/parameter-type', field: 'root[0].spec.charts[1].queries[1].query' })
    expect(problem!.message).toContain(`"${key('a')}" is not of type ${type}`)
  })

  test('a default', () => {
    const params = [{ key: 'a', default: 'much', type: 'float' }]
    const { problems } = dashboardOf('option params = {a: 1.0}', { params })
    expect(errorFields(problems)).toEqual(['root[0].spec.charts[1].queries[1].params[0].default'])
    expect(problems[0]!.message).toContain(`"${key('a')}" is not of type float`)
  })

  test('a default is not checked if a value is given', () => {
    const params = [{ key: 'a', default: 'much', type: 'float' }]
    expect(filled('option params = {a: 1.0}', { params, given: { a: '2' } })).toBe('option params = {a: 2.0}\n')
  })

  test('what is in the query', () => {
    const { problems } = dashboardOf('option params = {a: "b"}', { params: [{ key: 'a', type: 'int' }] })
    expect(errorFields(problems)).toEqual(['root[0].spec.charts[1].queries[1].params[0].type'])
  })

  test('an unknown type', () => {
    const { problems } = dashboardOf('option params = {a: 1}', { params: [{ key: 'a', type: 'number' }] })
    expect(errorFields(problems)).toEqual(['root[0].spec.charts[1].queries[1].params[0].type'])
  })

  test('a value of which no type is known', () => {
    const { problems } = dashboardOf('option params = {a: b}', { given: { a: '1' } })
    expect(errorFields(problems)).toEqual(['root[0].spec.charts[1].queries[1].query'])
  })
})

test('a query that sets options and cannot be read is an error at its place', () => {
  const { problems } = dashboardOf('option params = {a: 1')
  expect(problems).toMatchObject([{ code: 'kinds/unreadable-query', field: 'root[0].spec.charts[1].queries[1].query' }])
  expect(problems[0]!.message).toContain('expected RBRACE, got EOF, in line 1')
})

test('a list without an option is remarked upon', () => {
  const { problems } = dashboardOf('a = 1', { params: [{ key: 'a', default: 'b' }] })
  expect(problems).toMatchObject([{ severity: 'warning', code: 'kinds/no-effect' }])
})

test('parameters are listed with given value and default, by env key', () => {
  const query = 'option params = {s: "x", i: 10, f: 1.0, b: true, d: -1d, t: now(), e: x}'
  const { value } = dashboardOf(query, {
    params: [{ key: 'i', default: 12 }],
    given: { d: '-5d', f: '37.2', b: 'false' },
  })
  const { kind, spec } = value.resources[0]!
  const expected: Readonly<Record<string, object>> = {
    b: { valueType: 'bool', value: false, defaultValue: true },
    d: { valueType: 'duration', value: '-5d', defaultValue: '-24h0m0s' },
    e: { valueType: '' },
    f: { valueType: 'float', value: 37.2, defaultValue: 1 },
    i: { valueType: 'integer', defaultValue: 12 },
    s: { valueType: 'string', defaultValue: 'x' },
    t: { valueType: 'time', defaultValue: 'now()' },
  }
  expect(kind.inputs!.envReferences(spec)).toEqual(
    Object.entries(expected).map(([name, rest]) => ({
      field: `spec.charts[1].queries[1].params.${name}`,
      key: key(name),
      ...rest,
    })),
  )
})

test('what was filled in is exported as a plain query, which is the same when it is applied', () => {
  const { value } = dashboardOf('option params = {a: -1d}\nb  =  params.a', { given: { a: '-5d' } })
  const { kind, spec } = value.resources[0]!
  const state = kind.normalise(kind.encode(spec, () => null))
  const declared = kind.authored!.declare(state, () => undefined, '' as never)!
  const again = build([file('b.yml', doc('Dashboard', 'boards', declared))]).value.resources[0]!
  expect(kind.normalise(kind.encode(again.spec, () => null))).toEqual(state)
  expect(JSON.stringify(declared)).not.toContain('"params"')
})
