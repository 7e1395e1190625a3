// Reads states, which a target may return in any shape: nothing here throws, and unknown values stay.
import { type JsonObject, isObject, type Json } from '../../model/json.js'
import { compareText } from '../../lib/text/compare-text.js'

/** The field trimmed, if it is a text; else nothing. */
export function trimmedText(state: JsonObject, key: string): JsonObject {
  return mappedText(state, key, (text) => text.trim())
}

/** The field mapped, if it is a text; else nothing. */
export function mappedText(state: JsonObject, key: string, spell: (text: string) => string): JsonObject {
  const value = state[key]
  return typeof value === 'string' ? { [key]: spell(value) } : {}
}

/** The display name. */
export function stateName({ name }: JsonObject): string | undefined {
  return typeof name === 'string' ? name : undefined
}

/** A list whose order has no effect, sorted by these fields; a value that is not a list of maps stays. */
export function sortedBy(list: Json | undefined, fields: readonly string[]): Json | undefined {
  if (!Array.isArray(list) || !(list as readonly Json[]).every(isObject)) return list
  const rank = (entry: Json): readonly string[] => fields.map((field) => textAt(entry, field))
  return (list as readonly Json[]).toSorted((a, b) => compare(rank(a), rank(b)))
}

function textAt(entry: Json, field: string): string {
  const value = isObject(entry) ? entry[field] : undefined
  return typeof value === 'string' ? value : ''
}

function compare(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((text, i) => text !== b[i])
  if (at < 0) return 0
  return compareText(a[at]!, b[at]!)
}

/** The fields that an export declares: those that are neither absent nor empty. */
export function exportedFields(fields: { readonly [key: string]: Json | undefined }): JsonObject {
  const kept = Object.entries(fields).filter(
    (field): field is [string, Json] => field[1] !== undefined && !isEmpty(field[1]),
  )
  return Object.fromEntries(kept)
}

function isEmpty(value: Json): boolean {
  return value === '' || value === false || value === null || (Array.isArray(value) && value.length === 0)
}
