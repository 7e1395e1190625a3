// The thresholds of a check, in declared order: `{type, level, allValues, value}`, or `{…, min, max}` for a range.
import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import { quoted } from '../../../lib/text/printable.js'
import type { Fields } from '../fields/fields.js'
import { mappedText, exportedFields } from '../state.js'
import { readLevel, upper } from '../fields/level.js'

const types = ['greater', 'lesser', 'inside_range', 'outside_range']

/** At least one. Errors have the index at the field, without the list: `spec.type[0]`. */
export function readThresholds(spec: Fields): readonly JsonObject[] {
  const thresholds = spec.each('thresholds').map(readThreshold)
  if (thresholds.length === 0) spec.error('thresholds', 'required', 'there are no thresholds', 'Write at least one.')
  return thresholds
}

/** The canonical form; a value that is not a list of thresholds stays. */
export function normaliseThresholds(thresholds: Json): Json {
  if (!Array.isArray(thresholds)) return thresholds
  return (thresholds as readonly Json[]).map((one) => {
    if (!isObject(one)) return one
    return {
      ...one,
      ...mappedText(one, 'level', upper),
      ...mappedText(one, 'type', (type) => type.trim().toLowerCase()),
    }
  })
}

/** The thresholds as an export declares them. */
export function exportedThresholds(thresholds: Json | undefined): readonly JsonObject[] {
  return Array.isArray(thresholds) ? (thresholds as readonly Json[]).filter(isObject).map(exportedFields) : []
}

/** The InfluxDB API's form of thresholds: both kinds of range have one type there. */
export function thresholdDocuments(thresholds: Json | undefined): readonly JsonObject[] {
  const list = Array.isArray(thresholds) ? (thresholds as readonly Json[]).filter(isObject) : []
  return list.map((one) =>
    isRange(one['type']) ? { ...one, type: 'range', within: one['type'] === 'inside_range' } : one,
  )
}

/** The thresholds of such a form; a value that is not a list of maps stays. */
export function thresholdsOfForm(thresholds: Json | undefined): Json {
  if (!Array.isArray(thresholds)) return thresholds ?? []
  return (thresholds as readonly Json[]).map((one) => {
    if (!isObject(one) || one['type'] !== 'range') return one
    const { within, ...range } = one
    return { ...range, type: within === true ? 'inside_range' : 'outside_range' }
  })
}

function readThreshold(threshold: Fields, at: number): JsonObject {
  const level = readLevel(threshold, 'level', `/spec/level/${at}`)
  const type = threshold.word('type') ?? ''
  const what = type === '' ? 'the threshold has no type' : `there is no threshold of type ${quoted(type)}`
  if (!types.includes(type))
    threshold.errorShown(`/spec/type/${at}`, 'type', 'not-allowed', what, `One of ${types.join(', ')}.`)
  const [value, min, max] = ['value', 'min', 'max'].map((key) => threshold.number(key) ?? 0) as [number, number, number]
  if (min > max)
    threshold.errorShown(`/spec/min/${at}`, 'min', 'not-allowed', `min is ${min}, which is above max, ${max}`)
  const allValues = threshold.boolean('allValues') ?? false
  threshold.warnUnknown()
  return { type, level, allValues, ...(isRange(type) ? { min, max } : { value }) }
}

function isRange(type: Json | undefined): boolean {
  return type === 'inside_range' || type === 'outside_range'
}
