// Lists whose order has no effect, because their entries name their own positions (`KindComparison.anyOrder`).
import { isObject, type Json, type JsonObject } from '../model/json.js'
import { fieldChanges, sameJson } from './diff.js'

/** Longer lists are compared by position. */
const most = 500

/**
 * `desired` with such a list in the order of `actual`, if only the order differs. `actual`: also what was applied,
 * which has the order of the package then.
 */
export function inActualOrder(actual: JsonObject, desired: JsonObject, lists: readonly string[] = []): JsonObject {
  let result = desired
  for (const key of lists) {
    const list = reordered(actual[key], desired[key])
    if (list !== undefined) result = { ...result, [key]: list }
  }
  return result
}

function reordered(actual: Json | undefined, desired: Json | undefined): readonly Json[] | undefined {
  if (!Array.isArray(actual) || !Array.isArray(desired)) return undefined
  if (actual.length !== desired.length || actual.length > most || sameJson(actual, desired)) return undefined
  const left: Json[] = [...desired]
  const found: Json[] = []
  for (const element of actual) {
    const at = left.findIndex((one) => matches(element as Json, one))
    if (at < 0) return undefined
    found.push(...left.splice(at, 1))
  }
  return found
}

function matches(actual: Json, desired: Json): boolean {
  return isObject(actual) && isObject(desired) ? fieldChanges(actual, desired).length === 0 : sameJson(actual, desired)
}
