// Lists whose order has no effect, because their entries name their own positions (`Kind.anyOrder`).
import { isObject, type Json, type JsonObject } from '../model/json.js'
import { fieldChanges, sameJson } from './diff.js'

/** Longer lists are compared by position. */
const most = 500

/** `wanted` with such a list in the order of `live`, if only the order differs. */
export function inActualOrder(actual: JsonObject, desired: JsonObject, lists: readonly string[] = []): JsonObject {
  let result = desired
  for (const key of lists) {
    const list = reordered(actual[key], desired[key])
    if (list !== undefined) result = { ...result, [key]: list }
  }
  return result
}

function reordered(live: Json | undefined, wanted: Json | undefined): readonly Json[] | undefined {
  if (!Array.isArray(live) || !Array.isArray(wanted)) return undefined
  if (live.length !== wanted.length || live.length > most || sameJson(live, wanted)) return undefined
  const left: Json[] = [...wanted]
  const found: Json[] = []
  for (const there of live) {
    const at = left.findIndex((one) => matches(there as Json, one))
    if (at < 0) return undefined
    found.push(...left.splice(at, 1))
  }
  return found
}

function matches(there: Json, wanted: Json): boolean {
  return isObject(there) && isObject(wanted) ? fieldChanges(there, wanted).length === 0 : sameJson(there, wanted)
}
