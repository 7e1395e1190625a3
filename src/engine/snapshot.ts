// Sealed snapshots: JSON and, beside it, the values of secrets, which JSON has only as fingerprints.
import type { Identity } from '../model/address.js'
import { isObject, Secret, type Json, type JsonObject, type Sealed } from '../model/json.js'
import type { Observed } from '../model/resource.js'
import type { Driver } from '../platform/platform.js'
import type { Sealer } from './journal.js'

/** The path of a secret, and its value. */
interface StoredSecret {
  readonly at: readonly (string | number)[]
  readonly value: string
  readonly fingerprint: string
}

/** What an undo needs of an existing resource: all of it, or what its driver chooses. */
export function snapshotOf(there: Observed, driver: Pick<Driver, 'snapshot'>): Observed {
  return driver.snapshot === undefined ? there : { ...there, actual: driver.snapshot(there.actual) }
}

export function sealSnapshot({ identity, actual }: Observed, sealer: Sealer): Sealed {
  return sealer.seal(JSON.stringify({ identity, actual, secrets: secretsIn(actual, []) }))
}

/** What is sealed. Older versions wrote `live` instead of `actual`. */
interface Stored {
  readonly identity: Identity
  readonly actual?: JsonObject
  readonly live?: JsonObject
  readonly secrets?: readonly StoredSecret[]
}

/** The original, with secrets. Errors: `Rejected` if it was sealed with another key. */
export function openSnapshot(sealed: Sealed, sealer: Sealer): Observed {
  const { identity, actual, live, secrets = [] } = JSON.parse(sealer.open(sealed)) as Stored
  const withSecrets = secrets.reduce<Json>(
    (all, { at, value, fingerprint }) => withSecretAt(all, at, new Secret(value, fingerprint)),
    (actual ?? live)!,
  )
  return { identity, actual: withSecrets as JsonObject }
}

function secretsIn(value: Json, at: StoredSecret['at']): readonly StoredSecret[] {
  if (value instanceof Secret) return [{ at, value: value.reveal(), fingerprint: value.fingerprint }]
  if (Array.isArray(value)) return value.flatMap((one: Json, i) => secretsIn(one, [...at, i]))
  return isObject(value) ? Object.entries(value).flatMap(([key, one]) => secretsIn(one, [...at, key])) : []
}

function withSecretAt(value: Json, [step, ...rest]: StoredSecret['at'], secret: Secret): Json {
  if (step === undefined) return secret
  if (Array.isArray(value)) return value.map((one: Json, i) => (i === step ? withSecretAt(one, rest, secret) : one))
  return isObject(value) ? { ...value, [step]: withSecretAt(value[step]!, rest, secret) } : value
}
