// A state, shown in the form of InfluxDB's resource API and read back, is the same state. No form makes it throw.
import { describe, expect, test } from 'vitest'
import {
  chartFromView,
  dashboardCells,
  resourceBodies,
  resourceForms,
  resourceStates,
} from '../../../src/influxdb/kinds/kinds.js'
import { familyOf, nameOf, type Identity } from '../../../src/model/address.js'
import { isObject, Secret, type Json, type JsonObject } from '../../../src/model/json.js'
import { fieldChanges } from '../../../src/plan/diff.js'
import { attackSeed, attackShare } from '../../attack/scale.js'
import { claimEqual } from '../../claim.js'
import { corpusRows, corpusText, hasCorpus } from '../../corpus.js'
import { seeded } from '../../package/seeded.js'
import { build, doc, file } from '../read-texts.js'
import { chartKindNames, randomChart } from './dashboard/random-chart.js'
import { sampleCharts } from './dashboard/sample-charts.js'
import { kindNamed, stateOf } from './desired-state.js'

const context = {
  id: '00000000000000a1' as Identity,
  orgID: '00000000000000b1',
  orgName: 'main',
  endpointType: (): string => 'slack',
}
const dashboard = kindNamed('Dashboard')

/** As JSON over HTTP. */
function sent(form: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(form)) as JsonObject
}

function readBack(family: string, state: JsonObject): JsonObject {
  const { state: read } = resourceStates[family]!(sent(resourceForms[family]!(state, context)))
  if (family !== 'Dashboard') return read
  return { ...read, charts: dashboardCells(state, context.id).map((cell) => chartFromView(sent({ ...cell }))) }
}

/** An endpoint's own secret is not shown. */
function withoutSecrets(state: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(state).filter(([, value]) => !(value instanceof Secret)))
}

describe.skipIf(!hasCorpus)('everything of the corpus', () => {
  test.each(corpusRows('yaml', 'json').map(({ path }) => path))('%s is read back as it is', (path) => {
    const { resources } = build([file(path, corpusText({ path }))]).value
    for (const { address, kind, spec } of resources) {
      const family = familyOf(address)
      if (resourceStates[family] === undefined) continue
      const state = kind.encode(spec, ({ to }) => nameOf(to))
      const complete = family === 'Bucket' ? { schemaType: 'implicit', ...state } : state
      const { measurementSchemas: _apart, ...shown } = withoutSecrets(kind.normalise(complete))
      expect([address, kind.normalise(readBack(family, state))]).toEqual([address, shown])
    }
  })
})

const seeds = Array.from({ length: attackShare(200) }, (_, at) => attackSeed() + at)

describe.each(chartKindNames)('a chart of kind %s', (kind) => {
  test('is read back from its view, and nothing of the view is left over', () => {
    for (const seed of seeds) {
      const state = stateOf(doc('Dashboard', 'ops', { charts: [randomChart(seeded(seed), kind)] }))
      const read = readBack('Dashboard', state)
      claimEqual(fieldChanges(dashboard.normalise(read), state), [], () => `seed ${seed}`)
      claimEqual((read['charts'] as readonly JsonObject[])[0]!['view'], undefined, () => `seed ${seed}`)
    }
  })

  test('is read from a view that InfluxDB shows without defaults, or with null for lists', () => {
    const state = stateOf(doc('Dashboard', 'ops', { charts: [{ ...sampleCharts[kind]!.chart, kind }] }))
    const [cell] = dashboardCells(state, context.id)
    const nulls = Object.entries(cell!.properties).map(([key, value]) => [key, isEmptyList(value) ? null : value])
    const chart = chartFromView({ ...cell, properties: Object.fromEntries(nulls) as JsonObject })
    expect(dashboard.normalise({ ...state, charts: [chart] })).toEqual(state)
    expect(chart['id']).toBe(cell!.id)
  })

  test('is read from any view without throwing, and shows that view again', () => {
    const random = seeded(attackSeed())
    for (let i = 0; i < attackShare(200); i++) {
      const entries = Object.entries(sampleCharts[kind]!.properties)
      const properties = Object.fromEntries(entries.map(([key, value]) => [key, damaged(value, random)]))
      const chart = chartFromView({ x: 1, properties })
      const [cell] = dashboardCells({ charts: [chart] }, 'd')
      claimEqual(bare(cell!.properties), bare(properties), () => JSON.stringify(properties))
      const normal = dashboard.normalise({ charts: [chart] })
      claimEqual(dashboard.normalise(normal), normal, () => JSON.stringify(properties))
    }
  })
})

