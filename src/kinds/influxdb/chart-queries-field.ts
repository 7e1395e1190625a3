// The queries of a chart, converted between package, state and view.
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import { listed, type ChartField } from './chart-field.js'
import { readQueries } from './chart-queries.js'
import { setsOption } from './flux-words.js'
import { queryDocument } from './wire.js'

/** State: `[{query}]`. The dashboard compares them in canonical form. */
export function queries(): ChartField {
  return {
    read: (chart, _key, at) => readQueries(chart, at),
    normalise: (value) => value ?? [],
    view: (value, key) => ({ [key]: listed(value).map(viewQuery) }),
  }
}

function viewQuery(one: Json): JsonObject {
  const query = isObject(one) ? one['query'] : undefined
  return queryDocument(typeof query === 'string' ? shown(query) : '', 'advanced')
}

/** Trimmed, unless the query was printed to fill in its parameters: printed text is not changed. */
function shown(query: string): string {
  return setsOption(query, 'params') ? query : query.trim()
}
