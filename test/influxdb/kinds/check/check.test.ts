import { describe, expect, test } from 'vitest'
import { errorsOf } from '../../../../src/model/problem.js'
import { buildYaml, doc, docs } from '../../read-texts.js'
import { describeRemarks, describeRules } from '../describe-rules.js'
import { declaredBy, stateOf, kindNamed, wireOf } from '../desired-state.js'

const query = 'from(bucket: "raw") |> filter(fn: (r) => r._field == "used") |> last()'
const common = { every: '1m', query, statusMessageTemplate: 'is ${ r._level }' }
const greater = { type: 'greater', level: 'CRIT', value: 5 }
const threshold = (spec: object, name = 'cpu'): string =>
  doc('CheckThreshold', name, { ...common, thresholds: [greater], ...spec })
const deadman = (spec: object, name = 'cpu'): string => doc('CheckDeadman', name, { ...common, level: 'CRIT', ...spec })
const one = (of: object): string => threshold({ thresholds: [greater, { ...greater, ...of }] })
const without = (key: string): string => threshold({ [key]: null })

describe('a rule of checks', () => {
  describeRules({
    'a check has an interval': [threshold({}), without('every'), 'root[0].spec.every kinds/required'],
    'an interval is not 0': [
      threshold({ every: '1h30m' }),
      deadman({ every: '0s' }),
      'root[0].spec.every kinds/required',
    ],
    'an interval is a duration': [
      threshold({ every: '1mo' }),
      threshold({ every: '1.5h' }),
      'root[0].spec.every kinds/required',
    ],
    'an interval is not negative': [
      threshold({ offset: '30s' }),
      threshold({ every: '-1h' }),
      'root[0].spec.every kinds/not-allowed',
    ],
    'a check has a query': [threshold({}), threshold({ query: ' \n' }), 'root[0].spec.query kinds/required'],
    'a check has a template of its message': [
      deadman({}),
      deadman({ statusMessageTemplate: '' }),
      'root[0].spec.statusMessageTemplate kinds/required',
    ],
    'a status is active or inactive': [
      threshold({ status: ' Inactive ' }),
      threshold({ status: 'paused' }),
      'root[0].spec.status',
    ],
    'a threshold check has thresholds': [
      threshold({}),
      threshold({ thresholds: [] }),
      'root[0].spec.thresholds kinds/required',
    ],
    'a threshold has a known type, in any case': [
      one({ type: 'Inside_Range', min: 1, max: 2 }),
      one({ type: 'equal' }),
      'root[0].spec.type[1] kinds/not-allowed',
    ],
    'a threshold has a known level, in any case': [
      one({ level: 'any' }),
      one({ level: 'BAD' }),
      'root[0].spec.level[1] kinds/not-allowed',
    ],
    'min is not above max, of any type': [
      one({ type: 'outside_range', min: 2, max: 2 }),
      one({ min: 2, max: 1 }),
      'root[0].spec.min[1] kinds/not-allowed',
    ],
    'errors of one threshold keep their own fields': [
      threshold({}),
      threshold({ thresholds: [{ min: 1 }, {}] }),
      'root[0].spec.level[0]',
      'root[0].spec.type[0]',
      'root[0].spec.min[0]',
      'root[0].spec.level[1]',
      'root[0].spec.type[1]',
    ],
    'a deadman check has a known level': [
      deadman({ level: 'warn' }),
      deadman({ level: 'fatal' }),
      'root[0].spec.level kinds/not-allowed',
    ],
    'an interval is at least a second, in whole seconds': [
      threshold({ every: '1s' }),
      threshold({ every: '1500ms' }),
      'root[0].spec.every kinds/not-allowed',
    ],
    'an offset is in whole seconds': [
      threshold({ offset: '2000ms' }),
      threshold({ offset: '500ms' }),
      'root[0].spec.offset kinds/not-allowed',
    ],
    'an offset is not negative': [
      deadman({ offset: '0s' }),
      deadman({ offset: '-15s' }),
      'root[0].spec.offset kinds/not-allowed',
    ],
    'an offset is below the interval': [
      threshold({ offset: '59s' }),
      threshold({ offset: '60s' }),
      'root[0].spec.offset kinds/not-allowed',
    ],
    'a stale time is not negative': [
      deadman({ staleTime: '500ms' }),
      deadman({ staleTime: '-1m' }),
      'root[0].spec.staleTime kinds/not-allowed',
    ],
    'a time since has no fraction that InfluxDB would lose': [
      deadman({ timeSince: '90s' }),
      deadman({ timeSince: '1500ms', staleTime: '1500us' }),
      'root[0].spec.timeSince kinds/not-allowed',
      'root[0].spec.staleTime kinds/not-allowed',
    ],
    'a query is Flux': [
      threshold({}),
      deadman({ query: 'from(bucket: "raw" |> last()' }),
      'root[0].spec.query kinds/flux-syntax',
    ],
    'a message is a text of Flux, with quotes escaped': [
      threshold({ statusMessageTemplate: 'a "b" \\ ${ r.host }' }),
      threshold({ statusMessageTemplate: 'is ${ r["host"] }' }),
      'root[0].spec.statusMessageTemplate kinds/flux-syntax',
    ],
    'a name has no code in it': [
      deadman({ name: 'a $ {b}' }),
      deadman({ name: 'a ${b}' }),
      'root[0].spec.name kinds/flux-syntax',
    ],
    'a tag has a key and a value': [
      threshold({ tags: [{ key: 'a', value: 1 }] }),
      threshold({ tags: [{ key: 'a' }, { value: 'b' }] }),
      'root[0].spec.tags[0].value kinds/required',
      'root[0].spec.tags[1].key kinds/required',
    ],
    'a key of a tag is a name of Flux': [
      threshold({ tags: [{ key: 'höst', value: 'a-b' }] }),
      threshold({
        tags: [
          { key: 'a-b', value: 'x' },
          { key: 'and', value: '${' },
        ],
      }),
      'root[0].spec.tags[0].key kinds/flux-syntax',
      'root[0].spec.tags[1].key kinds/flux-syntax',
      'root[0].spec.tags[1].value kinds/flux-syntax',
    ],
    'both kinds are one family of metaNames': [
      docs(threshold({}), deadman({}, 'memory')),
      docs(deadman({}), threshold({ name: 'other' })),
      'root[1].metadata.name graph/duplicate',
    ],
    'a check bears labels that are declared': [
      docs(doc('Label', 'red'), deadman({ associations: [{ kind: 'Label', name: 'red' }] })),
      deadman({ level: 'fatal', associations: [{ kind: 'Label', name: 'red' }] }),
      'root[0].spec.level',
      'root[0].associations[0] graph/undeclared',
    ],
    'all errors of a check are reported': [
      threshold({}),
      doc('CheckThreshold', 'cpu', { status: 'x' }),
      'root[0].spec.every',
      'root[0].spec.query',
      'root[0].spec.statusMessageTemplate',
      'root[0].spec.status',
      'root[0].spec.thresholds',
    ],
  })

  describeRemarks({
    'a query that is too long to be checked': [
      deadman({ query: `x = "${'y'.repeat(66_000)}` }),
      'root[0].spec.query',
      'kinds/flux-not-checked',
    ],
    'an offset that is not a duration': [threshold({ offset: '1 h' }), 'root[0].spec.offset', 'kinds/wrong-type'],
    'a stale time that is not a duration': [deadman({ staleTime: 5 }), 'root[0].spec.staleTime', 'kinds/wrong-type'],
    'an unknown field': [deadman({ thresholds: [] }), 'root[0].spec.thresholds', 'kinds/unknown-field'],
    'an unknown field of a threshold, at its place': [
      one({ val: 5 }),
      'root[0].spec.thresholds[1].val',
      'kinds/unknown-field',
    ],
    'an unknown field of a tag': [
      threshold({ tags: [{ key: 'a', value: 'b', val: 'b' }] }),
      'root[0].spec.tags[0].val',
      'kinds/unknown-field',
    ],
    'a threshold check whose query names no field': [
      threshold({ query: 'from(bucket: "raw")' }),
      'root[0].spec.query',
      'kinds/refused-by-influxdb',
    ],
    'a threshold check whose query names two fields': [
      threshold({ query: 'filter(fn: (r) => r._field == "a" or r["_field"] == "b")' }),
      'root[0].spec.query',
      'kinds/refused-by-influxdb',
    ],
    'a name that another check has: the target decides': [
      docs(threshold({}), threshold({ name: 'cpu' }, 'memory')),
      'root[1].spec.name',
      'graph/duplicate-name',
    ],
  })

  test('a deadman check without a level has the level UNKNOWN, as InfluxDB calls it', () => {
    for (const level of [null, '', 'unknown']) expect(stateOf(deadman({ level }))).toMatchObject({ level: 'UNKNOWN' })
    expect(declaredBy('CheckDeadman', { ...common, level: null })).toMatchObject({ level: 'UNKNOWN' })
  })

  test('an unparsable interval differs from a missing one', () => {
    const messages = [threshold({ every: '1 h' }), without('every')].map(
      (text) => errorsOf(buildYaml(text).problems)[0]!.message,
    )
    expect(messages).toEqual([
      'CheckThreshold/cpu: every "1 h" is not a duration, but is required.',
      'CheckThreshold/cpu: there is no every.',
    ])
  })

  test('an error of a threshold has the line of the threshold, though its field leaves the list out', () => {
    const text =
      'apiVersion: influxdata.com/v2alpha1\nkind: CheckThreshold\nmetadata: {name: cpu}\nspec:\n  every: 1m\n  query: a = r._field == "q"\n  statusMessageTemplate: m\n  thresholds:\n    - level: OK\n      type: equal\n'
    const [problem] = buildYaml(text).problems
    expect(problem).toMatchObject({
      field: 'root[0].spec.type[0]',
      place: { pointer: '/spec/thresholds/0/type', line: 10 },
    })
  })
})