const odd: readonly Json[] = [null, 1, true, '', 'x', [], [null], ['a'], [{}], {}, { a: 1 }, 'range', 'map', 'http']

/** Some values replaced by others, at any depth. */
function damaged(value: Json, random: (below: number) => number): Json {
  if (random(12) === 0) return odd[random(odd.length)]!
  if (Array.isArray(value)) return (value as readonly Json[]).map((one) => damaged(one, random))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(() => random(12) > 0)
  return Object.fromEntries(kept.map(([key, one]) => [key, damaged(one, random)]))
}

function isEmptyList(value: Json): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Without defaults. */
function bare(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(bare)
  if (!isObject(value)) return value
  const defaults = ['null', '""', '0', 'false', '[]', '{}']
  const entries = Object.entries(value).map(([key, one]) => [key, bare(one)] as const)
  return Object.fromEntries(entries.filter(([, one]) => !defaults.includes(JSON.stringify(one))))
}

describe('a view that no package can express', () => {
  const cell = { id: '1', x: 1, y: 2, w: 3, h: 4, name: 'n' }
  const placed = { id: '1', name: 'n', xPos: 1, yPos: 2, width: 3, height: 4 }

  test.each([
    ['is empty', { shape: 'empty' }, { kind: '' }],
    ['shows a check', { shape: 'chronograf-v2', type: 'check', checkID: 'c' }, { kind: 'check' }],
    ['has the name of a chart for its type', { type: 'single_stat' }, { kind: '' }],
    ['has no type', { note: 'n' }, { kind: '' }],
  ])('keeps all that is known if it %s', (_which, properties, kind) => {
    const view = 'shape' in properties && properties.shape === 'empty' ? {} : { view: properties }
    expect(chartFromView({ ...cell, properties })).toEqual({ ...placed, ...kind, ...view })
    expect(dashboardCells({ charts: [chartFromView({ ...cell, properties })] }, 'd')[0]!.properties).toEqual(properties)
  })

  test('is kept beside what the package says, and is not compared', () => {
    const { chart, properties } = sampleCharts['scatter']!
    const view = { ...properties, fillColumns: ['host'] }
    const read = chartFromView({ ...cell, properties: view })
    expect(read['view']).toEqual(view)
    const state = stateOf(doc('Dashboard', 'ops', { charts: [{ ...chart, kind: 'scatter' }] }))
    const [normal] = dashboard.normalise({ charts: [{ ...read, ...placeOf(chart) }] })['charts'] as readonly Json[]
    expect([normal]).toEqual(state['charts'])
  })

  test('may be absent', () => {
    expect(chartFromView({})).toEqual({ kind: '', name: '', xPos: 0, yPos: 0, width: 0, height: 0, view: {} })
  })
})

function placeOf({ name, xPos, yPos, width, height }: JsonObject): JsonObject {
  return { name: name!, xPos: xPos!, yPos: yPos!, width: width!, height: height! }
}

test('bounds that the pages of InfluxDB leave empty are none, and odd ones stay', () => {
  const { properties } = sampleCharts['xy']!
  const read = (bounds: Json): Json => {
    const chart = chartFromView({ properties: { ...properties, axes: { x: { bounds } } } })
    return (chart['axes'] as readonly JsonObject[]).find(({ name }) => name === 'x')!['domain']!
  }
  expect(
    [
      ['', ''],
      ['', '10'],
      ['1e2', 'z'],
    ].map(read),
  ).toEqual([[], [10], [100, 'z']])
})

