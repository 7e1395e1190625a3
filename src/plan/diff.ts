// Differences between desired and actual state. Other fields of an object are not managed; lists are compared whole.
import type { FieldChange } from '../model/resources/change.js'
import type { Address } from '../model/address.js'
import { keyPath } from '../lib/text/field-path.js'
import { isObject, Secret, Unknown, type Json, type JsonObject } from '../model/json.js'

/**
 * Equal as JSON. Secrets are compared by fingerprint, also with the text in which they are stored. An Unknown equals
 * only the same Unknown.
 */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((one: Json, i) => sameJson(one, b[i] as Json))
  if (a instanceof Secret) return sameSecret(a, b)
  if (b instanceof Secret) return sameSecret(b, a)
  if (a instanceof Unknown) return b instanceof Unknown && a.to === b.to && a.output === b.output
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
}

function sameSecret(secret: Secret, other: Json | undefined): boolean {
  return other instanceof Secret ? secret.fingerprint === other.fingerprint : other === secret.toJSON()
}

interface Comparison {
  readonly found: FieldChange[]
  readonly withRemoved: boolean
}

/**
 * The differences of two normalized states. `actual` undefined: all of `desired` is new. `withRemoved`: also the fields
 * that only `actual` has.
 */
export function fieldChanges(
  actual: JsonObject | undefined,
  desired: JsonObject,
  { withRemoved = false }: { readonly withRemoved?: boolean } = {},
): readonly FieldChange[] {
  const found: FieldChange[] = []
  compareObjects(actual ?? {}, desired, '', { found, withRemoved })
  return found
}

function compareObjects(actual: JsonObject, desired: JsonObject, path: string, comparison: Comparison): void {
  for (const key of Object.keys(desired))
    compare(Object.hasOwn(actual, key) ? actual[key] : undefined, desired[key] as Json, keyPath(path, key), comparison)
  const removed = comparison.withRemoved ? Object.keys(actual).filter((key) => !Object.hasOwn(desired, key)) : []
  for (const key of removed) comparison.found.push({ path: keyPath(path, key), old: actual[key] as Json })
}

function compare(actual: Json | undefined, desired: Json, path: string, comparison: Comparison): void {
  if (sameJson(actual, desired)) return
  if (isObject(actual) && isObject(desired)) return compareObjects(actual, desired, path, comparison)
  if (Array.isArray(actual) && Array.isArray(desired)) return compareLists(actual, desired, path, comparison)
  comparison.found.push(actual === undefined ? { path, new: desired } : { path, old: actual, new: desired })
}

function compareLists(actual: readonly Json[], desired: readonly Json[], path: string, comparison: Comparison): void {
  const { found } = comparison
  for (let i = 0; i < Math.min(actual.length, desired.length); i++)
    compare(actual[i], desired[i] as Json, `${path}[${i}]`, comparison)
  for (let i = actual.length; i < desired.length; i++) found.push({ path: `${path}[${i}]`, new: desired[i] as Json })
  for (let i = desired.length; i < actual.length; i++) found.push({ path: `${path}[${i}]`, old: actual[i] as Json })
}

/** True if `now` writes only what was planned. A value that was Unknown in the plan may now be any value. */
export function isAsPlanned(planned: readonly FieldChange[], now: readonly FieldChange[]): boolean {
  const values = new Map(planned.map((field) => [field.path, field]))
  const unknownPaths = planned.filter((field) => field.new instanceof Unknown).map(({ path }) => path)
  return now.every((field) => {
    const known = values.get(field.path)
    return known === undefined
      ? unknownPaths.some((path) => isBelow(path, field.path))
      : isResolved(known.new, field.new)
  })
}

/** The resources that give the unknown values of a state, in its order. */
export function unknownSources(state: JsonObject): readonly Address[] {
  const found: Address[] = []
  const left: Json[] = [state]
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (value instanceof Unknown) found.push(value.to)
    else if (Array.isArray(value)) for (const one of value as readonly Json[]) left.push(one)
    else if (isObject(value)) for (const key of Object.keys(value)) left.push(value[key]!)
  }
  return found.reverse()
}

function isBelow(path: string, inner: string): boolean {
  return inner.startsWith(`${path}.`) || inner.startsWith(`${path}[`)
}

/** True if `now` equals `planned`, with any value in place of an Unknown. */
export function isResolved(planned: Json | undefined, now: Json | undefined): boolean {
  if (planned instanceof Unknown) return true
  if (Array.isArray(planned) && Array.isArray(now))
    return planned.length === now.length && planned.every((one: Json, i) => isResolved(one, now[i] as Json))
  if (!isObject(planned) || !isObject(now)) return sameJson(planned, now)
  const keys = Object.keys(planned)
  return (
    keys.length === Object.keys(now).length &&
    keys.every((key) => Object.hasOwn(now, key) && isResolved(planned[key], now[key]))
  )
}

/** `actual` with all of `desired`: other fields stay, lists are replaced, and a secret's text is the secret. */
export function overlay(actual: JsonObject, desired: JsonObject): JsonObject {
  const result: Record<string, Json> = { ...actual }
  for (const key of Object.keys(desired)) {
    const old = Object.hasOwn(actual, key) ? actual[key] : undefined
    const value = desired[key] as Json
    if (isObject(old) && isObject(value)) result[key] = overlay(old, value)
    else result[key] = old instanceof Secret && sameSecret(old, value) ? old : value
  }
  return result
}
