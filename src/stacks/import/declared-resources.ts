// What a package declares and the target has already.
import type { Address } from '../../model/address.js'
import type { Change } from '../../model/resources/change.js'
import { edgeTargets } from '../../model/resources/edge.js'
import { unknownYet, type Kind } from '../../model/resources/kind.js'
import type { Observed, Owned, Resource } from '../../model/resources/resource.js'
import { inSlices } from '../../lib/async/steps.js'
import { inActualOrder } from '../../plan/any-order.js'
import { desiredState } from '../../plan/desired-state.js'
import { nameOf } from '../../model/address.js'
import type { ForeignResource, ListedResource } from '../../platform/platform.js'
import { nameOnTarget } from '../../platform/labelled-resources.js'
import type { Context } from '../context.js'
import { inventorySteps, type InventoryResource } from '../export/inventory.js'
import { generatedName } from '../export/names.js'
import type { Planned } from '../plans/plan-stack.js'
import { pagesOfListings, type Reached } from '../targets.js'

/**
 * The existing resources of kinds without a unique key that these declare, if no stack owns them: the one that an
 * export named so, else the only one with this display name. A plan finds those of other kinds by their keys.
 */
export async function matchingResources(
  { store }: Context,
  resources: readonly Resource[],
  reached: Reached,
  signal: AbortSignal,
): Promise<readonly ForeignResource[]> {
  const declared = resources.filter(({ kind, partOf }) => kind.matching === undefined && partOf === undefined)
  if (declared.length === 0) return []
  const families = new Set(declared.map(({ kind }) => kind.family))
  const { system, platform } = reached
  const listed: ListedResource[] = []
  for await (const page of pagesOfListings(reached, signal)) listed.push(...page)
  const inventory = await inSlices(inventorySteps(system, platform, listed), signal)
  const there = inventory.resources.filter(({ family, ofSystem }) => families.has(family) && !ofSystem)
  const owners = await store.ownership.owners(system, there)
  return pairs(
    declared,
    there.filter((one) => !owners.has(nameOnTarget(one))),
  )
}

function pairs(declared: readonly Resource[], there: readonly InventoryResource[]): readonly ForeignResource[] {
  const exported = new Map(there.map((one) => [`${one.family}/${generatedName(one.identity)}`, one]))
  const named = onlyOnes(there, ({ family, name }) => `${family}/${name}`)
  const declaredOnce = onlyOnes(declared, displayKey)
  const taken = new Set<InventoryResource>()
  const found = new Map<Address, InventoryResource>()
  const pair = ({ address }: Resource, one: InventoryResource | undefined): void => {
    if (one === undefined || taken.has(one) || found.has(address)) return
    taken.add(one)
    found.set(address, one)
  }
  for (const one of declared) pair(one, exported.get(`${one.kind.family}/${nameOf(one.address)}`))
  for (const [key, one] of declaredOnce) pair(one, named.get(key))
  return [...found].map(([address, { identity }]) => ({ address, identity, needs: [] }))
}

/** Those whose key no other one has, by their key. */
function onlyOnes<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, T> {
  const found = new Map<string, T>()
  const several = new Set<string>()
  for (const one of all) {
    const key = keyOf(one)
    if (found.has(key)) several.add(key)
    found.set(key, one)
  }
  for (const key of several) found.delete(key)
  return found
}

function displayKey({ kind, spec, address }: Resource): string {
  const name = kind.displayName?.(kind.normalise(kind.encode(spec, unknownYet)))
  return `${kind.family}/${name ?? nameOf(address)}`
}

/**
 * Ownership with what the package says about it, so that a plan has no change for a resource that is as declared. It
 * adds the parts that exist; `takesAll`: and all that the plan adopts. `planned`: with `own` as ownership.
 */
export function asDeclared(
  own: readonly Owned[],
  resources: readonly Resource[],
  { plan, observed }: Planned,
  { takesAll }: { readonly takesAll: boolean },
): readonly Owned[] {
  const records = new Map(own.map((one) => [one.address, one]))
  const declared = new Map(resources.map((one) => [one.address, one]))
  const kinds = new Map(resources.map(({ address, kind }) => [address, kind]))
  const isTaken = ({ adopts, address, partOf }: Change): boolean =>
    records.has(address) || (adopts === true && (takesAll || (partOf !== undefined && records.has(partOf))))
  for (const change of plan.changes) {
    const resource = declared.get(change.address)
    const there = observed.get(change.address)
    if (change.action !== 'update' || resource === undefined || there === undefined || !isTaken(change)) continue
    records.set(change.address, ownership(resource, there, { change, observed, kinds }))
  }
  return [...records.values()]
}

interface PlannedResource {
  readonly change: Change
  readonly observed: ReadonlyMap<Address, Observed>
  readonly kinds: ReadonlyMap<Address, Kind>
}

/** A resource that differs keeps its actual state as the applied one: the difference is a change of the package. */
function ownership(resource: Resource, there: Observed, { change, observed, kinds }: PlannedResource): Owned {
  const { address, kind, edges, partOf } = resource
  const actual = kind.normalise(there.actual)
  const desired = (): Owned['applied'] => {
    const state = kind.normalise(desiredState(resource, { observed, kinds, planned: new Map() }, there))
    return inActualOrder(actual, state, kind.comparison?.anyOrder)
  }
  return {
    address,
    kind: kind.kind,
    identity: there.identity,
    applied: change.fields.length === 0 ? desired() : actual,
    needs: edgeTargets(edges),
    ...(edges.length === 0 || partOf !== undefined ? {} : { edges }),
    ...(partOf === undefined ? {} : { partOf }),
    adopted: true,
  }
}
