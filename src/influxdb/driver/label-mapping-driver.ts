// The driver of label mappings: the listing of each resource has its labels.
import { compareText } from '../../lib/text/compare-text.js'
import { familyOf, nameOf, type Address, type Identity } from '../../model/address.js'
import { Rejected } from '../../model/errors.js'
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import type { Observed } from '../../model/resources/resource.js'
import type { Driver, ResourceLookup } from '../../platform/platform.js'
import { resourceTypes } from '../kinds/kinds.js'
import { NotFound } from './server/api-errors.js'
import { createOnce } from './create-once.js'
import { families, type ApiResource } from './families.js'
import type { Organisation } from './organisation.js'

interface Ends {
  readonly family: string
  readonly resource: string
  readonly label: string
}

/** The identity of a mapping has its two ends: `RESOURCE/LABEL`. */
export class LabelMappingDriver implements Driver {
  readonly #organisation: Organisation
  readonly #since: number

  /** `since`: elapsed milliseconds; what was read before does not count. */
  constructor(organisation: Organisation, since: number) {
    this.#organisation = organisation
    this.#since = since
  }

  async read(lookups: readonly ResourceLookup[], signal: AbortSignal): Promise<ReadonlyMap<Address, Observed>> {
    const wanted = lookups.flatMap(({ address, identity, key }) => {
      const ends = [identity, key].flatMap((name) => (name === undefined ? [] : [name]))
      return ends.map((name) => ({ address, name, families: ownerFamilies(address) }))
    })
    const byFamily = new Map<string, Set<string>>()
    for (const { name, families: among } of wanted)
      for (const family of among) {
        const ids = byFamily.get(family) ?? new Set()
        byFamily.set(family, ids.add(name.split('/', 1)[0]!))
      }
    const owners = await Promise.all(
      [...byFamily].map(async ([family, ids]) => [family, await this.#owners(family, [...ids], signal)] as const),
    )
    const mappings = new Map(
      owners.flatMap(([family, all]) =>
        all.flatMap((owner) => mappingsOf(family, owner).map((one) => [one.identity as string, one] as const)),
      ),
    )
    const found = new Map<Address, Observed>()
    for (const { address, name } of wanted) {
      const mapping = mappings.get(name)
      if (mapping !== undefined && !found.has(address)) found.set(address, mapping)
    }
    return found
  }

  trace({ resourceType, resourceID, labelID }: JsonObject): Json {
    return { resourceType: resourceType!, resourceID: resourceID!, labelID: labelID! }
  }

  async find(trace: Json, signal: AbortSignal): Promise<Observed | undefined> {
    const { family, resource, label } = endsOf(trace as JsonObject)
    const { readings } = this.#organisation
    const owner = (await readings.byId(family, [resource], this.#organisation.now(), signal)).get(resource)
    const identity = `${resource}/${label}`
    return owner && mappingsOf(family, owner).find((one) => one.identity === identity)
  }

  /** An answer that says the label is there already is that of an earlier attempt only if one had no answer. */
  async create(state: JsonObject, trace: Json, signal: AbortSignal): Promise<Observed> {
    const ends = endsOf(state)
    const path = `${this.#organisation.pathOf(ends.family, ends.resource)}/labels`
    const request = { method: 'POST', path, body: { labelID: ends.label } } as const
    const make = async (): Promise<Observed> => {
      await this.#organisation.write([ends.family], request, signal)
      return observedMapping(ends)
    }
    return createOnce({ make, find: () => this.find(trace, signal), clock: this.#organisation.clock }, signal)
  }

  /** A mapping has nothing but its ends, so there is nothing to change. */
  async update({ identity }: Observed, state: JsonObject, signal: AbortSignal): Promise<Observed> {
    const there = await this.find(state, signal)
    if (there === undefined || there.identity !== identity)
      throw new Rejected(`InfluxDB has no label mapping ${identity}.`, {
        code: 'influxdb/not-found',
        hint: 'It was removed meanwhile.',
      })
    return there
  }

  async remove({ actual }: Observed, signal: AbortSignal): Promise<void> {
    const { family, resource, label } = endsOf(actual)
    try {
      const path = `${this.#organisation.pathOf(family, resource)}/labels/${encodeURIComponent(label)}`
      await this.#organisation.write([family], { method: 'DELETE', path }, signal)
    } catch (error) {
      if (!(error instanceof NotFound)) throw error
    }
  }

  async #owners(family: string, ids: readonly string[], signal: AbortSignal): Promise<readonly ApiResource[]> {
    const { readings } = this.#organisation
    const all =
      family === 'Dashboard'
        ? await readings.listing(family, this.#since, signal) // one by one they come with their charts
        : await readings.byId(family, ids, this.#since, signal)
    return ids.flatMap((id) => all.get(id) ?? [])
  }
}

/** The label mappings that the API lists with a resource, in the order of their labels. */
export function mappingsOf(family: string, { id, labels }: ApiResource): readonly Observed[] {
  const all = Array.isArray(labels) ? (labels as readonly Json[]).filter(isObject) : []
  return all
    .flatMap((label) => (typeof label['id'] === 'string' ? [label['id']] : []))
    .sort(compareText)
    .map((label) => observedMapping({ family, resource: id, label }))
}

/** Families whose resources may have labels. */
const labelled: readonly string[] = Object.keys(families).filter((family) => family !== 'Label')

/** A part's address begins with that of its resource. Without it, a mapping may be in any family. */
function ownerFamilies(address: Address): readonly string[] {
  const owner = familyOf(nameOf(address) as Address)
  return labelled.includes(owner) ? [owner] : labelled
}

function endsOf({ resourceType, resourceID, labelID }: JsonObject): Ends {
  const [family] = Object.entries(resourceTypes).find(([, type]) => type === resourceType) ?? []
  return { family: family!, resource: resourceID as string, label: labelID as string }
}

function observedMapping({ family, resource, label }: Ends): Observed {
  const actual = { resourceType: resourceTypes[family]!, resourceID: resource, labelID: label }
  return { identity: `${resource}/${label}` as Identity, actual }
}
