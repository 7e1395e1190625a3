// Places in JSON: walking to all leaves, and replacing some of them. Without recursion: states come from outside.
import { isObject, newMap, Secret, Unknown, type Json, type JsonObject } from './json.js'

/** The keys on the way to a value. */
export type JsonKeys = readonly (string | number)[]

export interface JsonPlace {
  readonly keys: JsonKeys
  /** undefined: the place is empty. */
  readonly value: Json | undefined
}

/** Every value that is neither a list nor a map, in its order. `withEmpty`: also empty lists and maps. */
export function* leavesOf(
  root: Json,
  { withEmpty = false }: { readonly withEmpty?: boolean } = {},
): Generator<{ readonly keys: JsonKeys; readonly value: Json }> {
  const left: { readonly keys: JsonKeys; readonly value: Json }[] = [{ keys: [], value: root }]
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    const { keys, value } = place
    const inner = isObject(value) ? Object.keys(value) : Array.isArray(value) ? [...value.keys()] : undefined
    if (inner === undefined || (withEmpty && inner.length === 0)) yield place
    else for (const key of inner.reverse()) left.push({ keys: [...keys, key], value: childOf(value, key)! })
  }
}

/**
 * A copy with other values at these places; undefined removes the key, or the entry of a list. Places that are gone are
 * skipped. Those of one list are in its order.
 */
export function replaceAt(root: JsonObject, places: readonly JsonPlace[]): JsonObject {
  const whole = copied(root)
  const copies = new Set<unknown>([whole])
  // The last first: removing an entry moves those after it.
  for (const { keys, value } of places.toReversed()) {
    const last = keys.at(-1)!
    let at: Container | undefined = whole
    for (const key of keys.slice(0, -1)) at = at && ownCopy(at, key, copies)
    if (at === undefined) continue
    if (value === undefined && Array.isArray(at)) at.splice(Number(last), 1)
    else if (value === undefined) delete at[last]
    else at[last] = value
  }
  return whole
}

export interface Difference {
  readonly keys: JsonKeys
  /** undefined: the key is missing. */
  readonly values: readonly [Json | undefined, Json | undefined]
}

/** Where two values differ: leaves, lists of another length, and keys that one of them lacks. */
export function differingPlaces(a: JsonObject, b: JsonObject): readonly Difference[] {
  const found: Difference[] = []
  const left: Difference[] = [{ keys: [], values: [a, b] }]
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    const { keys, values } = place
    const inner = commonKeys(...values)
    if (inner !== undefined)
      for (const key of inner.reverse())
        left.push({ keys: [...keys, key], values: [childOf(values[0]!, key), childOf(values[1]!, key)] })
    else if (!isSameLeaf(...values)) found.push(place)
  }
  return found
}

function isSameLeaf(a: Json | undefined, b: Json | undefined): boolean {
  // Without a key, as in a check of files, all secrets have one fingerprint.
  if (a instanceof Secret) return b instanceof Secret && a.reveal() === b.reveal()
  return a instanceof Unknown ? b instanceof Unknown && a.to === b.to && a.output === b.output : a === b
}

/** undefined: the values are compared as wholes. */
function commonKeys(a: Json | undefined, b: Json | undefined): (string | number)[] | undefined {
  if (isObject(a) && isObject(b)) return [...new Set([...Object.keys(a), ...Object.keys(b)])]
  return Array.isArray(a) && Array.isArray(b) && a.length === b.length ? [...a.keys()] : undefined
}

/** The value of a key or an index; undefined: there is none. */
export function childOf(value: Json, key: string | number): Json | undefined {
  const hasKeys = isObject(value) || Array.isArray(value)
  return hasKeys && Object.hasOwn(value, key) ? (value as Container)[key] : undefined
}

type Container = Record<string | number, Json>

/** The container below, after it was copied once; undefined: there is none. */
function ownCopy(parent: Container, key: string | number, copies: Set<unknown>): Container | undefined {
  const child = childOf(parent, key)
  if (!isObject(child) && !Array.isArray(child)) return undefined
  if (copies.has(child)) return child as Container
  const copy = copied(child)
  copies.add(copy)
  parent[key] = copy as Json
  return copy
}

function copied(value: Json): Container {
  return (Array.isArray(value) ? [...value] : Object.assign(newMap(), value)) as Container
}
