// The driver of secrets: InfluxDB shows their keys, and never their values.
import type { Address, Identity } from '../../model/address.js'
import { Rejected, TargetConflict } from '../../model/errors.js'
import { Secret, type Json, type JsonObject } from '../../model/json.js'
import type { Observed } from '../../model/resources/resource.js'
import type { Driver, ResourceLookup } from '../../platform/platform.js'
import { notRestorable, type Conceal } from './endpoint-secrets.js'
import { isWithoutValue } from './fingerprints.js'
import type { Organisation } from './organisation.js'

/** The identity of a secret is its key. Its value is compared by the fingerprint of what gitmoor wrote last. */
export class SecretDriver implements Driver {
  readonly #organisation: Organisation
  readonly #conceal: Conceal

  constructor(organisation: Organisation, conceal: Conceal) {
    this.#organisation = organisation
    this.#conceal = conceal
  }

  async read(lookups: readonly ResourceLookup[], signal: AbortSignal): Promise<ReadonlyMap<Address, Observed>> {
    const all = new Set(await this.#organisation.secretKeys(signal))
    const found = lookups.flatMap(({ address, identity, key }) => {
      const one = [identity, key].find((name) => name !== undefined && all.has(name))
      return one === undefined ? [] : [[address, one] as const]
    })
    const observed = await observedSecrets(
      this.#organisation,
      found.map(([, key]) => key),
    )
    return new Map(found.map(([address, key]) => [address, observed.get(key)!]))
  }

  trace({ key }: JsonObject): Json {
    return { key: key! }
  }

  async find(trace: Json, signal: AbortSignal): Promise<Observed | undefined> {
    const { key } = trace as { key: string }
    const all = await this.#organisation.secretKeys(signal)
    return all.includes(key) ? (await observedSecrets(this.#organisation, [key])).get(key) : undefined
  }

  async create(state: JsonObject, trace: Json, signal: AbortSignal): Promise<Observed> {
    const { key } = trace as { key: string }
    if ((await this.find(trace, signal)) !== undefined)
      throw new TargetConflict(`InfluxDB has a secret ${key} already.`, {
        code: 'influxdb/conflict',
        hint: 'Choose another key, or remove the other secret.',
      })
    return this.#write(key, state, signal)
  }

  async update(now: Observed, state: JsonObject, signal: AbortSignal): Promise<Observed> {
    const key = now.identity
    const there = await this.find({ key }, signal)
    if (there === undefined)
      throw new Rejected(`InfluxDB has no secret ${key}.`, {
        code: 'influxdb/not-found',
        hint: 'It was removed meanwhile.',
      })
    const { value } = state
    if (!(value instanceof Secret) || !isWithoutValue(value)) return this.#write(key, state, signal)
    const { value: held } = there.actual
    if (held instanceof Secret && held.fingerprint === value.fingerprint) return there
    throw notRestorable([key])
  }

  async remove({ identity }: Observed, signal: AbortSignal): Promise<void> {
    await this.#organisation.deleteSecrets([identity], signal)
  }

  /** A person who writes a secret directly gives its value as a text. */
  async #write(key: string, { value: given }: JsonObject, signal: AbortSignal): Promise<Observed> {
    const value = typeof given === 'string' ? this.#conceal(given) : given
    if (!(value instanceof Secret) || isWithoutValue(value)) throw notRestorable([key])
    const { fingerprints, orgID } = this.#organisation
    await fingerprints.forget([key])
    const path = `/api/v2/orgs/${orgID}/secrets`
    await this.#organisation.write(['Secret'], { method: 'PATCH', path, body: { [key]: value.reveal() } }, signal)
    await fingerprints.remember(new Map([[key, value]]))
    return (await observedSecrets(this.#organisation, [key])).get(key)!
  }
}

/** Existing secrets by key. */
export async function observedSecrets(
  { fingerprints }: Organisation,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Observed>> {
  const secrets = await fingerprints.secrets(keys)
  return new Map([...secrets].map(([key, value]) => [key, { identity: key as Identity, actual: { key, value } }]))
}
