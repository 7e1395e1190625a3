// All resources of a target, read once for all selectors of an export.
import type { Identity } from '../../model/address.js'
import type { JsonObject } from '../../model/json.js'
import type { Finding } from '../../model/problem.js'
import type { Kind } from '../../model/resources/kind.js'
import { inSlices, type Steps } from '../../lib/async/steps.js'
import type { ResourceIdentity } from '../../model/resources/resource.js'
import { labelsByResource, nameOnTarget } from '../../platform/labelled-resources.js'
import type { ListedResource, TargetPlatform } from '../../platform/platform.js'
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

/** What a target listed. `labels`: ids of labels, by `family/identity` of the resource. */
interface ListedResources {
  readonly resources: readonly InventoryResource[]
  readonly labels: ReadonlyMap<string, readonly string[]>
}

/** All resources of a target, and what the connection warned of. */
export interface TargetInventory {
  readonly inventory: Inventory
  readonly warnings: readonly Finding[]
}

export class Inventory {
  readonly system: string
  readonly platform: TargetPlatform
  readonly resources: readonly InventoryResource[]
  readonly #byKey: ReadonlyMap<string, InventoryResource>
  readonly #byName: ReadonlyMap<string, InventoryResource>
  readonly #labels: ReadonlyMap<string, readonly string[]>

  constructor(system: string, platform: TargetPlatform, { resources, labels }: ListedResources) {
    this.system = system
    this.platform = platform
    this.resources = resources
    this.#byKey = new Map(resources.map((one) => [one.key, one]))
    this.#byName = new Map(resources.map((one) => [nameKey(one.kind, one.actual), one]))
    this.#labels = labels
  }

  resource(family: string, identity: string): InventoryResource | undefined {
    return this.#byKey.get(inventoryKey(this.system, `${family}/${identity}`))
  }

  /** The labels on the resource. */
  labelsOf(resource: ResourceIdentity): readonly InventoryResource[] {
    const { labelling } = this.platform
    if (labelling === undefined) return []
    const ids = this.#labels.get(nameOnTarget(resource)) ?? []
    return ids.flatMap((id) => this.resource(labelling.family, id) ?? [])
  }

  /** The label with this display name. */
  label(name: string): InventoryResource | undefined {
    const family = this.platform.labelling?.family
    return family === undefined ? undefined : this.named(family, name)
  }

  /** The resource with this display name, by the target's own rule for equal names. */
  named(family: string, name: string): InventoryResource | undefined {
    const kind = this.platform.kinds.find((one) => one.family === family)
    return kind && this.#byName.get(nameKey(kind, { name }))
  }
}

/** Errors: those of the target. */
export async function readInventory(target: string, targets: Targets, signal: AbortSignal): Promise<TargetInventory> {
  return targets.reach(target, {}, signal, async (reached) => {
    const listed: ListedResource[] = []
    for await (const page of pagesOfListings(reached, signal)) listed.push(...page)
    const inventory = await inSlices(inventorySteps(targets.liveSystem(target), reached.platform, listed), signal)
    return { inventory, warnings: reached.connection.warnings ?? [] }
  })
}

/** A step for each listing. */
export function* inventorySteps(
  system: string,
  platform: TargetPlatform,
  listed: readonly ListedResource[],
): Steps<Inventory> {
  const resources = yield* resourceSteps(system, platform, listed)
  const labels = yield* labelsByResource(platform, listed)
  return new Inventory(system, platform, { resources, labels })
}

/** The kinds of a name: a kind or a family. Parts are left out. */
export function kindsNamed({ kinds }: TargetPlatform, name: string): readonly Kind[] {
  return kinds.filter((kind) => !isPart(kind) && (kind.kind === name || kind.family === name))
}

function nameKey(kind: Kind, state: JsonObject): string {
  return `${kind.family}/${kind.matching?.key(state) ?? kind.displayName?.(state) ?? ''}`
}

function* resourceSteps(
  system: string,
  platform: TargetPlatform,
  listed: readonly ListedResource[],
): Steps<readonly InventoryResource[]> {
  const ofSystem = platform.madeByTarget?.(listed) ?? new Set<string>()
  yield
  const resources: InventoryResource[] = []
  for (const { family, observed } of listed) {
    yield
    const { identity, actual } = observed
    const kind = declaringKind(platform, family, { identity, actual })
    if (kind === undefined) continue
    const state = kind.normalise(actual)
    const name = kind.displayName?.(state) ?? identity
    const isOfSystem = ofSystem.has(nameOnTarget({ family, identity }))
    const key = inventoryKey(system, `${family}/${identity}`)
    resources.push({ key, system, family, identity, kind, actual: state, name, ofSystem: isOfSystem })
  }
  return resources
}

/** `onTarget`: as `nameOnTarget` names it. */
export function inventoryKey(system: string, onTarget: string): string {
  return `${system} ${onTarget}`
}
