import { describe, expect, test } from 'vitest'
import { influxdbKind } from '../../../../src/influxdb/kinds/kinds.js'
import { noValues, type Document } from '../../../../src/model/resources/document.js'
import { readPackage } from '../../../../src/package/package.js'
import { buildYaml, doc, docs, file } from '../../read-texts.js'
import { describeRemarks, describeRules } from '../describe-rules.js'
import { declaredBy, stateOf, kindNamed, plain, wireOf } from '../desired-state.js'

const constant = { type: 'constant', values: ['a', 'b'] }
const query = { type: 'query', language: 'flux', query: 'buckets()' }
const variable = (spec: object, name = 'host'): string => doc('Variable', name, spec)

describe('a rule of variables', () => {
  describeRules({
    'a variable has a type': [variable(constant), variable({ values: ['a'] }), 'root[0].spec.type kinds/not-allowed'],
    'a type is constant, map or query, in any case': [
      variable({ ...constant, type: ' Constant ' }),
      variable({ ...constant, type: 'system' }),
      'root[0].spec.type kinds/not-allowed',
    ],
    'a constant has values': [variable(constant), variable({ type: 'constant' }), 'root[0].spec.values kinds/required'],
    'the values of a constant are a list': [
      variable({ type: 'constant', values: [1, 2.5] }),
      variable({ type: 'constant', values: { a: 'b' } }),
      'root[0].spec.values',
    ],
    'the values of a map are a map': [
      variable({ type: 'map', values: { a: 'b' } }),
      variable({ type: 'map', values: ['a'] }),
      'root[0].spec.values kinds/required',
    ],
    'a map has values': [
      variable({ type: 'map', values: { a: 1 } }),
      variable({ type: 'map', values: {} }),
      'root[0].spec.values',
    ],
    'a query has a query': [variable(query), variable({ ...query, query: ' \n' }), 'root[0].spec.query kinds/required'],
    'a query has a language': [
      variable({ ...query, language: 'InfluxQL' }),
      variable({ type: 'query' }),
      'root[0].spec.query',
      'root[0].spec.language kinds/not-allowed',
    ],
    'a language is flux or influxql': [
      variable(query),
      variable({ ...query, language: 'sql' }),
      'root[0].spec.language',
    ],
    'a name begins with a letter or _': [
      variable({ ...constant, name: '_a' }),
      variable(constant, '1-host'),
      'root[0].spec.name kinds/not-allowed',
    ],
    'a name is no word of Flux': [
      variable({ ...constant, name: 'And' }),
      variable(constant, 'and'),
      'root[0].spec.name',
    ],
    'a variable has a display name of its own, case apart': [
      docs(variable(constant), variable(constant, 'other')),
      docs(variable(constant), variable({ ...constant, name: 'Host' }, 'other')),
      'root[1].spec.name graph/duplicate-name',
    ],
    'a variable bears labels that are declared': [
      docs(doc('Label', 'red'), variable({ ...constant, associations: [{ kind: 'Label', name: 'red' }] })),
      variable({ associations: [{ kind: 'Label', name: 'red' }] }),
      'root[0].spec.type',
      'root[0].associations[0] graph/undeclared',
    ],
  })
  describeRemarks({
    'a value that is not a text': [
      variable({ type: 'constant', values: ['a', true] }),
      'root[0].spec.values[1]',
      'kinds/wrong-type',
    ],
    'a selected value that is not a text': [
      variable({ ...constant, selected: [true] }),
      'root[0].spec.selected[0]',
      'kinds/wrong-type',
    ],
    'an unknown field': [variable({ ...constant, value: 'a' }), 'root[0].spec.value', 'kinds/unknown-field'],
  })
})

const empty = { name: 'host', description: '', values: [], query: '', language: '', selected: [] }

describe('the state of a variable', () => {
  test('is every field, empty where the type does not use it', () => {
    expect(stateOf(variable(constant))).toEqual({ ...empty, type: 'constant', values: ['a', 'b'] })
    expect(stateOf(variable({ ...query, query: '\nbuckets() ', values: ['x'] }))).toEqual({
      ...empty,
      type: 'query',
      query: 'buckets()',
      language: 'flux',
    })
  })

  test('has a map as pairs in the order of their keys, so that a missing pair is noticed', () => {
    const values = [
      { key: '__proto__', value: 'c' },
      { key: 'a', value: '1' },
      { key: 'b', value: 'x' },
    ]
    expect(
      stateOf(variable({ type: 'map', values: JSON.parse('{"b": "x", "a": 1, "__proto__": "c"}') as object })),
    ).toEqual({
      ...empty,
      type: 'map',
      values,
    })
  })

  test('has the selected values, and the given values of envRefs', () => {
    const text = variable({ ...constant, selected: ['a', '', { envRef: { key: 'pick', default: 'b' } }] })
    expect(stateOf(text)['selected']).toEqual(['a', 'b'])
    const [document] = readPackage([file('a.yml', text)], { values: new Map([['pick', 'c']]) }).value
    expect(kindNamed('Variable').decode(document!).value).toMatchObject({ selected: ['a', 'c'] })
  })

  test('is found by its name without regard to case', () => {
    expect(kindNamed('Variable').matching!.key({ name: 'Host' })).toBe('host')
  })
})