const state = {
  name: 'cpu',
  description: '',
  every: '1m0s',
  offset: '0s',
  query,
  statusMessageTemplate: 'is ${ r._level }',
  status: 'active',
  tags: [],
}

describe('the state of a check', () => {
  test('is every field, with defaults and durations by value', () => {
    const text = deadman({
      every: '90m',
      timeSince: '1d1h',
      query: `\n${query} `,
      tags: [
        { key: 'b', value: 1 },
        { key: 'a', value: '2' },
      ],
    })
    const tags = [
      { key: 'a', value: '2' },
      { key: 'b', value: '1' },
    ]
    const own = { type: 'deadman', level: 'CRIT', timeSince: '25h0m0s', staleTime: '0s', reportZero: false }
    expect(stateOf(text)).toEqual({ ...state, every: '1h30m0s', tags, ...own })
  })

  test('is of a threshold what its type uses, in the order of the author', () => {
    const range = { type: 'inside_range', level: 'warn', min: 1, max: 2, value: 9, allValues: true }
    expect(stateOf(threshold({ thresholds: [range, greater] }))).toEqual({
      ...state,
      type: 'threshold',
      thresholds: [
        { type: 'inside_range', level: 'WARN', min: 1, max: 2, allValues: true },
        { type: 'greater', level: 'CRIT', value: 5, allValues: false },
      ],
    })
  })

  test('is in one spelling, whichever kind reads it', () => {
    const live = {
      type: 'threshold',
      every: '60s',
      tags: [{ key: 'b' }, { key: 'a' }],
      thresholds: [{ type: 'GREATER', level: 'crit' }],
      status: 'Active',
    }
    const once = {
      type: 'threshold',
      every: '1m0s',
      tags: [{ key: 'a' }, { key: 'b' }],
      thresholds: [{ type: 'greater', level: 'CRIT' }],
      status: 'active',
    }
    for (const kind of ['CheckThreshold', 'CheckDeadman']) {
      expect(kindNamed(kind).normalise(live)).toEqual(once)
      expect(kindNamed(kind).normalise(once)).toEqual(once)
    }
  })

  test('is found by its name with regard to case', () => {
    expect(kindNamed('CheckDeadman').matching!.key({ name: 'CPU' })).toBe('CPU')
  })
})

