// The differences of two states for people: entries of lists are matched by their names, so an inserted chart is one
// new entry, not a change of every later chart.
import { keyPath } from '../lib/text/field-path.js'
import { entryName, type ListEntry, type NamedFieldChange } from '../model/resources/change.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import { sameJson } from './diff.js'

/** A place in a state: its path, and the named list entries that contain it. */
type Place = Required<Pick<NamedFieldChange, 'path' | 'entries'>>

/**
 * The differences of two normalized states. `anyOrder`: lists whose order has no effect (`KindComparison`). undefined:
 * no difference is in a named entry, so `fieldChanges` says the same. `withRemoved`: also the fields that only `actual`
 * has.
 */
export function namedChanges(
  actual: JsonObject,
  desired: JsonObject,
  anyOrder: readonly string[] = [],
  { withRemoved = false }: { readonly withRemoved?: boolean } = {},
): readonly NamedFieldChange[] | undefined {
  const found: NamedFieldChange[] = []
  compareObjects(actual, desired, { path: '', entries: [] }, { anyOrder, withRemoved, found })
  return found.some(({ entries }) => entries !== undefined) ? found : undefined
}

interface Comparing {
  readonly anyOrder: readonly string[]
  readonly withRemoved: boolean
  readonly found: NamedFieldChange[]
}

function compareObjects(actual: JsonObject, desired: JsonObject, { path, entries }: Place, comparing: Comparing): void {
  for (const key of Object.keys(desired)) {
    const there = Object.hasOwn(actual, key) ? actual[key] : undefined
    compare(there, desired[key], { path: keyPath(path, key), entries }, comparing)
  }
  const removed = comparing.withRemoved ? Object.keys(actual).filter((key) => !Object.hasOwn(desired, key)) : []
  for (const key of removed) compare(actual[key], undefined, { path: keyPath(path, key), entries }, comparing)
}

function compare(actual: Json | undefined, desired: Json | undefined, place: Place, comparing: Comparing): void {
  if (sameJson(actual, desired)) return
  if (isObject(actual) && isObject(desired)) return compareObjects(actual, desired, place, comparing)
  if (Array.isArray(actual) && Array.isArray(desired)) return compareLists(actual, desired, place, comparing)
  comparing.found.push({
    path: place.path,
    ...(actual === undefined ? {} : { old: actual }),
    ...(desired === undefined ? {} : { new: desired }),
    ...(place.entries.length === 0 ? {} : { entries: place.entries }),
  })
}

/** Paths have the positions in `desired`; those of removed entries the positions in `actual`. */
function compareLists(actual: readonly Json[], desired: readonly Json[], place: Place, comparing: Comparing): void {
  const matches = matchByName(actual, desired, comparing.anyOrder.includes(place.path)) ?? [...desired.keys()]
  const kept = new Set(matches)
  for (const [at, one] of desired.entries()) {
    const from = matches[at]
    const there = from === undefined ? undefined : actual[from]
    compare(there, one, placeOf(there ?? one, at, place), comparing)
  }
  for (const [at, one] of actual.entries())
    if (!kept.has(at)) compare(one, undefined, placeOf(one, at, place), comparing)
}

function placeOf(entry: Json, at: number, { path, entries }: Place): Place {
  const name = entryName(entry)
  const below = `${path}[${at}]`
  const own: readonly ListEntry[] = name === undefined ? [] : [{ path: below, name }]
  return { path: below, entries: [...entries, ...own] }
}

/**
 * For each desired entry the position of the actual entry with the same name; undefined: it is new. A renamed entry
 * keeps its position. undefined: names do not identify the entries, or their order changed and has an effect.
 */
function matchByName(
  actual: readonly Json[],
  desired: readonly Json[],
  isAnyOrder: boolean,
): readonly (number | undefined)[] | undefined {
  const [before, after] = [positions(actual), positions(desired)]
  if (before === undefined || after === undefined) return undefined
  const byName = [...after.keys()].map((name) => before.get(name))
  const taken = new Set(byName)
  const matches = byName.map((to, at) => to ?? (at < actual.length && !taken.has(at) ? at : undefined))
  const order = matches.filter((to) => to !== undefined)
  return isAnyOrder ||
    sameJson(
      order,
      order.toSorted((a, b) => a - b),
    )
    ? matches
    : undefined
}

/** Positions by name, in order; undefined: some entry has no name, or two have the same. */
function positions(list: readonly Json[]): ReadonlyMap<string, number> | undefined {
  const found = new Map<string, number>()
  for (const [at, entry] of list.entries()) {
    const name = entryName(entry)
    if (name === undefined || found.has(name)) return undefined
    found.set(name, at)
  }
  return found
}
