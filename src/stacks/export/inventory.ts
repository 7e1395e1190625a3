// All resources of a target, read once for all selectors of an export.
import { resourceTypes, systemResources } from '../../kinds/influxdb/influxdb.js'
import type { Identity } from '../../model/address.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { Kind } from '../../model/kind.js'
import { inSlices, type Steps } from '../../lib/steps.js'
import type { ListedResource, Platform } from '../../platform/platform.js'
import { declaringKind, isPart } from '../ownership/declaring-kind.js'
import { pagesOfListings, type Targets } from '../targets.js'

/** A resource that a package could declare. `key`: unique over all targets; `actual`: normalised. */
export interface InventoryResource {
  readonly key: string
  readonly system: string
  readonly family: string
  readonly identity: Identity
  readonly kind: Kind
  readonly actual: JsonObject
  readonly name: string
  /** The target created it itself. */
  readonly ofSystem: boolean
}

/** What a target listed. `labels`: ids of labels, by `resourceType/resourceID`. */
interface ListedResources {
  readonly resources: readonly InventoryResource[]
  readonly labels: ReadonlyMap<string, readonly string[]>
}

export class Inventory {
  readonly system: string
  readonly platform: Platform
  readonly resources: readonly InventoryResource[]
  readonly #byKey: ReadonlyMap<string, InventoryResource>
  readonly #byName: ReadonlyMap<string, InventoryResource>
  readonly #labels: ReadonlyMap<string, readonly string[]>

  constructor(system: string, platform: Platform, { resources, labels }: ListedResources) {
    this.system = system
    this.platform = platform
    this.resources = resources
    this.#byKey = new Map(resources.map((one) => [one.key, one]))
    this.#byName = new Map(resources.map((one) => [nameKey(one.kind, one.actual), one]))
    this.#labels = labels
  }

  resource(family: string, identity: string): InventoryResource | undefined {
    return this.#byKey.get(inventoryKey(this.system, family, identity))
  }

  /** The labels on the resource. */
  labelsOf({ family, identity }: InventoryResource): readonly InventoryResource[] {
    const ids = this.#labels.get(`${resourceTypes[family]}/${identity}`) ?? []
    return ids.flatMap((id) => this.resource('Label', id) ?? [])
  }

  /** The resource with this display name, by the target's own rule for equal names. */
  named(family: string, name: string): InventoryResource | undefined {
    const kind = this.platform.kinds.find((one) => one.family === family)
    return kind && this.#byName.get(nameKey(kind, { name }))
  }
}

/** Errors: those of the target. */
export async function readInventory(target: string, targets: Targets, signal: AbortSignal): Promise<Inventory> {
  return targets.reach(target, {}, signal, async (reached) => {
    const listed: ListedResource[] = []
    for await (const page of pagesOfListings(reached, signal)) listed.push(...page)
    return inSlices(inventorySteps(targets.liveSystem(target), reached.platform, listed), signal)
  })
}

/** A step for each listing. */
export function* inventorySteps(
  system: string,
  platform: Platform,
  listed: readonly ListedResource[],
): Steps<Inventory> {
  const resources = yield* resourceSteps(system, platform, listed)
  const labels = yield* labelsByResource(listed)
  return new Inventory(system, platform, { resources, labels })
}

/** The kinds of a name: a kind or a family. Parts are left out. */
export function kindsNamed({ kinds }: Platform, name: string): readonly Kind[] {
  return kinds.filter((kind) => !isPart(kind) && (kind.kind === name || kind.family === name))
}

function nameKey(kind: Kind, state: JsonObject): string {
  return `${kind.family}/${kind.key?.(state) ?? kind.displayName?.(state) ?? ''}`
}

function* resourceSteps(
  system: string,
  platform: Platform,
  listed: readonly ListedResource[],
): Steps<readonly InventoryResource[]> {
  const there = listed.map(({ family, observed }) => {
    return { family, identity: observed.identity, state: { ...observed.actual, ...observed.readOnly } }
  })
  yield
  const ofSystem = systemResources(there)
  const resources: InventoryResource[] = []
  for (const { family, observed } of listed) {
    yield
    const { identity, actual } = observed
    const kind = declaringKind(platform, family, { identity, actual })
    if (kind === undefined) continue
    const state = kind.normalise(actual)
    const name = kind.displayName?.(state) ?? identity
    const isOfSystem = ofSystem.has(`${family}/${identity}`)
    const key = inventoryKey(system, family, identity)
    resources.push({ key, system, family, identity, kind, actual: state, name, ofSystem: isOfSystem })
  }
  return resources
}

function inventoryKey(system: string, family: string, identity: string): string {
  return `${system} ${family}/${identity}`
}

/** By `resourceType/resourceID`: ids of labels. */
function* labelsByResource(listed: readonly ListedResource[]): Steps<ReadonlyMap<string, readonly string[]>> {
  const labels = new Map<string, string[]>()
  for (const { family, observed } of listed) {
    yield
    const { resourceType, resourceID, labelID } = observed.actual
    if (family !== 'LabelMapping' || !isText(resourceType) || !isText(resourceID) || !isText(labelID)) continue
    const resource = `${resourceType}/${resourceID}`
    const ids = labels.get(resource)
    if (ids === undefined) labels.set(resource, [labelID])
    else ids.push(labelID)
  }
  return labels
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string'
}