const own = '00000000000000a1'

test.each([
  ['http', 'token', `secret: ${own}-token`, undefined, ['token']],
  ['http', 'password', `secret: ${own}-password`, undefined, ['password']],
  ['http', 'token', 'of a request', new Secret('of a request', 'new'), []],
  ['slack', 'token', 'secret: KEY', { secretRef: { key: 'KEY' } }, []],
  ['pagerduty', 'routingKey', '', null, []],
  ['slack', 'token', `secret: 00000000000000a2-token`, { secretRef: { key: '00000000000000a2-token' } }, []],
])('an endpoint of type %s whose %s is %j', (type, field, shown, value, ownSecrets) => {
  const found = resourceStates['NotificationEndpoint']!({ id: own, type, [field]: shown })
  expect([found.state[field], found.ownSecrets]).toEqual([value, ownSecrets])
})

test('fields that only the target sets are beside the state, and what no package declares is kept in it', () => {
  const times = { createdAt: 'a', updatedAt: 'b' }
  const runs = { taskID: 't', lastRunStatus: 'failed', lastRunError: 'e', latestCompleted: 'c' }
  const read = (family: string, form: JsonObject): unknown => resourceStates[family]!(form)
  expect(read('Check', { ...times, ...runs })).toMatchObject({ readOnly: { ...times, ...runs } })
  expect(read('Dashboard', { meta: times })).toMatchObject({ readOnly: times })
  const rule = { runbookLink: 'l', sleepUntil: '', limit: 2 }
  expect(read('NotificationRule', rule)).toMatchObject({ state: { runbookLink: 'l', limit: 2 } })
  expect(read('NotificationEndpoint', { type: 'http', headers: { a: 'b' } })).toMatchObject({
    state: { headers: { a: 'b' } },
  })
})

test('the levels and thresholds of the API become those of packages', () => {
  const rules = [null, 'UNKNOWN', '', 'OK'].map((previousLevel) => ({ currentLevel: 'CRIT', previousLevel }))
  const { state } = resourceStates['NotificationRule']!({ statusRules: rules })
  expect((state['statusRules'] as readonly JsonObject[]).map(({ previousLevel }) => previousLevel)).toEqual([
    '',
    '',
    '',
    'OK',
  ])
  const thresholds = [true, false].map((within) => ({ type: 'range', level: 'OK', min: 1, max: 2, within }))
  expect(resourceStates['Check']!({ thresholds }).state['thresholds']).toEqual([
    { type: 'inside_range', level: 'OK', min: 1, max: 2 },
    { type: 'outside_range', level: 'OK', min: 1, max: 2 },
  ])
})

describe('the query of a task', () => {
  test.each([
    ['option task = {name: "a", every: 1h}\nfrom(x)', 'from(x)'],
    ['option task = {name: "a", every: 1h} from(x)', 'from(x)'],
    ['option task = { name: "}", f: {a: {}}, s: "${ {a: "}"} }" }\nx = 1', 'x = 1'],
    ['// option task = {a: 1}\noption task = {name: "a"} // why\nx = 1', '// option task = {a: 1}\n// why\nx = 1'],
    ['s = "option task = {}"\noption task = {name: "a"}\nx = s', 's = "option task = {}"\nx = s'],
    [
      'f = () => { option task = {name: "b"} return 1 }\noption task = {name: "a"}\n',
      'f = () => { option task = {name: "b"} return 1 }',
    ],
    ['import "a"\n\noption task = {name: "a"}\n\nx = 1', 'import "a"\nx = 1'],
    ['import "a"\n\noption task = {name: "a"}\n\n\nx = 1', 'import "a"\n\nx = 1'],
    ['import "a" option task = {name: "a"} x = 1', 'import "a"\nx = 1'],
    ['x = 1\noption task = {name: "a", // }\n every: 1h}\ny = 2', 'x = 1\ny = 2'],
    ['option task = base\nx = 1', 'option task = base\nx = 1'],
    ['option task = {name: "a"', 'option task = {name: "a"'],
    ['x = 1\n', 'x = 1'],
    ['', ''],
  ])('of %j is %j', (flux, query) => {
    expect(resourceStates['Task']!({ flux }).state['query']).toBe(query)
  })
})

