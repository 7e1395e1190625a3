// Data that an update of a bucket loses: by a shorter retention, or by a smaller schema.
import type { Loss } from '../../../model/resources/change.js'
import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import { quoted } from '../../../lib/text/printable.js'
import { formatDuration } from '../fields/duration.js'
import { stateName } from '../state.js'

const columnsNamed = 5

/** Compares two normalized states. Fields that the package does not set are not managed, so they lose nothing. */
export function bucketLosses(actual: JsonObject, desired: JsonObject): readonly Loss[] {
  return [...retentionLosses(actual, desired), ...schemaTypeLosses(actual, desired), ...schemaLosses(actual, desired)]
}

function retentionLosses(actual: JsonObject, { retentionRules }: JsonObject): readonly Loss[] {
  if (retentionRules === undefined) return []
  const before = retentionSeconds(actual['retentionRules'], Infinity)
  const after = retentionSeconds(retentionRules, 0)
  if (after >= before) return []
  const path = before === Infinity ? 'retentionRules[0]' : 'retentionRules[0].everySeconds'
  return [{ path, message: `points older than ${inWords(after)} are deleted (until now: kept ${keptInWords(before)})` }]
}

/** Infinite without a rule. `unknown`: the result if the number is unknown. */
function retentionSeconds(rules: Json | undefined, unknown: number): number {
  const [first] = Array.isArray(rules) ? (rules as readonly Json[]) : []
  if (first === undefined) return Array.isArray(rules) || rules === undefined ? Infinity : unknown
  const seconds = isObject(first) ? first['everySeconds'] : undefined
  return typeof seconds === 'number' ? seconds : unknown
}

/** Whole days, if it is more than one: `30d`. */
function inWords(seconds: number): string {
  if (seconds > secondsOfDay && seconds % secondsOfDay === 0) return `${seconds / secondsOfDay}d`
  return Number.isSafeInteger(seconds) && seconds > 0 ? formatDuration(BigInt(seconds) * 1_000_000_000n) : `${seconds}s`
}

const secondsOfDay = 86_400

function keptInWords(seconds: number): string {
  return seconds === Infinity ? 'forever' : inWords(seconds)
}

function schemaTypeLosses(actual: JsonObject, desired: JsonObject): readonly Loss[] {
  if (desired['schemaType'] !== 'explicit' || actual['schemaType'] === 'explicit') return []
  return [{ path: 'schemaType', message: 'points outside the explicit schema are refused' }]
}

function schemaLosses(actual: JsonObject, desired: JsonObject): readonly Loss[] {
  if (desired['measurementSchemas'] === undefined) return []
  const kept = new Map(mapEntries(desired['measurementSchemas']).map((schema) => [stateName(schema), schema]))
  return mapEntries(actual['measurementSchemas']).flatMap((schema, at) => {
    const path = `measurementSchemas[${at}]`
    const name = quoted(stateName(schema) ?? '')
    const now = kept.get(stateName(schema))
    if (now === undefined) return [{ path, message: `the schema of measurement ${name} is removed` }]
    const lost = lostColumns(schema, now)
    if (lost.length === 0) return []
    const more = lost.length > columnsNamed ? ` and ${lost.length - columnsNamed} more` : ''
    const columns = `${lost
      .slice(0, columnsNamed)
      .map((one) => quoted(one))
      .join(', ')}${more}`
    return [{ path: `${path}.columns`, message: `measurement ${name} loses columns, or their type: ${columns}` }]
  })
}

/** Columns that are removed or change their type. */
function lostColumns(actual: JsonObject, desired: JsonObject): readonly string[] {
  const kept = new Map(mapEntries(desired['columns']).map((column) => [stateName(column), column]))
  return mapEntries(actual['columns']).flatMap((column) => {
    const now = kept.get(stateName(column))
    const isKept = now !== undefined && now['type'] === column['type'] && now['dataType'] === column['dataType']
    return isKept ? [] : [stateName(column) ?? '']
  })
}

function mapEntries(list: Json | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? (list as readonly Json[]).filter(isObject) : []
}
