// The values that a variable may take: texts of a constant, pairs of a map.
import { compareText } from '../../../lib/text/compare-text.js'
import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import { pointerTo } from '../../../lib/text/json-pointer.js'
import { asText } from '../../../model/scalar.js'
import type { Fields } from '../fields/fields.js'

/** One entry of a map. The state has a list of pairs, because objects are merged with unmanaged fields. */
export type KeyValue = { readonly key: string; readonly value: string }

/** The values that a type needs; none if it needs none. A value that is not a text reads as absent. */
export function readValues(spec: Fields, type: string): readonly string[] | readonly KeyValue[] {
  if (type === 'constant') return atLeastOne(spec, readTexts(spec), 'a constant needs a list of values')
  if (type === 'map') return atLeastOne(spec, readPairs(spec), 'a map needs a map of values')
  spec.raw('values')
  return []
}

/** Pairs sorted by key; other values stay in place. */
export function sortedValues(values: readonly Json[]): readonly Json[] {
  return values.every(isPair) ? values.toSorted((a, b) => compareText(a.key, b.key)) : values
}

/** The map that the pairs represent. */
export function pairsToMap(values: Json | undefined): JsonObject {
  const pairs = Array.isArray(values) ? (values as readonly Json[]).filter(isPair) : []
  return Object.fromEntries(pairs.map(({ key, value }) => [key, value]))
}

/** The values of a variable in the InfluxDB API: a list, a map, or a query with its language. */
export function wireValues({ type, values, query, language }: JsonObject): Json {
  if (type === 'query') return { query: query ?? '', language: language ?? '' }
  return type === 'map' ? pairsToMap(values) : (values ?? [])
}

/** The fields of a state whose `wireValues` these are. A value of the wrong type stays. */
export function valuesOfForm(type: Json, values: Json): JsonObject {
  const none = { values: [], query: '', language: '' }
  if (type === 'query' && isObject(values))
    return { ...none, query: values['query'] ?? '', language: values['language'] ?? '' }
  if (type !== 'map' || !isObject(values)) return { ...none, values }
  return { ...none, values: Object.entries(values).map(([key, value]) => ({ key, value })) }
}

function atLeastOne<T>(spec: Fields, values: readonly T[], message: string): readonly T[] {
  if (values.length === 0) spec.error('values', 'required', message, 'Write at least one.')
  return values
}

function readTexts(spec: Fields): readonly string[] {
  const values = spec.raw('values')
  if (!Array.isArray(values)) return []
  return (values as readonly Json[]).flatMap((value, at) => readText(spec, value, at))
}

function readPairs(spec: Fields): readonly KeyValue[] {
  const values = spec.raw('values')
  if (!isObject(values)) return []
  const pairs = Object.entries(values).flatMap(([key, value]) =>
    readText(spec, value, key).map((text) => ({ key, value: text })),
  )
  return sortedValues(pairs) as readonly KeyValue[]
}

function readText(spec: Fields, value: Json, at: string | number): readonly string[] {
  const text = asText(value)
  if (text !== undefined) return [text]
  const pointer = pointerTo(pointerTo(spec.pointer, 'values'), at)
  spec.report.warning(pointer, {
    code: 'kinds/wrong-type',
    message: 'the value is not a text and is ignored',
    hint: 'Write a text, or remove the value.',
  })
  return []
}

function isPair(value: Json): value is KeyValue {
  return isObject(value) && typeof value['key'] === 'string' && typeof value['value'] === 'string'
}
