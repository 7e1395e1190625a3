// Sealed snapshots: JSON and, beside it, the values of secrets, which JSON has only as fingerprints.
import type { Identity } from '../model/address.js'
import { leavesOf, replaceAt, type JsonKeys } from '../model/json-places.js'
import { Secret, type JsonObject, type Sealed } from '../model/json.js'
import type { Observed } from '../model/resources/resource.js'
import type { Driver } from '../platform/platform.js'
import type { Sealer } from './journal.js'

/** The path of a secret, and its value. */
interface StoredSecret {
  readonly at: JsonKeys
  readonly value: string
  readonly fingerprint: string
}

/** What an undo needs of an existing resource: all of it, or what its driver chooses. */
export function snapshotOf(there: Observed, driver: Pick<Driver, 'snapshot'>): Observed {
  return driver.snapshot === undefined ? there : { ...there, actual: driver.snapshot(there.actual) }
}

export function sealSnapshot({ identity, actual }: Observed, sealer: Sealer): Sealed {
  return sealer.seal(JSON.stringify({ identity, actual, secrets: secretsIn(actual) }))
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
  const places = secrets.map(({ at, value, fingerprint }) => ({ keys: at, value: new Secret(value, fingerprint) }))
  return { identity, actual: replaceAt((actual ?? live)!, places) }
}

function secretsIn(actual: JsonObject): readonly StoredSecret[] {
  return [...leavesOf(actual)].flatMap(({ keys: at, value }) =>
    value instanceof Secret ? [{ at, value: value.reveal(), fingerprint: value.fingerprint }] : [],
  )
}
