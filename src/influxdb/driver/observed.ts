// Resources of the API as gitmoor observes them.
import type { Identity } from '../../model/address.js'
import { Secret, type Json, type JsonObject } from '../../model/json.js'
import type { Observed } from '../../model/resources/resource.js'
import { asText } from '../../model/scalar.js'
import { chartFromView, ownCredentialKeys, resourceStates } from '../kinds/kinds.js'
import { isObject } from '../../model/json.js'
import type { ApiResource } from './families.js'
import type { Fingerprints } from './fingerprints.js'

/** A family that has a resource of its own in the API. Resources stay in their order. */
export async function observedAll(
  family: string,
  forms: readonly ApiResource[],
  fingerprints: Fingerprints,
): Promise<readonly Observed[]> {
  const own = family === 'NotificationEndpoint' ? forms.flatMap(ownSecretKeys) : []
  const secrets = own.length === 0 ? new Map<string, Secret>() : await fingerprints.secrets(own)
  return forms.map((form) => observe(family, form, secrets))
}

function observe(family: string, form: ApiResource, secrets: ReadonlyMap<string, Secret>): Observed {
  const { state, readOnly } = resourceStates[family]!(form)
  const identity = form.id as Identity
  if (family === 'Dashboard') return { identity, actual: { ...state, charts: chartsOf(form) }, readOnly }
  if (family !== 'NotificationEndpoint') return { identity, actual: state, readOnly }
  return { identity, actual: { ...state, ...ownSecrets(form, secrets) }, readOnly }
}

/** In the order of their places: the server keeps none. */
function chartsOf({ cells }: JsonObject): readonly JsonObject[] {
  const all = Array.isArray(cells) ? (cells as readonly Json[]).filter(isObject) : []
  return all.map((cell) => chartFromView(cell))
}

/** The keys of secrets that the server stored for the endpoint itself. */
function ownSecretKeys(form: ApiResource): readonly string[] {
  return [...ownCredentialKeys(form.id as Identity)].flatMap(([field, key]) => (holds(form, field, key) ? [key] : []))
}

function ownSecrets(form: ApiResource, secrets: ReadonlyMap<string, Secret>): JsonObject {
  const own = [...ownCredentialKeys(form.id as Identity)].filter(([field, key]) => holds(form, field, key))
  return Object.fromEntries(own.map(([field, key]) => [field, secrets.get(key)!]))
}

function holds(form: ApiResource, field: string, key: string): boolean {
  return asText(form[field]) === `secret: ${key}`
}
