// Resources of the API as gitmoor observes them.
import type { Identity } from '../../model/address.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { Observed } from '../../model/resources/resource.js'
import { asText } from '../../model/scalar.js'
import { chartFromView, ownCredentialKeys, resourceStates } from '../kinds/kinds.js'
import { isObject } from '../../model/json.js'
import type { ApiResource } from './families.js'
import type { Fingerprints } from './fingerprints.js'
import type { Organisation } from './organisation.js'

/** What was read of a family. `since`: elapsed milliseconds; what was read before does not count. */
interface Read {
  readonly family: string
  readonly forms: readonly ApiResource[]
  readonly since: number
}

/**
 * The same as `observedAll`, but an endpoint lacks each credential of its own whose secret somebody deleted. A token
 * that may not list secrets does not find that out. Errors: those of the request for their keys.
 */
export async function observedSince(
  { family, forms, since }: Read,
  organisation: Organisation,
  signal: AbortSignal,
): Promise<readonly Observed[]> {
  const hasOwn = ownSecretKeys(family, forms).length > 0
  const stored = hasOwn ? await organisation.storedSecrets(since, signal) : undefined
  return observedAll(family, forms, { fingerprints: organisation.fingerprints, stored })
}

/**
 * A family that has a resource of its own in the API. Resources stay in their order. `stored`: the keys of all secrets.
 * Absent: those of the resources exist, as after a write.
 */
export async function observedAll(
  family: string,
  forms: readonly ApiResource[],
  { fingerprints, stored }: { readonly fingerprints: Fingerprints; readonly stored?: ReadonlySet<string> | undefined },
): Promise<readonly Observed[]> {
  const own = ownSecretKeys(family, forms).filter((key) => stored?.has(key) ?? true)
  const credentials = own.length === 0 ? new Map<string, Json>() : await ownCredentials(own, fingerprints)
  return forms.map((form) => observe(family, form, credentials))
}

/** By key: a reference, if the endpoint was given one, else the secret. */
async function ownCredentials(keys: readonly string[], fingerprints: Fingerprints): Promise<ReadonlyMap<string, Json>> {
  const named = await fingerprints.named(keys)
  const secrets = await fingerprints.secrets(keys)
  return new Map([...secrets].map(([key, secret]) => [key, named.has(key) ? { secretRef: { key } } : secret]))
}

function observe(family: string, form: ApiResource, credentials: ReadonlyMap<string, Json>): Observed {
  const { state, readOnly } = resourceStates[family]!(form)
  const identity = form.id as Identity
  if (family === 'Dashboard') return { identity, actual: { ...state, charts: chartsOf(form) }, readOnly }
  if (family !== 'NotificationEndpoint') return { identity, actual: state, readOnly }
  return { identity, actual: { ...state, ...ownFields(form, credentials) }, readOnly }
}

/** In the order of their places: the server keeps none. */
function chartsOf({ cells }: JsonObject): readonly JsonObject[] {
  const all = Array.isArray(cells) ? (cells as readonly Json[]).filter(isObject) : []
  return all.map((cell) => chartFromView(cell))
}

/** The keys of secrets that the server stored for the endpoints themselves. */
function ownSecretKeys(family: string, forms: readonly ApiResource[]): readonly string[] {
  if (family !== 'NotificationEndpoint') return []
  return forms.flatMap((form) =>
    [...ownCredentialKeys(form.id as Identity)].flatMap(([field, key]) => (holds(form, field, key) ? [key] : [])),
  )
}

function ownFields(form: ApiResource, credentials: ReadonlyMap<string, Json>): JsonObject {
  const own = [...ownCredentialKeys(form.id as Identity)].flatMap(([field, key]) => {
    const credential = holds(form, field, key) ? credentials.get(key) : undefined
    return credential === undefined ? [] : [[field, credential] as const]
  })
  return Object.fromEntries(own)
}

function holds(form: ApiResource, field: string, key: string): boolean {
  return asText(form[field]) === `secret: ${key}`
}
