// Credentials of notification endpoints (packages 1.9, 1.13): a plain text, an envRef, or the key of a secret of the target.
import { addressOf, type Address, type Identity } from '../../model/address.js'
import { isObject, Secret, type Json, type JsonObject } from '../../model/json.js'
import { pointerTo } from '../../model/problem.js'
import { textOf } from '../scalar.js'
import type { Fields } from './fields.js'
import type { Means } from './means.js'

/** Held: the value as what cannot be printed, or `{secretRef: {key}}`. */
export type Credential = Secret | { readonly secretRef: { readonly key: string } }

/** What the target puts behind the endpoint's id to name the secret that it keeps of a plain value. */
const suffixes: Readonly<Record<string, string>> = {
  username: '-username',
  password: '-password',
  token: '-token',
  routingKey: '-routing-key',
}

/** undefined: there is none. The value stands in no problem. */
export function readCredential(spec: Fields, field: string, { conceal }: Means): Credential | undefined {
  const value = spec.raw(field)
  if (value === undefined) return undefined
  const key = keyOf(value)
  if (key !== undefined) return { secretRef: { key } }
  const text = spec.resolve(value, pointerTo(spec.pointer, field), { unlisted: true })
  if (text === undefined)
    spec.warning(field, 'wrong-type', `${field} is neither a text, nor an envRef, nor a secretRef; it reads as absent`)
  return text === undefined || text === '' ? undefined : conceal(text)
}

/** The key of a secretRef; undefined: it is something else. */
export function keyOf(value: Json | undefined): string | undefined {
  const secretRef = isObject(value) ? value['secretRef'] : undefined
  const key = isObject(secretRef) ? textOf(secretRef['key']) : undefined
  return key === '' ? undefined : key
}

/** As an author would write it: never the value, but the key under which the target keeps it (packages 7.2). */
export function writtenCredential(held: JsonObject, field: string, identity: Identity): Json | undefined {
  const key = secretKeyOf(held, field, identity)
  return key === '' ? undefined : { secretRef: { key } }
}

/** A credential that is named by the key of the endpoint's own secret is that secret, unless the package gives another value under that key (packages 5.3). */
export function recogniseCredentials(
  held: JsonObject,
  { identity, live }: { readonly identity: Identity; readonly live: JsonObject },
  needs: readonly Address[],
): JsonObject {
  const own = Object.keys(suffixes).filter((field) => {
    const key = keyOf(held[field])
    return key === identity + suffixes[field]! && live[field] instanceof Secret && !needs.includes(addressOf('Secret', key))
  })
  return own.length === 0 ? held : { ...held, ...Object.fromEntries(own.map((field) => [field, live[field]!])) }
}

/** What is held once the target has it: plain values are secrets. */
export function withSecrets(held: JsonObject): JsonObject {
  const plain = Object.keys(suffixes).flatMap((field) => {
    const value = held[field]
    return typeof value === 'string' && value !== '' ? [[field, new Secret(value, 'new')] as const] : []
  })
  return { ...held, ...Object.fromEntries(plain) }
}

/** How the reference's documents show it (packages 4.2): by its key; '' where there is none, or none yet. */
export function shownCredential(held: JsonObject, field: string, id: Identity | ''): string {
  const key = secretKeyOf(held, field, id)
  return key === '' ? '' : `secret: ${key}`
}

/** The endpoint of which the target would keep a credential under this key; whether there is one is another question. undefined: none. */
export function endpointOfKey(key: string): Identity | undefined {
  const suffix = Object.values(suffixes).find((end) => key.endsWith(end))
  return suffix === undefined ? undefined : (key.slice(0, -suffix.length) as Identity)
}

function secretKeyOf(held: JsonObject, field: string, id: Identity | ''): string {
  const value = held[field]
  if (value instanceof Secret) return id === '' ? '' : id + suffixes[field]!
  return keyOf(value) ?? ''
}
