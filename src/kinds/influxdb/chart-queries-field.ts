// The queries of a chart in their other forms (packages 1.8).
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import { listed, type ChartField } from './chart-field.js'
import { readQueries } from './chart-queries.js'
import { trimmedText } from './held.js'

/** What the target's query builder knows of a query that was written by hand. */
const builderConfig = { buckets: [], tags: [], functions: [], aggregateWindow: { period: '', fillValues: false } }

/** Held: `[{query}]`. The blanks around a query are neither compared nor shown. */
export function queries(): ChartField {
  return {
    read: (chart, _key, at) => readQueries(chart, at),
    normalise: (value) => (Array.isArray(value) ? value.map(trimmed) : (value ?? [])),
    view: (value, key) => ({ [key]: listed(value).map(viewQuery) }),
  }
}

function trimmed(one: Json): Json {
  return isObject(one) ? { ...one, ...trimmedText(one, 'query') } : one
}

function viewQuery(one: Json): JsonObject {
  const query = isObject(one) ? one['query'] : undefined
  return { text: typeof query === 'string' ? query.trim() : '', editMode: 'advanced', name: '', builderConfig }
}
