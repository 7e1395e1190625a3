// The embedded platform: a small InfluxDB-like system inside the agent. It stores what it is given and keeps InfluxDB's
// rules: unique names, ids of 16 hex digits, read-only system buckets. Deleting either end deletes a label mapping.
import { createHash } from 'node:crypto'
import type { Kind } from '../../model/kind.js'
import type { Connection, ListedResource, Platform, Target } from '../platform.js'
import type { Documents } from './documents.js'
import { EmbeddedDriver, type EmbeddedSpace } from './embedded-driver.js'
import { Vault, type SecretSealer } from './vault.js'

const systemBuckets = ['_monitoring', '_tasks']

export interface EmbeddedOptions extends Pick<Platform, 'kinds' | 'explainUnknownKind'> {
  readonly sealer: SecretSealer
}

export class EmbeddedPlatform implements Platform {
  readonly name = 'embedded'
  readonly onFailure = 'undo'
  readonly kinds: readonly Kind[]
  readonly explainUnknownKind: Platform['explainUnknownKind']
  readonly #documents: Documents
  readonly #sealer: SecretSealer
  readonly #known = new Set<string>()

  constructor(documents: Documents, { kinds, explainUnknownKind, sealer }: EmbeddedOptions) {
    this.#documents = documents
    this.#sealer = sealer
    this.kinds = kinds
    this.explainUnknownKind = explainUnknownKind
  }

  kind(kind: string, apiVersion: string): Kind | undefined | 'version' {
    const named = this.kinds.find((one) => one.kind === kind)
    if (named === undefined) return undefined
    return named.apiVersions.includes(apiVersion) ? named : 'version'
  }

  async connect(target: Target, _signal: AbortSignal): Promise<Connection> {
    await this.#createOrganisation(target.organisation)
    const space = target.organisation
    return new EmbeddedConnection({
      documents: this.#documents,
      space,
      vault: new Vault(this.#documents, space, this.#sealer),
    })
  }

  /** Creates the system buckets of a new organisation. */
  async #createOrganisation(organisation: string): Promise<void> {
    if (this.#known.has(organisation)) return
    for (const name of systemBuckets) {
      const id = createHash('sha256').update(`${organisation}/${name}`).digest('hex').slice(0, 16)
      const state = { name, description: 'System bucket', retentionRules: [] }
      await this.#documents.insert(organisation, 'Bucket', { id, key: name, state, links: [] })
    }
    this.#known.add(organisation)
  }
}

class EmbeddedConnection implements Connection {
  /** Concurrent writes share a commit of the store. */
  readonly concurrency = 128
  readonly #space: EmbeddedSpace

  constructor(space: EmbeddedSpace) {
    this.#space = space
  }

  driver(kind: Kind): EmbeddedDriver {
    return new EmbeddedDriver(this.#space, kind)
  }

  async list({
    limit,
    after,
  }: {
    readonly limit: number
    readonly after?: string | undefined
  }): Promise<readonly ListedResource[]> {
    const slash = after?.indexOf('/') ?? -1
    const from =
      after === undefined || slash < 0 ? {} : { after: { family: after.slice(0, slash), id: after.slice(slash + 1) } }
    const { documents, space, vault } = this.#space
    const listed = await documents.list(space, { limit, ...from })
    const found: ListedResource[] = []
    for (const { family, ...document } of listed) {
      const [observed] = await vault.observed(family, [document])
      found.push({ family, observed: observed! })
    }
    return found
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
