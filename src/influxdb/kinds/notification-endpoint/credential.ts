// Credentials of notification endpoints: plain text, an envRef, or the key of a secret on the target.
import { addressOf, type Address, type Identity } from '../../../model/address.js'
import { isObject, Secret, type Json, type JsonObject } from '../../../model/json.js'
import { pointerTo } from '../../../lib/text/json-pointer.js'
import { asText } from '../../../model/scalar.js'
import type { Fields } from '../fields/fields.js'
import type { KindContext } from '../kind-context.js'

/** State: the value as a `Secret`, which is never printed, or `{secretRef: {key}}`. */
export type EndpointCredential = Secret | { readonly secretRef: { readonly key: string } }

/** Suffixes of the endpoint's id: they name the secret in which the target stores a plain value. */
const suffixes: Readonly<Record<string, string>> = {
  username: '-username',
  password: '-password',
  token: '-token',
  routingKey: '-routing-key',
}

/** undefined: no credential. Problems never include the value. */
export function readCredential(spec: Fields, field: string, { conceal }: KindContext): EndpointCredential | undefined {
  const value = spec.raw(field)
  if (value === undefined) return undefined
  const key = secretRefKey(value)
  if (key !== undefined) return { secretRef: { key } }
  const text = spec.resolve(value, pointerTo(spec.pointer, field), { unlisted: true })
  if (text === undefined)
    spec.warning(
      field,
      'wrong-type',
      `${field} is neither a text, nor an envRef, nor a secretRef; it is ignored`,
      'Write a reference to a secret, such as {secretRef: {key: NAME}}.',
    )
  if (text === undefined || text === '') return undefined
  if (text === value && field !== 'username') warnOfText(spec, field)
  return conceal(text)
}

/** Everybody who reads the repository, the database of the agent or its backups reads such a credential. */
function warnOfText(spec: Fields, field: string): void {
  spec.warning(
    field,
    'plain-credential',
    `${field} is plain text in the package, so it is also in the database of the agent and in its backups`,
    'Write a reference to a secret, such as {secretRef: {key: NAME}}.',
  )
}

/** The key of a secretRef; undefined for any other value. */
export function secretRefKey(value: Json | undefined): string | undefined {
  const secretRef = isObject(value) ? value['secretRef'] : undefined
  const key = isObject(secretRef) ? asText(secretRef['key']) : undefined
  return key === '' ? undefined : key
}

/** What an export declares: never the value, but the key under which the target stores it. */
export function exportedCredential(state: JsonObject, field: string, identity: Identity): Json | undefined {
  const key = storedKey(state, field, identity)
  return key === '' ? undefined : { secretRef: { key } }
}

/** A reference to the endpoint's own secret equals that secret, unless the package gives a new value for its key. */
export function recogniseCredentials(
  state: JsonObject,
  { identity, actual }: { readonly identity: Identity; readonly actual: JsonObject },
  needs: readonly Address[],
): JsonObject {
  const own = Object.keys(suffixes).filter((field) => {
    const key = secretRefKey(state[field])
    return (
      key === identity + suffixes[field]! &&
      actual[field] instanceof Secret &&
      !needs.includes(addressOf('Secret', key))
    )
  })
  return own.length === 0 ? state : { ...state, ...Object.fromEntries(own.map((field) => [field, actual[field]!])) }
}

/** The state as the target will have it: plain values become secrets. */
export function withSecrets(state: JsonObject): JsonObject {
  const plain = Object.keys(suffixes).flatMap((field) => {
    const value = state[field]
    return typeof value === 'string' && value !== '' ? [[field, new Secret(value, 'new')] as const] : []
  })
  return { ...state, ...Object.fromEntries(plain) }
}

/** What the InfluxDB API shows: the key of the secret; '' if there is none, or none yet. */
export function wireCredential(state: JsonObject, field: string, id: Identity | ''): string {
  const key = storedKey(state, field, id)
  return key === '' ? '' : `secret: ${key}`
}

/**
 * What a form has: the key of a secret; 'own' for the endpoint's own secret, whose value nobody can read. Only a
 * request has a value itself.
 */
export function credentialOfForm(form: JsonObject, field: string): 'own' | EndpointCredential | null {
  const shown = asText(form[field]) ?? ''
  if (shown === '') return null
  const [, key] = /^secret: (.+)$/s.exec(shown) ?? []
  if (key === undefined) return new Secret(shown, 'new')
  return key === `${asText(form['id']) ?? ''}${suffixes[field]!}` ? 'own' : { secretRef: { key } }
}

/** As a request gives it: a value, the key of another secret, '' for none. Absent: the endpoint keeps its own. */
export function credentialBody(state: JsonObject, field: string, id: Identity | ''): string {
  const value = state[field]
  if (value instanceof Secret) return value.reveal()
  if (value === undefined && id !== '') return `secret: ${id}${suffixes[field]!}`
  const key = secretRefKey(value)
  return key === undefined ? '' : `secret: ${key}`
}

/** The endpoint whose credential the target would store under this key; it may not exist. undefined: none. */
export function endpointOfKey(key: string): Identity | undefined {
  const suffix = Object.values(suffixes).find((end) => key.endsWith(end))
  return suffix === undefined ? undefined : (key.slice(0, -suffix.length) as Identity)
}

/** By field, the keys under which the target stores the credentials of an endpoint. */
export function ownCredentialKeys(identity: Identity): ReadonlyMap<string, string> {
  return new Map(Object.entries(suffixes).map(([field, suffix]) => [field, identity + suffix]))
}

function storedKey(state: JsonObject, field: string, id: Identity | ''): string {
  const value = state[field]
  if (value instanceof Secret) return id === '' ? '' : id + suffixes[field]!
  return secretRefKey(value) ?? ''
}
