// Differences between desired and actual state. Other fields of an object are not managed; lists are compared whole.
import type { FieldChange } from '../model/change.js'
import { keyPath } from '../lib/field-path.js'
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

/** The paths at which `live` differs from `wanted`. Both are normalized. `live` undefined: all of `wanted` is new. */
export function fieldChanges(live: JsonObject | undefined, wanted: JsonObject): readonly FieldChange[] {
  const found: FieldChange[] = []
  compareObjects(live ?? {}, wanted, '', found)
  return found
}

function compareObjects(live: JsonObject, wanted: JsonObject, path: string, found: FieldChange[]): void {
  for (const key of Object.keys(wanted))
    compare(Object.hasOwn(live, key) ? live[key] : undefined, wanted[key] as Json, keyPath(path, key), found)
}

function compare(live: Json | undefined, wanted: Json, path: string, found: FieldChange[]): void {
  if (sameJson(live, wanted)) return
  if (isObject(live) && isObject(wanted)) return compareObjects(live, wanted, path, found)
  if (Array.isArray(live) && Array.isArray(wanted)) return compareLists(live, wanted, path, found)
  found.push(live === undefined ? { path, new: wanted } : { path, old: live, new: wanted })
}

function compareLists(live: readonly Json[], wanted: readonly Json[], path: string, found: FieldChange[]): void {
  for (let i = 0; i < Math.min(live.length, wanted.length); i++)
    compare(live[i], wanted[i] as Json, `${path}[${i}]`, found)
  for (let i = live.length; i < wanted.length; i++) found.push({ path: `${path}[${i}]`, new: wanted[i] as Json })
  for (let i = wanted.length; i < live.length; i++) found.push({ path: `${path}[${i}]`, old: live[i] as Json })
}

/** True if `now` writes only what was planned. A value that was Unknown in the plan may now be any value. */
export function isAsPlanned(planned: readonly FieldChange[], now: readonly FieldChange[]): boolean {
  const values = new Map(planned.map((field) => [field.path, field]))
  const unknown = planned.filter((field) => field.new instanceof Unknown).map(({ path }) => path)
  return now.every((field) => {
    const there = values.get(field.path)
    return there === undefined ? unknown.some((path) => isBelow(path, field.path)) : isResolved(there.new, field.new)
  })
}

function isBelow(path: string, inner: string): boolean {
  return inner.startsWith(`${path}.`) || inner.startsWith(`${path}[`)
}

/** True if `now` equals `planned`, with any value in place of an Unknown. */
function isResolved(planned: Json | undefined, now: Json | undefined): boolean {
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

/** `live` with all of `wanted`: other fields stay, lists are replaced, and a secret's text is the secret. */
export function overlay(live: JsonObject, wanted: JsonObject): JsonObject {
  const result: Record<string, Json> = { ...live }
  for (const key of Object.keys(wanted)) {
    const old = Object.hasOwn(live, key) ? live[key] : undefined
    const value = wanted[key] as Json
    if (isObject(old) && isObject(value)) result[key] = overlay(old, value)
    else result[key] = old instanceof Secret && sameSecret(old, value) ? old : value
  }
  return result
}
