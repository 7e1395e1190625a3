// The embedded platform's store of secrets. It stores values sealed, as resources of the family Secret. An endpoint
// refers to its own secrets by names made of its id, as in InfluxDB: `<id>-token`.
import { Slices } from '../../lib/async/steps.js'
import type { Identity } from '../../model/address.js'
import { Rejected } from '../../model/errors.js'
import { isObject, Secret, type Json, type JsonObject, type Sealed } from '../../model/json.js'
import type { Observed } from '../../model/resources/resource.js'
import type { DatedDocument, Documents, StoredDocument } from '../../platform/documents.js'
import { readOnlyFields } from './read-only.js'

/** Seals values, and wraps them so they are not printed. */
export interface SecretSealer {
  readonly seal: (value: string) => Sealed
  /** Errors: `Rejected` if it was sealed with another key. */
  readonly open: (sealed: Sealed) => string
  readonly toSecret: (value: string) => Secret
}

const secrets = 'Secret'

/** Fields of an endpoint with a secret, and the suffix of its key in the store of secrets. */
const credentials: Readonly<Record<string, string>> = {
  token: 'token',
  username: 'username',
  password: 'password',
  routingKey: 'routing-key',
}

export class Vault {
  readonly #documents: Documents
  readonly #space: string
  readonly #sealer: SecretSealer

  constructor(documents: Documents, space: string, sealer: SecretSealer) {
    this.#documents = documents
    this.#space = space
    this.#sealer = sealer
  }

  /** The state with its secrets wrapped, so they are not printed. */
  conceal(family: string, state: JsonObject): JsonObject {
    const changed = secretFields(family).flatMap((field) => {
      const value = state[field]
      return typeof value === 'string' ? [[field, this.#sealer.toSecret(value)] as const] : []
    })
    return changed.length === 0 ? state : { ...state, ...Object.fromEntries(changed) }
  }

  /** The state to store: secrets are sealed, or referred to. */
  stored(family: string, id: string, state: JsonObject): JsonObject {
    const written = ownSecrets(family, state).map(([field, secret]) => {
      if (family === secrets) return [field, { sealed: this.#sealer.seal(secret.reveal()) }] as const
      return [field, { own: ownKey(id, field) }] as const
    })
    return written.length === 0 ? state : { ...state, ...Object.fromEntries(written) }
  }

  /** The actual states of stored documents. A secret that is missing, or was sealed with another key, is absent. */
  async observed(family: string, documents: readonly DatedDocument[]): Promise<readonly Observed[]> {
    const fields = secretFields(family)
    const hasOwn = fields.length > 0 && family !== secrets
    const values = hasOwn ? await this.#ownSecrets(documents) : new Map<string, StoredDocument>()
    const slices = new Slices()
    const found: Observed[] = []
    for (const document of documents) {
      const pause = slices.afterStep()
      if (pause !== undefined) await pause
      found.push({
        identity: document.id as Identity,
        actual: fields.length === 0 ? document.state : this.#actual(document.state, fields, values),
        ...readOnlyFields(family, document),
      })
    }
    return found
  }

  /** Stores an endpoint's own secrets under the keys it refers to. `before`: its former state. */
  async keep(
    family: string,
    id: string,
    { state, before = {} }: { readonly state: JsonObject; readonly before?: JsonObject },
  ): Promise<void> {
    if (family === secrets) return
    const own = ownSecrets(family, state)
    for (const [field, secret] of own) await this.#put(ownKey(id, field), secret)
    const kept = new Set([...own.map(([field]) => field), ...ownNamedFields(family, id, state)])
    for (const [field] of ownSecrets(family, before))
      if (!kept.has(field)) await this.#documents.remove(this.#space, secrets, ownKey(id, field))
  }

  /** Removes an endpoint's own secrets. Those that it refers to by `secretRef` stay. */
  async discard(family: string, id: string, actual: JsonObject): Promise<void> {
    if (family === secrets) return
    const named = new Set(ownNamedFields(family, id, actual))
    for (const field of secretFields(family))
      if (!named.has(field)) await this.#documents.remove(this.#space, secrets, ownKey(id, field))
  }

  #actual(stored: JsonObject, fields: readonly string[], values: ReadonlyMap<string, StoredDocument>): JsonObject {
    const actual: Record<string, Json> = { ...stored }
    for (const field of fields) {
      const value = stored[field]
      const sealed =
        isObject(value) && typeof value['own'] === 'string' ? values.get(value['own'])?.state['value'] : value
      const isSecret = isObject(value) && ('own' in value || 'sealed' in value)
      const secret = isSecret ? this.#opened(sealed) : undefined
      if (secret !== undefined) actual[field] = secret
      else if (isSecret) delete actual[field]
    }
    return actual
  }

  #opened(value: Json | undefined): Secret | undefined {
    if (!isObject(value) || typeof value['sealed'] !== 'string') return undefined
    try {
      return this.#sealer.toSecret(this.#sealer.open(value['sealed'] as Sealed))
    } catch (error) {
      if (error instanceof Rejected) return undefined
      throw error
    }
  }

  #ownSecrets(documents: readonly StoredDocument[]): Promise<ReadonlyMap<string, StoredDocument>> {
    const keys = documents.flatMap(({ state }) =>
      Object.values(state).flatMap((value) =>
        isObject(value) && typeof value['own'] === 'string' ? [value['own']] : [],
      ),
    )
    return this.#documents.byIds(this.#space, secrets, keys)
  }

  async #put(key: string, value: Secret): Promise<void> {
    const document = { id: key, key, state: this.stored(secrets, key, { key, value }), links: [] }
    const written = await this.#documents.insert(this.#space, secrets, document)
    if (!('createdAt' in written)) await this.#documents.replace(this.#space, secrets, document)
  }
}

function secretFields(family: string): readonly string[] {
  if (family === secrets) return ['value']
  return family === 'NotificationEndpoint' ? Object.keys(credentials) : []
}

function ownSecrets(family: string, state: JsonObject): readonly (readonly [field: string, secret: Secret])[] {
  return secretFields(family).flatMap((field) => {
    const value = state[field]
    return value instanceof Secret ? [[field, value] as const] : []
  })
}

/** Fields whose `secretRef` names the key that the endpoint's own secret would have. */
function ownNamedFields(family: string, id: string, state: JsonObject): readonly string[] {
  const named = new Set(
    Object.values(state).map((value) =>
      isObject(value) && isObject(value['secretRef']) ? value['secretRef']['key'] : '',
    ),
  )
  return secretFields(family).filter((field) => named.has(ownKey(id, field)))
}

function ownKey(id: string, field: string): string {
  return `${id}-${credentials[field]!}`
}
