// Charts as InfluxDB shows them.
import { describe, expect, test } from 'vitest'
import { wires } from '../../../../src/influxdb/kinds/kinds.js'
import type { Identity } from '../../../../src/model/address.js'
import type { Document } from '../../../../src/model/resources/document.js'
import { isObject, type Json, type JsonObject } from '../../../../src/model/json.js'
import type { Kind } from '../../../../src/model/resources/kind.js'
import { errorsOf } from '../../../../src/model/problem.js'
import { readPackage } from '../../../../src/package/package.js'
import { inActualOrder } from '../../../../src/plan/any-order.js'
import { corpusSummaries, corpusText, hasCorpus } from '../../../corpus.js'
import { file, kindOf } from '../../read-texts.js'
import { nowhere } from '../desired-state.js'

const dashboardKind = kindOf('Dashboard', 'influxdata.com/v2alpha1') as Kind

const rows = [...corpusSummaries()].flatMap(([path, { dashboards = [] }]) =>
  dashboards.length === 0 ? [] : [[path, dashboards as readonly JsonObject[]] as const],
)

function dashboardsOf(path: string): readonly Document[] {
  return readPackage([file(path, corpusText({ path }))]).value.filter(({ kind }) => kind === 'Dashboard')
}

function stateOf(document: Document): JsonObject {
  const { value, problems } = dashboardKind.decode(document)
  expect(errorsOf(problems)).toEqual([])
  return dashboardKind.normalise(dashboardKind.encode(value, () => null))
}

/** The dashboards of a package by metaName, as a summary has them. */
function summaries(path: string): ReadonlyMap<string, JsonObject> {
  const summary = (document: Document): JsonObject =>
    wires['Dashboard']!.summary(stateOf(document), nowhere, dashboardKind.decode(document).value)
  return new Map(dashboardsOf(path).map((document) => [document.name, summary(document)]))
}

/** Removes what the corpus does not compare: zero values, ids, the query builder, and bounds of axes, which we keep. */
function bare(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((one: Json) => bare(one) ?? null)
  if (!isObject(value)) return value === '' || value === 0 || value === false || value === null ? undefined : value
  const left = ['id', 'orgID', 'builderConfig', 'bounds']
  const entries = Object.entries(value).flatMap(([key, one]) => {
    const shown = left.includes(key) ? undefined : bare(one)
    return shown === undefined ? [] : [[key, shown] as const]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

describe.skipIf(!hasCorpus)('the charts of the corpus', () => {
  test.each(rows)('of %s are the views of InfluxDB', (path, dashboards) => {
    const ours = summaries(path)
    expect(ours.size).toBe(dashboards.length)
    for (const { templateMetaName, name, description, charts } of dashboards) {
      const { charts: views, ...rest } = ours.get(templateMetaName as string)!
      expect(bare(rest)).toEqual(bare({ name: name!, description: description ?? '' }))
      expect(bare(views!)).toEqual(bare(charts!))
    }
  })

  test.each(rows.map(([path]) => path))('of %s have the same state after an export is read again', (path) => {
    for (const document of dashboardsOf(path)) {
      const state = stateOf(document)
      const spec = dashboardKind.authored!.declare(state, () => undefined, '0000000000000001' as Identity)!
      const body = JSON.stringify({
        apiVersion: document.apiVersion,
        kind: 'Dashboard',
        metadata: { name: document.name },
        spec,
      })
      const [again] = readPackage([file('export.json', body)]).value
      expect(inActualOrder(state, stateOf(again!), dashboardKind.comparison?.anyOrder)).toEqual(state)
    }
  })
})
