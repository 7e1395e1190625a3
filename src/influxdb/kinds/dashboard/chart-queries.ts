// The queries of a chart.
import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import type { Fields } from '../fields/fields.js'
import { fillQuery } from '../flux/fill-query.js'
import type { FluxPort } from '../flux/flux.js'
import { mappedText } from '../state.js'

/** The place of a chart: its dashboard's metaName and its index; and the parser for its queries. */
export interface ChartContext {
  readonly metaName: string
  readonly index: number
  readonly flux: FluxPort
}

/** `{query}` of each entry, with its parameters filled in. Entries with an empty query are dropped. */
export function readQueries(chart: Fields, { metaName, flux }: ChartContext): readonly JsonObject[] {
  const owner = `dashboards[${metaName}]`
  return chart.each('queries').flatMap((entry) => {
    const query = entry.text('query') ?? ''
    return query === '' ? [] : [{ query: fillQuery(query, { fields: entry, owner }, flux) }]
  })
}

/** The chart with canonical queries: the same object if they are canonical already. */
export function withQueries(chart: Json, spell: (query: string) => string): Json {
  if (!isObject(chart) || !Array.isArray(chart['queries'])) return chart
  const queries = chart['queries'] as readonly Json[]
  const isSpelt = queries.every(
    (one) => !isObject(one) || typeof one['query'] !== 'string' || spell(one['query']) === one['query'],
  )
  if (isSpelt) return chart
  return {
    ...chart,
    queries: queries.map((one) => (isObject(one) ? { ...one, ...mappedText(one, 'query', spell) } : one)),
  }
}
