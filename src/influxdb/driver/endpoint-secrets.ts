// The credentials of notification endpoints: the server keeps plain ones as secrets of its own, and never shows them.
import type { Identity } from '../../model/address.js'
import { Rejected } from '../../model/errors.js'
import { Secret, type Json, type JsonObject } from '../../model/json.js'
import type { Observed } from '../../model/resources/resource.js'
import { sameJson } from '../../plan/diff.js'
import { ownCredentialKeys } from '../kinds/kinds.js'
import { isWithoutValue } from './fingerprints.js'
import type { Organisation } from './organisation.js'

/** The state to write, and what to do once it is written. */
export interface SecretUpdate {
  readonly written: JsonObject
  readonly settle: (signal: AbortSignal) => Promise<void>
}

/** Wraps a value, with its fingerprint. */
export type Conceal = (value: string) => Secret

/** Other states than those of endpoints have none. One for each connection. */
export class EndpointSecrets {
  readonly #organisation: Organisation
  readonly #conceal: Conceal
  readonly #gone = new Set<Identity>()

  constructor(organisation: Organisation, conceal: Conceal) {
    this.#organisation = organisation
    this.#conceal = conceal
  }

  /** The state of an endpoint with its credentials wrapped, so they are not printed. */
  concealed(state: JsonObject): JsonObject {
    const plain = [...ownCredentialKeys('' as Identity).keys()].flatMap((field) => {
      const value = state[field]
      return typeof value === 'string' && value !== '' ? [[field, this.#conceal(value)] as const] : []
    })
    return plain.length === 0 ? state : { ...state, ...Object.fromEntries(plain) }
  }

  /** Errors: `Rejected` if a value is not known. */
  refuseUnknown(state: JsonObject): void {
    const unknown = Object.entries(state).filter(([, value]) => value instanceof Secret && isWithoutValue(value))
    if (unknown.length > 0) throw notRestorable(unknown.map(([field]) => field))
  }

  /** An endpoint that the stack declares does not exist: a creation replaces it. */
  noteGone(identity: Identity): void {
    this.#gone.add(identity)
  }

  /** A creation removes the credentials of the endpoints that it replaces. */
  async creating(state: JsonObject, signal: AbortSignal): Promise<void> {
    const gone = [...this.#gone]
    this.#gone.clear()
    await this.removeLeftovers(gone, signal, state)
  }

  /**
   * The server keeps the credentials of endpoints that somebody deleted. Those that an existing endpoint or `state`
   * uses stay.
   */
  async removeLeftovers(gone: readonly Identity[], signal: AbortSignal, state: JsonObject = {}): Promise<void> {
    if (gone.length === 0) return
    const { readings } = this.#organisation
    const existing = await readings.listing('NotificationEndpoint', this.#organisation.now(), signal)
    const own = gone.filter((identity) => !existing.has(identity)).flatMap((one) => [...ownCredentialKeys(one)])
    const all = JSON.stringify([...existing.values()])
    const unused = unreferenced(own, state).filter((key) => !all.includes(JSON.stringify(`secret: ${key}`)))
    await this.#deleteStored(unused, signal)
  }

  /** Remembers what a creation wrote. */
  async created(identity: Identity, state: JsonObject): Promise<void> {
    const written = [...ownCredentialKeys(identity)].flatMap(([field, key]) => given(state[field], key))
    if (written.length > 0) await this.#organisation.fingerprints.remember(new Map(written))
  }

  /**
   * Forgets what an update changes. Credentials of which only the fingerprint is known stay as they are. `settle`:
   * remembers what was written, and removes credentials that are no longer used. Errors: `Rejected` if the state names
   * a secret of the endpoint that somebody deleted; of `settle`, if a former value cannot be restored.
   */
  async updating({ identity, actual }: Observed, state: JsonObject, signal: AbortSignal): Promise<SecretUpdate> {
    const own = [...ownCredentialKeys(identity)]
    const kept = own.filter(([field]) => isKept(state[field]))
    const lost = kept.filter(([field]) => fingerprintOf(actual[field]) !== fingerprintOf(state[field]))
    const unused = own.filter(([field]) => actual[field] instanceof Secret && !(state[field] instanceof Secret))
    await this.#refuseMissing(
      own.filter(([field, key]) => actual[field] === undefined && names(state[field], key)),
      signal,
    )
    const named = own.filter(([field, key]) => names(state[field], key))
    const { fingerprints } = this.#organisation
    // Writing the value that the server has leaves it known, also if the answer is lost.
    const changed = new Map(
      own.flatMap(([field, key]) =>
        fingerprintOf(actual[field]) === fingerprintOf(state[field]) ? [] : given(state[field], key),
      ),
    )
    if (changed.size > 0) await fingerprints.forget([...changed.keys()])
    return {
      written: { ...state, ...Object.fromEntries(kept.map(([field, key]) => [field, { secretRef: { key } }])) },
      settle: async (signal) => {
        if (changed.size > 0) await fingerprints.remember(changed)
        await fingerprints.setNamed(keysOf(own), keysOf(named))
        await this.#organisation.deleteSecrets(unreferenced(unused, state), signal)
        if (lost.length > 0) throw notRestorable(lost.map(([, key]) => key))
      },
    }
  }

  /** The server keeps the credentials of an endpoint that it deletes, also those that an update no longer uses. */
  async removing({ identity, actual }: Observed, signal: AbortSignal): Promise<void> {
    const own = [...ownCredentialKeys(identity)]
    await this.#deleteStored(unreferenced(own, actual), signal)
    await this.#organisation.fingerprints.setNamed(keysOf(own), [])
  }

  async #refuseMissing(named: readonly (readonly [field: string, key: string])[], signal: AbortSignal): Promise<void> {
    if (named.length === 0) return
    const stored = new Set(await this.#organisation.secretKeys(signal))
    const missing = named.filter(([, key]) => !stored.has(key)).map(([, key]) => key)
    if (missing.length === 0) return
    throw new Rejected(`InfluxDB no longer has what the endpoint refers to: ${missing.join(', ')}.`, {
      code: 'influxdb/secret-lost',
      hint: 'Give the stack a secret under that key, or declare the credential of the endpoint in another way.',
    })
  }

  async #deleteStored(keys: readonly string[], signal: AbortSignal): Promise<void> {
    if (keys.length === 0) return
    const stored = new Set(await this.#organisation.secretKeys(signal))
    const found = keys.filter((key) => stored.has(key))
    await this.#organisation.deleteSecrets(found, signal)
  }
}

function given(value: Json | undefined, key: string): readonly (readonly [string, Secret])[] {
  return value instanceof Secret && !isWithoutValue(value) ? [[key, value]] : []
}

function keysOf(own: readonly (readonly [field: string, key: string])[]): readonly string[] {
  return own.map(([, key]) => key)
}

function names(value: Json | undefined, key: string): boolean {
  return value !== undefined && sameJson(value, { secretRef: { key } })
}

function isKept(value: Json | undefined): boolean {
  return value instanceof Secret && isWithoutValue(value)
}

function fingerprintOf(value: Json | undefined): string | undefined {
  return value instanceof Secret ? value.fingerprint : undefined
}

/** Keys that no `secretRef` of the state names. */
function unreferenced(own: readonly (readonly [field: string, key: string])[], state: JsonObject): readonly string[] {
  const text = JSON.stringify(Object.values(state).filter((value) => !(value instanceof Secret)))
  return own.map(([, key]) => key).filter((key) => !text.includes(JSON.stringify(key)))
}

export function notRestorable(names: readonly string[]): Rejected {
  const [what, them] =
    names.length === 1 ? ['The former value of the secret', 'it'] : ['The former values of the secrets', 'them']
  return new Rejected(`${what} ${names.join(', ')} cannot be restored: InfluxDB does not show ${them}.`, {
    code: 'influxdb/secret-lost',
    hint: `Give ${them} again: the next sync writes ${them}.`,
  })
}
