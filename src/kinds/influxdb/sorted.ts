import { compareText } from '../../model/compare-text.js'
import { isObject, type Json } from '../../model/json.js'

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
