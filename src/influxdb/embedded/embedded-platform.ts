// The embedded platform: a small InfluxDB-like system inside the agent. It stores what it is given and keeps InfluxDB's
// rules: unique names, ids of 16 hex digits, read-only system buckets. Deleting either end deletes a label mapping.
import { createHash } from 'node:crypto'
import type { Kind } from '../../model/resources/kind.js'
import { explainInfluxdbKind, influxdbKindsWith, kindAmong, noFlux, type FluxPort } from '../kinds/kinds.js'
import type { JsonObject } from '../../model/json.js'
import type { Connection, Kinds, ListedResource, Platform, Target } from '../../platform/platform.js'
import type { Documents } from '../../platform/documents.js'
import { EmbeddedDriver, type EmbeddedSpace } from './embedded-driver.js'
import { labelling } from '../labelling.js'
import { madeByInfluxdb } from '../made-by-influxdb.js'
import { secretStore } from '../secret-store.js'
import { Vault, type SecretSealer } from './vault.js'

const systemBuckets = ['_monitoring', '_tasks']

export interface EmbeddedOptions {
  readonly sealer: SecretSealer
  /** Default: no parser. The platform disposes it. */
  readonly flux?: FluxPort & Partial<Disposable>
}

export class EmbeddedPlatform implements Platform {
  readonly name = 'embedded'
  readonly version = 1
  readonly onFailure = 'undo'
  readonly updatesInParallel = true
  readonly secretStore = secretStore
  readonly labelling = labelling
  readonly kinds: readonly Kind[]
  readonly kind: Kinds['kind']
  readonly explainUnknownKind = explainInfluxdbKind
  readonly #documents: Documents
  readonly #sealer: SecretSealer
  readonly #flux: FluxPort & Partial<Disposable>
  readonly #known = new Set<string>()

  constructor(documents: Documents, { sealer, flux = noFlux }: EmbeddedOptions) {
    this.#documents = documents
    this.#sealer = sealer
    this.#flux = flux
    this.kinds = influxdbKindsWith({ conceal: (value) => sealer.toSecret(value), flux })
    this.kind = kindAmong(this.kinds)
  }

  [Symbol.dispose](): void {
    this.#flux[Symbol.dispose]?.()
  }

  systemId(settings: JsonObject): string {
    return settings['organisation'] as string
  }

  madeByTarget(listed: readonly ListedResource[]): ReadonlySet<string> {
    return madeByInfluxdb(listed)
  }

  async connect(target: Target, _signal: AbortSignal): Promise<Connection> {
    const space = this.systemId(target.settings)
    await this.#createOrganisation(space)
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
  readonly about: JsonObject
  readonly #space: EmbeddedSpace

  constructor(space: EmbeddedSpace) {
    this.about = { organisation: space.space }
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
