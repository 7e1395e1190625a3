// The forms of a chart: in a package, as state, and as an export declares it.
import { describe, expect, test } from 'vitest'
import type { Identity } from '../../../../src/model/address.js'
import { isObject, type Json, type JsonObject } from '../../../../src/model/json.js'
import type { Document } from '../../../../src/model/resources/document.js'
import { readPackage } from '../../../../src/package/package.js'
import { fieldChanges } from '../../../../src/plan/diff.js'
import { attackSeed, attackShare } from '../../../attack/scale.js'
import { claim, claimEqual } from '../../../claim.js'
import { doc, file } from '../../read-texts.js'
import { seeded } from '../../../package/seeded.js'
import { kindNamed, wireOf } from '../desired-state.js'
import { chartKindNames, fieldsOf, randomChart, type Dice } from './random-chart.js'
import { sampleCharts } from './sample-charts.js'

const dashboard = kindNamed('Dashboard')

function documentOf(spec: object): Document {
  const text = doc('Dashboard', 'ops', spec)
  return readPackage([file('a.json', text)]).value[0]!
}

function stateOf(spec: object): JsonObject {
  const { value, problems } = dashboard.decode(documentOf(spec))
  claimEqual(problems, [], () => JSON.stringify(spec))
  return dashboard.encode(value, () => null)
}

function normalOf(spec: object): JsonObject {
  return dashboard.normalise(stateOf(spec))
}

function chartOf(chart: object): JsonObject {
  return (normalOf({ charts: [chart] })['charts'] as readonly JsonObject[])[0]!
}

function declared(state: JsonObject): JsonObject {
  return dashboard.authored!.declare(state, () => undefined, '0000000000000001' as Identity)!
}

function propertiesOf(chart: object): JsonObject {
  const { diff } = wireOf('Dashboard', normalOf({ charts: [chart] }))
  return (diff as { charts: readonly { properties: JsonObject }[] }).charts[0]!.properties
}

const seeds = seedsOf(200)

/** Seeds of so many random charts in full: a share of them in `npm test`. */
function seedsOf(count: number): readonly number[] {
  return Array.from({ length: attackShare(count) }, (_, at) => attackSeed() + at)
}

describe.each(chartKindNames)('a chart of kind %s', (kind) => {
  test('has the fields of the table, no more', () => {
    expect(Object.keys(chartOf(randomChart(seeded(1), kind))).toSorted()).toEqual(
      [...fieldsOf(kind), 'kind'].toSorted(),
    )
  })

  test('shows as InfluxDB shows it, with every field', () => {
    const { chart, properties } = sampleCharts[kind]!
    expect(fieldsOf(kind).filter((field) => !(field in chart))).toEqual([])
    expect(propertiesOf({ ...chart, kind })).toEqual(properties)
  })

  test('has the same state after an export is read again', () => {
    for (const seed of seeds) {
      const state = normalOf({ charts: [randomChart(seeded(seed), kind)] })
      const again = normalOf(declared(state))
      claimEqual(again, state, () => `seed ${seed}`)
      claimEqual(declared(again), declared(state), () => `seed ${seed}`)
    }
  })

  test('compares equal when it is read back, and is normal once it is', () => {
    for (const seed of seeds) {
      const state = stateOf({ charts: [randomChart(seeded(seed), kind)] })
      const normal = dashboard.normalise(state)
      const read = dashboard.normalise(JSON.parse(JSON.stringify(state)) as JsonObject)
      claimEqual(dashboard.normalise(normal), normal, () => `seed ${seed}`)
      claimEqual(fieldChanges(read, normal), [], () => `seed ${seed}`)
    }
  })

  test('gets its defaults for fields that its state lacks', () => {
    const full = normalOf({ charts: [{ ...leastOf(kind) }] })
    const [chart] = full['charts'] as readonly JsonObject[]
    const given = Object.entries(chart!).filter(([key]) => key === 'kind' || key in leastOf(kind))
    expect(dashboard.normalise({ ...full, charts: [Object.fromEntries(given)] })).toEqual(full)
  })
})

function leastOf(kind: string): JsonObject {
  const full = randomChart(seeded(7), kind)
  const kept = Object.entries(full).filter(([key]) => ['width', 'height', 'axes', 'geom', 'colors'].includes(key))
  return { ...Object.fromEntries(kept), kind }
}

