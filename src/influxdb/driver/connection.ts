// A connection to an organisation of an InfluxDB server.
import { compareText } from '../../lib/text/compare-text.js'
import type { JsonObject } from '../../model/json.js'
import type { Finding } from '../../model/problem.js'
import type { Kind } from '../../model/resources/kind.js'
import type { Observed } from '../../model/resources/resource.js'
import type { Connection, Driver, ForeignStack, ListedResource } from '../../platform/platform.js'
import { DashboardDriver } from './dashboard-driver.js'
import { EndpointSecrets, type Conceal } from './endpoint-secrets.js'
import { families, type ApiResource } from './families.js'
import { foreignStacks } from './foreign-stacks.js'
import { LabelMappingDriver, mappingsOf } from './label-mapping-driver.js'
import { observedSince } from './observed.js'
import type { Organisation } from './organisation.js'
import { isSystemBucket } from '../kinds/kinds.js'
import { emptyListingWarnings } from './server/permissions.js'
import { ResourceDriver, type ResourceDriverParts } from './resource-driver.js'
import { observedSecrets, SecretDriver } from './secret-driver.js'

const listedFamilies: readonly string[] = [...Object.keys(families), 'LabelMapping', 'Secret'].sort(compareText)

export interface ConnectionParts {
  readonly organisation: Organisation
  readonly about: JsonObject
  readonly warnings: readonly Finding[]
  /** The server shows all permissions of the token. */
  readonly showsPermissions: boolean
  /** Elapsed milliseconds: what was read before does not count. */
  readonly since: number
  readonly conceal: Conceal
}

export class InfluxdbConnection implements Connection {
  readonly about: JsonObject
  /** Changes in progress share commits of the journal; requests wait for their turn in the client. */
  readonly concurrency = 64
  readonly #organisation: Organisation
  readonly #since: number
  readonly #conceal: Conceal
  readonly #secrets: EndpointSecrets
  readonly #known: Pick<ConnectionParts, 'warnings' | 'showsPermissions'>
  /** Families whose listing was empty. */
  readonly #empty = new Set<string>()

  constructor({ organisation, about, since, conceal, ...known }: ConnectionParts) {
    this.about = about
    this.#known = known
    this.#organisation = organisation
    this.#since = since
    this.#conceal = conceal
    this.#secrets = new EndpointSecrets(organisation, conceal)
  }

  get warnings(): readonly Finding[] {
    const { warnings, showsPermissions } = this.#known
    const empty = showsPermissions ? [] : [...this.#empty].sort(compareText)
    return [...warnings, ...emptyListingWarnings(empty, this.#organisation.client.target)]
  }

  driver(kind: Kind): Driver {
    switch (kind.family) {
      case 'Secret':
        return new SecretDriver(this.#organisation, this.#conceal)
      case 'LabelMapping':
        return new LabelMappingDriver(this.#organisation, this.#since)
      case 'Dashboard':
        return new DashboardDriver(this.#partsOf(kind))
      default:
        return new ResourceDriver(this.#partsOf(kind))
    }
  }

  foreignStacks({ id }: { readonly id?: string }, signal: AbortSignal): Promise<readonly ForeignStack[]> {
    return foreignStacks(this.#organisation, id, signal)
  }

  async list(
    { limit, after }: { readonly limit: number; readonly after?: string | undefined },
    signal: AbortSignal,
  ): Promise<readonly ListedResource[]> {
    const slash = after?.indexOf('/') ?? -1
    const from = slash < 0 ? { family: '', id: '' } : { family: after!.slice(0, slash), id: after!.slice(slash + 1) }
    const page: ListedResource[] = []
    for (const family of listedFamilies) {
      if (compareText(family, from.family) < 0) continue
      const idsAfter = family === from.family ? from.id : ''
      const listed = await this.#listFamily(family, { limit: limit - page.length, after: idsAfter }, signal)
      page.push(...listed.map((observed) => ({ family, observed })))
      if (page.length === limit) break
    }
    return page
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #partsOf(kind: Kind): ResourceDriverParts {
    return { organisation: this.#organisation, kind, since: this.#since, secrets: this.#secrets }
  }

  async #listFamily(family: string, page: Page, signal: AbortSignal): Promise<readonly Observed[]> {
    if (family === 'Secret') {
      const keys = pageOf(await this.#organisation.secretKeys(signal), (key) => key, page)
      return [...(await observedSecrets(this.#organisation, keys)).values()]
    }
    if (family === 'LabelMapping') return pageOf(await this.#mappings(signal), ({ identity }) => identity, page)
    const { readings } = this.#organisation
    const all = [...(await readings.listing(family, this.#since, signal)).values()]
    // InfluxDB lists system buckets for any token.
    if (all.every((one) => family === 'Bucket' && isSystemBucket(one))) this.#empty.add(family)
    const forms = pageOf(all, ({ id }) => id, page)
    const whole = await this.#whole(family, forms, signal)
    return observedSince({ family, forms: whole, since: this.#since }, this.#organisation, signal)
  }

  /** A listing of dashboards lacks their charts. */
  async #whole(family: string, forms: readonly ApiResource[], signal: AbortSignal): Promise<readonly ApiResource[]> {
    if (family !== 'Dashboard') return forms
    const ids = forms.map(({ id }) => id)
    const read = await this.#organisation.readings.byId(family, ids, this.#since, signal)
    return ids.flatMap((id) => read.get(id) ?? [])
  }

  async #mappings(signal: AbortSignal): Promise<readonly Observed[]> {
    const { readings } = this.#organisation
    const owners = await Promise.all(
      Object.keys(families).map(async (family) => {
        const all = family === 'Label' ? new Map() : await readings.listing(family, this.#since, signal)
        return [...(all as ReadonlyMap<string, ApiResource>).values()].flatMap((one) => mappingsOf(family, one))
      }),
    )
    return owners.flat()
  }
}

interface Page {
  readonly limit: number
  /** '' for the first page. */
  readonly after: string
}

function pageOf<T>(all: readonly T[], idOf: (one: T) => string, { limit, after }: Page): readonly T[] {
  return all
    .filter((one) => compareText(idOf(one), after) > 0)
    .sort((a, b) => compareText(idOf(a), idOf(b)))
    .slice(0, limit)
}