test('a form may be anything', () => {
  const random = seeded(attackSeed())
  const fields =
    'id name description retentionRules schemaType properties arguments selected type every cron offset flux query tags thresholds level timeSince url clientURL token routingKey username method statusRules tagRules config metadata meta'.split(
      ' ',
    )
  for (const [family, read] of Object.entries(resourceStates))
    for (let i = 0; i < attackShare(500); i++) {
      const form = Object.fromEntries(fields.filter(() => random(2)).map((key) => [key, odd[random(odd.length)]!]))
      const { state } = read(form)
      const kind = kindNamed(
        family === 'Check' ? 'CheckDeadman' : family === 'NotificationEndpoint' ? 'NotificationEndpointHTTP' : family,
      )
      claimEqual(kind.normalise(kind.normalise(state)), kind.normalise(state), () => JSON.stringify(form))
      resourceBodies[family]!(state, { orgID: 'o' })
    }
})

describe('the body of a request', () => {
  const body = (family: string, state: JsonObject, more = {}): JsonObject =>
    resourceBodies[family]!(state, { orgID: 'o', ...more })

  test('of a bucket names 0 seconds for forever, and the duration of its shards', () => {
    const rule = { type: 'expire', everySeconds: 0, shardGroupDurationSeconds: 604_800 }
    expect(body('Bucket', { name: 'a', description: '', retentionRules: [] })).toEqual({
      orgID: 'o',
      name: 'a',
      description: '',
      retentionRules: [rule],
    })
    const own = { type: 'expire', everySeconds: 7_200, shardGroupDurationSeconds: 7_200 }
    expect(body('Bucket', { retentionRules: [own] })['retentionRules']).toEqual([own])
  })

  test('of a label has empty properties', () => {
    expect(body('Label', { name: 'a' })).toEqual({ orgID: 'o', name: 'a', properties: { color: '', description: '' } })
  })

  test('of an endpoint has the value of a given secret, and the key of any other', () => {
    const state = {
      type: 'http',
      username: { secretRef: { key: 'KEY' } },
      password: new Secret('open sesame', 'f'),
      routingKey: null,
    }
    expect(body('NotificationEndpoint', state, { id: own })).toMatchObject({
      username: 'secret: KEY',
      password: 'open sesame',
      token: `secret: ${own}-token`,
    })
    expect(body('NotificationEndpoint', { type: 'slack', token: null })).toMatchObject({ token: '' })
  })

  test('of a rule has the type of its endpoint', () => {
    const state = { channel: '#a', messageTemplate: 'm', statusRules: [{ currentLevel: 'OK', previousLevel: '' }] }
    expect(body('NotificationRule', state, { endpointType: 'slack' })).toMatchObject({
      type: 'slack',
      channel: '#a',
      statusRules: [{ currentLevel: 'OK', previousLevel: null }],
    })
    expect(body('NotificationRule', state, { endpointType: 'http' })).not.toHaveProperty('channel')
  })

  test('of a task has its name and schedule in the Flux only', () => {
    expect(body('Task', { name: 'a', every: '1h0m0s', query: 'q', status: 'inactive' })).toEqual({
      orgID: 'o',
      description: '',
      status: 'inactive',
      flux: 'option task = {name: "a", every: 1h0m0s}\n\nq',
    })
  })
})