describe('the wire format of a check', () => {
  const builderConfig = { buckets: [], tags: [], functions: [], aggregateWindow: { period: '', fillValues: false } }
  const document = {
    orgID: '',
    name: 'cpu',
    description: '',
    every: '1m0s',
    offset: '0s',
    query: { text: query, editMode: '', name: '', builderConfig },
    createdAt: '0001-01-01T00:00:00Z',
    updatedAt: '0001-01-01T00:00:00Z',
    statusMessageTemplate: 'is ${ r._level }',
    tags: [],
  }

  test('of a deadman has its own fields, and its status beside the document of a summary', () => {
    const own = { type: 'deadman', level: 'CRIT', timeSince: '0s', staleTime: '10m0s', reportZero: true }
    const { diff, summary } = wireOf(
      'CheckDeadman',
      stateOf(deadman({ staleTime: '10m', reportZero: true, status: 'inactive' })),
    )
    expect(diff).toEqual({ ...document, ...own, status: 'inactive' })
    expect(summary).toEqual({ check: { ...document, ...own }, status: 'inactive' })
  })

  test('has the times and the task that the target keeps', () => {
    const kept = { createdAt: '2026-01-02T03:04:05Z', updatedAt: '2026-01-02T03:04:06.5Z', taskID: '00000000000000ab' }
    const { diff, summary } = wireOf('CheckDeadman', { ...stateOf(deadman({})), ...kept })
    expect([diff, summary]).toMatchObject([kept, { check: kept }])
    expect(diff).not.toHaveProperty('ownerID')
    expect(wireOf('CheckDeadman', stateOf(deadman({}))).diff).not.toHaveProperty('taskID')
  })

  test('of thresholds makes both ranges one type', () => {
    const range = { level: 'WARN', min: 1, max: 2 }
    const text = threshold({
      thresholds: [greater, { ...range, type: 'inside_range' }, { ...range, type: 'outside_range' }],
    })
    expect(wireOf('CheckThreshold', stateOf(text)).summary).toEqual({
      check: {
        ...document,
        type: 'threshold',
        thresholds: [
          { type: 'greater', level: 'CRIT', value: 5, allValues: false },
          { type: 'range', within: true, level: 'WARN', min: 1, max: 2, allValues: false },
          { type: 'range', within: false, level: 'WARN', min: 1, max: 2, allValues: false },
        ],
      },
      status: 'active',
    })
  })
})

describe('an exported check', () => {
  const spec = {
    every: '1m0s',
    query,
    statusMessageTemplate: 'm',
    status: 'inactive',
    tags: [{ key: 'a', value: 'b' }],
  }
  test.each<readonly [string, object]>([
    [
      'CheckThreshold',
      {
        ...spec,
        thresholds: [
          { type: 'lesser', level: 'OK', value: 0 },
          { type: 'inside_range', level: 'INFO', min: 0, max: 2, allValues: true },
        ],
      },
    ],
    [
      'CheckDeadman',
      { ...spec, offset: '5s', level: 'CRIT', timeSince: '1m30s', staleTime: '10m0s', reportZero: true },
    ],
  ])('%s is as it was declared', (kind, declared) => {
    expect(declaredBy(kind, declared)).toEqual({ name: 'thing', ...declared })
  })

  test('is declared by its own kind only', () => {
    const names = ['CheckThreshold', 'CheckDeadman'].map((kind) =>
      kindNamed(kind).authored!.declare({ type: 'deadman', name: 'cpu' }, () => undefined, '' as never),
    )
    expect(names).toEqual([undefined, { name: 'cpu' }])
  })
})
