import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/model/json.js'
import { errorsOf, type Checked } from '../../../../src/model/problem.js'
import type { Graph } from '../../../../src/graph/graph.js'
import { wires } from '../../../../src/influxdb/kinds/kinds.js'
import { build, doc, errorFields, file } from '../../read-texts.js'
import { nowhere } from '../desired-state.js'

const body = 'from(bucket: "raw")\n    |> last()'
const later = { apiVersion: 'influxdata.com/v2alpha2' }

type Given = Readonly<Record<string, string>>

/** A task of v2alpha2. `given`: of its option. */
function taskOf(spec: object, given: Given = {}): Checked<Graph> {
  const values = new Map(Object.entries(given).map(([key, value]) => [`tasks[hourly].spec.task.${key}`, value]))
  return build([file('a.yml', doc('Task', 'hourly', spec, later))], { values })
}

function stateOf(spec: object, given: Given = {}): JsonObject {
  const { value, problems } = taskOf(spec, given)
  expect(errorsOf(problems)).toEqual([])
  const { kind, spec: read } = value.resources[0]!
  return kind.normalise(kind.encode(read, () => null))
}

const option = (entries: string): string => `option task = {${entries}}\n\n${body}`

describe('a task of v2alpha2', () => {
  const plain = { name: 'hourly', description: '', cron: '', every: '', offset: '', query: body, status: 'active' }
  const cases: Readonly<Record<string, readonly [spec: object, given: Given, state: object]>> = {
    'has its schedule from its query': [
      { query: option('name: "bar", every: 1m, offset: 3m') },
      {},
      { ...plain, name: 'bar', every: '1m0s', offset: '3m0s' },
    ],
    'has it from its list instead': [
      {
        query: option('name: "bar", every: 1m'),
        task: [
          { key: 'every', default: '1h', type: 'duration' },
          { key: 'name', default: 'foo' },
        ],
      },
      {},
      { ...plain, name: 'foo', every: '1h0m0s' },
    ],
    'has the given values instead of both': [
      { query: option('name: "bar", every: 1m'), task: [{ key: 'every', default: '1h' }] },
      { every: '2h', name: 'x"}' },
      { ...plain, name: 'x"}', every: '2h0m0s' },
    ],
    'has from its spec what the option does not say': [
      { query: option('every: 1m'), name: 'mine', offset: '5s' },
      {},
      { ...plain, name: 'mine', every: '1m0s', offset: '5s' },
    ],
    'has no cron from it': [{ query: option('cron: "@daily"'), every: '1h' }, {}, { ...plain, every: '1h0m0s' }],
    'may have its schedule in its spec': [{ query: body, cron: '@daily' }, {}, { ...plain, cron: '@daily' }],
    'keeps its query as it is without options': [
      { query: 'from( bucket:"raw" )', every: '1h' },
      {},
      { ...plain, every: '1h0m0s', query: 'from( bucket:"raw" )' },
    ],
  }
  test.each(Object.entries(cases))('%s', (_title, [spec, given, state]) => {
    expect(stateOf(spec, given)).toEqual(state)
  })

  const errors: Readonly<Record<string, readonly [spec: object, given: Given, ...fields: string[]]>> = {
    'an every that is not a duration': [
      { query: option('every: 1') },
      {},
      'root[0].spec.task.every',
      'root[0].spec.every',
      'root[0].spec.cron',
    ],
    'an offset that is not a duration': [{ query: option('every: 1h, offset: "1m"') }, {}, 'root[0].spec.task.offset'],
    'an every of parts of a second': [{ query: option('every: 1500ms') }, {}, 'root[0].spec.task.every'],
    'an offset of parts of a second': [{ query: option('every: 1s, offset: 1ms') }, {}, 'root[0].spec.task.offset'],
    'a name that is not a text': [{ query: option('every: 1s, name: x') }, {}, 'root[0].spec.task.name'],
    'no schedule': [{ query: option('name: "x"') }, {}, 'root[0].spec.every', 'root[0].spec.cron'],
    'cron beside every': [{ query: option('every: 1h'), cron: '@daily' }, {}, 'root[0].spec.cron'],
    'a given every that is not a duration': [
      { query: option('every: 1h') },
      { every: 'often' },
      'root[0].spec.query',
      'root[0].spec.task.every',
      'root[0].spec.every',
      'root[0].spec.cron',
    ],
    'an option that cannot be read, and may say when': [
      { query: 'option task = {every: 1h' },
      {},
      'root[0].spec.query',
    ],
    'an unreadable option beside an invalid every': [
      { query: 'option task = {every: 1h', every: '1.5h' },
      {},
      'root[0].spec.query',
      'root[0].spec.every',
    ],
    'an option that cannot be read': [{ query: 'option task = {every: 1h', every: '1h' }, {}, 'root[0].spec.query'],
  }
  test.each(Object.entries(errors))('is in error with %s', (_title, [spec, given, ...fields]) => {
    expect(errorFields(taskOf(spec, given).problems)).toEqual(fields)
  })

  test('lists its name twice with one key, and nothing else of its option', () => {
    const { value } = taskOf({ query: option('name: "bar", every: 1m') }, { every: '2m' })
    const { kind, spec } = value.resources[0]!
    const name = { key: 'tasks[hourly].spec.task.name', valueType: 'string', defaultValue: 'bar' }
    expect(kind.inputs!.envReferences(spec)).toEqual([
      {
        field: 'spec.task.every',
        key: 'tasks[hourly].spec.task.every',
        valueType: 'duration',
        value: '2m',
        defaultValue: '1m0s',
        mayBeMissing: true,
      },
      { ...name, field: 'spec.name' },
      { ...name, field: 'spec.task.name' },
    ])
  })

  test('shows its query in a summary as it was declared, with what was filled in', () => {
    const { value } = taskOf({ query: option('name: "bar", every: 1m') }, { every: '2m' })
    const { kind, spec } = value.resources[0]!
    const state = kind.normalise(kind.encode(spec, () => null))
    expect(wires['Task']!.summary(state, nowhere, spec)['query']).toBe(
      `option task = {name: "bar", every: 2m}\n\n${body}\n`,
    )
    expect(wires['Task']!.diff(state, nowhere)['query']).toBe(body)
  })

  test('is exported as a plain task, which is the same when it is applied', () => {
    const state = stateOf({ query: `option params = {a: -1d}\n${option('every: 1h')}`, status: 'inactive' })
    const kind = taskOf({ query: body, every: '1h' }).value.resources[0]!.kind
    const declared = kind.authored!.declare(state, () => undefined, '' as never)!
    const { value } = build([file('b.yml', doc('Task', 'hourly', declared))])
    expect(kind.normalise(kind.encode(value.resources[0]!.spec, () => null))).toEqual(state)
    expect(declared).toMatchObject({ status: 'inactive', every: '1h0m0s' })
  })
})

test('a task of v2alpha1 does not read its option, and has none', () => {
  const { value, problems } = build([
    file('a.yml', doc('Task', 'hourly', { query: option('name: "x", every: 1m'), every: '1h' })),
  ])
  expect(problems).toMatchObject([{ severity: 'warning', code: 'kinds/no-effect', field: 'root[0].spec.query' }])
  const { kind, spec } = value.resources[0]!
  expect(kind.encode(spec, () => null)).toMatchObject({ name: 'hourly', every: '1h0m0s', query: `${body}\n` })
  expect(kind.inputs!.envReferences(spec)).toEqual([])
})
