// The queries of a chart (packages 1.8).
import type { JsonObject } from '../../model/json.js'
import type { Fields } from './fields.js'

/** Where a chart stands: its dashboard's metaName, and its place among the charts. */
export interface ChartPlace {
  readonly metaName: string
  readonly index: number
}

/** `{query}` of each; entries with an empty query are dropped. */
export function readQueries(chart: Fields, _at: ChartPlace): readonly JsonObject[] {
  const queries = chart.each('queries').map((entry) => ({ ...entry.whole(), query: entry.text('query') ?? '' }))
  return queries.filter(({ query }) => query !== '')
}
