// Which variables the queries of a resource name. The text is searched, not parsed: names in comments count, too.
import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import type { NamedResource } from '../../../model/resources/kind.js'

/** Variables that a dashboard sets itself. */
const given: ReadonlySet<string> = new Set(['timeRangeStart', 'timeRangeStop', 'windowPeriod'])

const spoken = /\bv\.([A-Za-z_]\w*)|\bv\["([^"\\]+)"\]/g

/** The names of variables in the queries of a state, each once, in the order of first use. */
export function variablesUsed(state: Json): readonly string[] {
  const names = queriesIn(state).flatMap((query) =>
    [...query.matchAll(spoken)].map(([, plain, inBrackets]) => plain ?? inBrackets!),
  )
  return [...new Set(names)].filter((name) => !given.has(name))
}

/** The same, as resources. */
export function namedVariables(state: JsonObject): readonly NamedResource[] {
  return variablesUsed(state).map((name) => ({ family: 'Variable', name }))
}

/** Every text in a field `query`, at any depth. */
function queriesIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(queriesIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'query' && typeof inner === 'string' ? [inner] : queriesIn(inner),
  )
}
