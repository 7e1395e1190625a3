// The values of secrets, which InfluxDB never shows: gitmoor remembers the keyed fingerprint of each that it wrote.
import { Secret } from '../../model/json.js'
import type { Documents } from '../../platform/documents.js'

const family = 'Fingerprint'
/** One for each endpoint's own credential that a package names by its key: the server shows no difference. */
const namedFamily = 'NamedCredential'

/** Of a value that gitmoor did not write, or not certainly. It equals no other. */
const unknownFingerprint = 'unknown'

/** The fingerprints of the secrets of one organisation, by their keys. */
export class Fingerprints {
  readonly #documents: Documents
  readonly #space: string

  /** `system`: the id of the live system on its platform. */
  constructor(documents: Documents, system: string) {
    this.#documents = documents
    this.#space = `influxdb/${system}`
  }

  /** Existing secrets as they are compared: without their values. */
  async secrets(keys: readonly string[]): Promise<ReadonlyMap<string, Secret>> {
    const found = await this.#documents.byIds(this.#space, family, keys)
    return new Map(keys.map((key) => [key, withoutValue(found.get(key)?.state['fingerprint'])]))
  }

  /** Before a write: what the server has from now on is not known. Keys that nothing is known of cost nothing. */
  async forget(keys: readonly string[]): Promise<void> {
    const known = await this.#documents.byIds(this.#space, family, keys)
    for (const key of known.keys()) await this.#documents.remove(this.#space, family, key)
  }

  /** After a write that succeeded. */
  async remember(written: ReadonlyMap<string, Secret>): Promise<void> {
    for (const [key, { fingerprint }] of written)
      await this.#documents.insert(this.#space, family, { id: key, key: null, state: { fingerprint }, links: [] })
  }

  /** Of these keys of endpoints' own credentials, those that endpoints were given as references. */
  async named(keys: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set((await this.#documents.byIds(this.#space, namedFamily, keys)).keys())
  }

  /** Of `keys`, only `named` are references from now on. */
  async setNamed(keys: readonly string[], named: readonly string[]): Promise<void> {
    const before = await this.named(keys)
    for (const key of before) if (!named.includes(key)) await this.#documents.remove(this.#space, namedFamily, key)
    for (const key of named)
      if (!before.has(key))
        await this.#documents.insert(this.#space, namedFamily, { id: key, key: null, state: {}, links: [] })
  }
}

/** True for a secret of which only the fingerprint is known: it cannot be written. */
export function isWithoutValue(secret: Secret): boolean {
  return secret.reveal() === ''
}

function withoutValue(fingerprint: unknown): Secret {
  return new Secret('', typeof fingerprint === 'string' ? fingerprint : unknownFingerprint)
}
