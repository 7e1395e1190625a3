// Sealed snapshots: JSON and, beside it, the values of secrets, which JSON has only as fingerprints.
import { isObject, Secret, type Json, type JsonObject } from '../model/json.js'
import type { Observed } from '../model/resource.js'
import type { Sealed } from '../model/sealed.js'
import type { Sealer } from './journal.js'

/** The path of a secret, and its value. */
interface Kept {
  readonly at: readonly (string | number)[]
  readonly value: string
  readonly fingerprint: string
}

export function sealSnapshot({ identity, live }: Observed, sealer: Sealer): Sealed {
  const secrets = secretsIn(live, [])
  return sealer.seal(JSON.stringify({ identity, live, ...(secrets.length === 0 ? {} : { secrets }) }))
}

/** The original, with secrets. Errors: `Rejected` if it was sealed with another key. */
export function openSnapshot(sealed: Sealed, sealer: Sealer): Observed {
  const { secrets = [], ...observed } = JSON.parse(sealer.open(sealed)) as Observed & {
    readonly secrets?: readonly Kept[]
  }
  const live = secrets.reduce<Json>(
    (all, { at, value, fingerprint }) => placed(all, at, new Secret(value, fingerprint)),
    observed.live,
  )
  return { ...observed, live: live as JsonObject }
}

function secretsIn(value: Json, at: Kept['at']): readonly Kept[] {
  if (value instanceof Secret) return [{ at, value: value.reveal(), fingerprint: value.fingerprint }]
  if (Array.isArray(value)) return value.flatMap((one: Json, i) => secretsIn(one, [...at, i]))
  return isObject(value) ? Object.entries(value).flatMap(([key, one]) => secretsIn(one, [...at, key])) : []
}

function placed(value: Json, [step, ...rest]: Kept['at'], secret: Secret): Json {
  if (step === undefined) return secret
  if (Array.isArray(value)) return value.map((one: Json, i) => (i === step ? placed(one, rest, secret) : one))
  return isObject(value) ? { ...value, [step]: placed(value[step]!, rest, secret) } : value
}