describe('of a chart', () => {
  const base = { kind: 'single_stat', width: 1, height: 1 }
  const xy = { kind: 'xy', width: 1, height: 1, geom: 'line' }

  test('decimals are enforced where they are declared, 0 too, and are free where not', () => {
    expect(
      [{ decimalPlaces: 0 }, { decimalPlaces: 2 }, {}].map(
        (more) => propertiesOf({ ...base, ...more })['decimalPlaces'],
      ),
    ).toEqual([
      { isEnforced: true, digits: 0 },
      { isEnforced: true, digits: 2 },
      { isEnforced: false, digits: 0 },
    ])
    const zero = normalOf({ charts: [{ ...base, decimalPlaces: 0 }] })
    expect(fieldChanges(zero, normalOf({ charts: [base] }))).toEqual([
      { path: 'charts[0].decimalPlaces', old: 0, new: null },
    ])
    expect(declared(zero)['charts']).toMatchObject([{ decimalPlaces: 0 }])
  })

  test('bounds of axes are kept, in any order of the axes', () => {
    const axes = [{ name: 'y', domain: [0, '1e2'] }, { name: 'x' }]
    expect(propertiesOf({ ...xy, axes })['axes']).toMatchObject({ x: { bounds: [] }, y: { bounds: ['0', '100'] } })
    expect(normalOf({ charts: [{ ...xy, axes }] })).toEqual(normalOf({ charts: [{ ...xy, axes: axes.toReversed() }] }))
  })

  test('the last axis of a name counts where a view has them by name, else the first', () => {
    const axes = ['a', 'b'].flatMap((label) => [
      { name: 'x', label },
      { name: 'y', label },
    ])
    const read = (chart: object): JsonObject =>
      dashboard.encode(dashboard.decode(documentOf({ charts: [chart] })).value, () => null)
    expect(read({ ...xy, axes })).toMatchObject({
      charts: [
        {
          axes: [
            { name: 'x', label: 'b' },
            { name: 'y', label: 'b' },
          ],
        },
      ],
    })
    expect(read({ ...xy, kind: 'scatter', geom: '', axes })).toMatchObject({
      charts: [
        {
          axes: [
            { name: 'x', label: 'a' },
            { name: 'y', label: 'a' },
          ],
        },
      ],
    })
  })

  test('geometries that the target’s own pages write are exported as they are', () => {
    for (const geom of ['stepAfter', 'stepBefore'])
      expect(
        declared(normalOf({ charts: [{ ...xy, geom, axes: [{ name: 'x' }, { name: 'y' }] }] }))['charts'],
      ).toMatchObject([{ geom }])
  })

  test('the text of a query is stored byte for byte, and compared without surrounding blanks', () => {
    const query = '\r\n from(bucket: "raw")\t\n'
    expect(stateOf({ charts: [{ ...base, queries: [{ query }] }] })).toMatchObject({
      charts: [{ queries: [{ query }] }],
    })
    expect(chartOf({ ...base, queries: [{ query }] })['queries']).toEqual([{ query: 'from(bucket: "raw")' }])
    expect(propertiesOf({ ...base, queries: [{ query }] })['queries']).toEqual([
      {
        text: 'from(bucket: "raw")',
        editMode: 'advanced',
        name: '',
        builderConfig: { buckets: [], tags: [], functions: [], aggregateWindow: { period: '', fillValues: false } },
      },
    ])
  })

  test('a view has what no package says, too', () => {
    const axes = [{ name: 'x' }, { name: 'y' }]
    const shown = ['scatter', 'mosaic', 'single_stat_plus_line'].map((kind) =>
      propertiesOf({ kind, width: 1, height: 1, axes }),
    )
    expect(shown).toMatchObject([{ fillColumns: [], symbolColumns: [] }, { fillColumns: [] }, { timeFormat: '' }])
  })

  test('the case of a position says nothing', () => {
    const axes = [{ name: 'x' }, { name: 'y' }]
    expect(chartOf({ ...xy, axes, position: 'Stacked' })).toEqual(chartOf({ ...xy, axes, position: 'stacked' }))
  })
})

describe('an export', () => {
  test('has the charts by x, then y, and those at one place in their order', () => {
    const at = (name: string, xPos: number, yPos: number): object => ({ kind: 'markdown', name, xPos, yPos })
    const { charts } = declared(normalOf({ charts: [at('d', 4, 0), at('c', 0, 9), at('a', 0, 1), at('b', 0, 1)] }))
    expect((charts as readonly JsonObject[]).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('writes what a chart always has, and nothing else that has its default', () => {
    expect(
      declared(
        normalOf({
          charts: [{ kind: 'single_stat_plus_line', width: 1, height: 2, axes: [{ name: 'x' }, { name: 'y' }] }],
        }),
      ),
    ).toEqual({
      name: 'ops',
      charts: [{ kind: 'Single_Stat_Plus_Line', name: '', width: 1, height: 2, axes: [{ name: 'x' }, { name: 'y' }] }],
    })
  })

  test('omits charts that no package can declare', () => {
    expect(declared({ name: 'ops', description: '', charts: [{ kind: 'check' }, null, 7] })).toEqual({ name: 'ops' })
  })
})

describe('any state', () => {
  const odd: readonly Json[] = [
    null,
    0,
    -1,
    'x',
    '',
    true,
    [],
    [null],
    [[]],
    [{}],
    ['x', 3],
    {},
    { name: 1 },
    { x: [] },
    { kind: {} },
  ]

  function spoilt(dice: Dice, value: Json): Json {
    if (dice(8) === 0) return odd[dice(odd.length)]!
    if (Array.isArray(value)) return value.map((one: Json) => spoilt(dice, one))
    if (!isObject(value)) return value
    const entries = Object.entries(value).filter(() => dice(12) > 0)
    return Object.fromEntries(entries.map(([key, one]) => [key, key === 'kind' ? one : spoilt(dice, one)]))
  }

  test('nothing throws, one spelling stays one, and what is exported is JSON', () => {
    for (const seed of seedsOf(600)) {
      const dice = seeded(seed)
      const state = normalOf({ charts: [randomChart(dice), randomChart(dice)] })
      const broken = { ...state, charts: spoilt(dice, state['charts']!) }
      const normal = dashboard.normalise(broken)
      claimEqual(dashboard.normalise(normal), normal, () => `seed ${seed}`)
      const diff = JSON.stringify(wireOf('Dashboard', normal).diff)
      claim(!diff.includes('undefined'), () => `seed ${seed}: ${diff}`)
      const exported = JSON.stringify(declared(normal))
      claim(typeof exported === 'string', () => `seed ${seed}: ${exported}`)
    }
  })
})