test('references are in the order of a summary: metadata, name, associations, the rest', () => {
  const ref = (key: string): object => ({ envRef: { key } })
  const body = {
    apiVersion: 'influxdata.com/v2alpha1',
    kind: 'Variable',
    metadata: { name: ref('a') },
    spec: { ...constant, selected: ['a', ref('d')], name: ref('b'), associations: [{ kind: 'Label', name: ref('c') }] },
  }
  const [document] = readPackage([file('a.yml', JSON.stringify(body))]).value as readonly [Document]
  expect(document.values).toBe(noValues)
  const { value } = kindNamed('Variable').decode(document)
  expect(
    kindNamed('Variable')
      .inputs!.envReferences(value)
      .map(({ field }) => field),
  ).toEqual(['metadata.name', 'spec.name', 'spec.associations[0].name', 'spec.selected[1]'])
})

describe('the wire format of a variable', () => {
  const cases: Readonly<Record<string, readonly [spec: object, args: unknown]>> = {
    constant: [constant, { type: 'constant', values: ['a', 'b'] }],
    map: [
      { type: 'map', values: { b: '1', a: '2' } },
      { type: 'map', values: { a: '2', b: '1' } },
    ],
    query: [query, { type: 'query', values: { language: 'flux', query: 'buckets()' } }],
  }
  test.each(Object.entries(cases))('has the arguments of a %s', (_type, [spec, args]) => {
    const state = stateOf(variable({ ...spec, description: 'd', selected: ['a'] }))
    const { diff, summary } = wireOf('Variable', state)
    expect(diff).toEqual({ name: 'host', description: 'd', args })
    expect(summary).toEqual({
      id: '',
      orgID: '',
      name: 'host',
      description: 'd',
      arguments: args,
      variables: ['a'],
      selected: ['a'],
    })
  })
})

test.each([
  ['constant', constant],
  ['map', { type: 'map', values: { a: 'b', c: 'd' } }],
  ['query', { ...query, selected: ['a'], description: 'd' }],
])('a %s is exported as it was declared', (_type, spec) => {
  expect(declaredBy('Variable', spec)).toEqual({ name: 'thing', ...spec })
})

describe('a telegraf configuration', () => {
  const telegraf = (spec: object, name = 'host'): string => doc('Telegraf', name, spec)
  const config = '[[inputs.cpu]]\n  percpu = true\n'
  describeRules({
    'a telegraf has a config': [telegraf({ config }), telegraf({}), 'root[0].spec.config kinds/required'],
    'a config is not empty': [telegraf({ config: ' ' }), telegraf({ config: '' }), 'root[0].spec.config'],
    'telegrafs may share a display name, not a metaName': [
      docs(telegraf({ config }), telegraf({ config, name: 'host' }, 'other')),
      docs(telegraf({ config }), telegraf({ config })),
      'root[1].metadata.name graph/duplicate',
    ],
  })

  test('is stored, shown and exported as written', () => {
    const state = stateOf(telegraf({ config, description: 'd' }))
    const document = { name: 'host', description: 'd', config }
    const shown = { orgID: '', ...document }
    expect(state).toEqual(document)
    expect(wireOf('Telegraf', state)).toEqual({ diff: shown, summary: { telegrafConfig: shown } })
    expect(declaredBy('Telegraf', { config })).toEqual({ name: 'thing', config })
  })

  test('is known in both versions, and never found by name', () => {
    expect(influxdbKind('Telegraf', 'influxdata.com/v2alpha2')).toBe(kindNamed('Telegraf'))
    expect('key' in kindNamed('Telegraf')).toBe(false)
    expect(plain(buildYaml(telegraf({ config })).problems)).toEqual([])
  })

  test('is not checked above 64 KiB, comments aside', () => {
    const codes = (text: string): readonly string[] =>
      buildYaml(telegraf({ config: text })).problems.map(({ code }) => code)
    expect(codes(`${'# a comment\n'.repeat(10_000)}a = 1\n`)).toEqual([])
    expect(codes(`[${'a.'.repeat(40_000)}b]`)).toEqual(['kinds/toml-not-checked'])
  })

  test('is warned of a config that is not TOML, which is kept as it is', () => {
    const { value, problems } = buildYaml(telegraf({ config: '[agent]\n  interval = = "10s"' }))
    expect(value.resources).toHaveLength(1)
    expect(problems).toMatchObject([{ severity: 'warning', code: 'kinds/invalid-toml', field: 'root[0].spec.config' }])
    expect(problems[0]!.message).toContain('line 2 of the config is not valid TOML')
  })
})
