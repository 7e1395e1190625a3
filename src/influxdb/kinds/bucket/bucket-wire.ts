import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import { largest } from '../fields/number-limits.js'
import type { Wire } from '../wire.js'

/** The InfluxDB API's form of a bucket. `measurementSchemas` is absent when the bucket has none. */
export const bucketWire: Wire = {
  diff: (state) => ({ ...named(state), retentionRules: wireRules(state).map(decodable), ...wireSchemas(state) }),
  summary: (state, { id, orgID }) => ({
    id,
    orgID,
    ...named(state),
    retentionPeriod: retentionNanoseconds(state),
    ...wireSchemas(state),
  }),
}

function named({ name, description }: JsonObject): JsonObject {
  return { name: name ?? '', description: description ?? '' }
}

function wireRules({ retentionRules }: JsonObject): readonly Json[] {
  return Array.isArray(retentionRules) ? (retentionRules as readonly Json[]) : []
}

/** A bucket made by an older version may have more seconds than a client decodes. */
function decodable(rule: Json): Json {
  if (!isObject(rule) || typeof rule['everySeconds'] !== 'number') return rule
  return { ...rule, everySeconds: Math.min(rule['everySeconds'], largest.seconds) }
}

/** 0: forever. Seconds times 10^9 stay exact in a float, and are written without an exponent. */
function retentionNanoseconds(state: JsonObject): number {
  const [first] = wireRules(state).map(decodable)
  const seconds = isObject(first) ? first['everySeconds'] : undefined
  return typeof seconds === 'number' ? seconds * 1_000_000_000 : 0
}

function wireSchemas({ schemaType, measurementSchemas }: JsonObject): JsonObject {
  return {
    ...(schemaType === undefined ? {} : { schemaType }),
    ...(measurementSchemas === undefined ? {} : { measurementSchemas }),
  }
}
