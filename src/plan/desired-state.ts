import type { Address } from '../model/address.js'
import { edgeTargets } from '../model/resources/edge.js'
import { InvalidPackage } from '../model/errors.js'
import { Unknown, type Json, type JsonObject } from '../model/json.js'
import type { Kind, Resolve } from '../model/resources/kind.js'
import type { Observed, Resource, UnplannedResource } from '../model/resources/resource.js'
import { outputNames, outputValue, plannedOutput } from './output-value.js'
import { noOutput } from './plan-problems.js'

/** What decides the values of references. */
export interface Known {
  readonly observed: ReadonlyMap<Address, Observed>
  readonly kinds: ReadonlyMap<Address, Kind>
  /** The states that planned changes lead to. They may have more fields after the apply. */
  readonly planned: ReadonlyMap<Address, JsonObject>
  /** Resources that a partial plan neither reads nor plans. */
  readonly known?: ReadonlyMap<Address, UnplannedResource> | undefined
}

/**
 * The desired state of a resource, not normalized. Values that only the target can name are those it has already.
 * Errors: `InvalidPackage` if a reference leads to nothing, or its value does not fit.
 */
export function desiredState(resource: Resource, known: Known, there: Observed | undefined): JsonObject {
  const { kind, spec, edges } = resource
  const state = kind.encode(spec, resolverFor(resource, known))
  return there === undefined ? state : (kind.secrets?.recognise(state, there, edgeTargets(edges)) ?? state)
}

/** Resolves references. The id of an existing resource is known; of one that changes, what its declaration says. */
export function resolverFor({ address, document }: Resource, { observed, kinds, planned, known }: Known): Resolve {
  return ({ to, output = 'id', pointer }): Json => {
    const there = observed.get(to) ?? observedFrom(known?.get(to))
    if (there !== undefined && output === 'id') return there.identity
    const desired = planned.get(to)
    const isSettled = desired === undefined && there !== undefined
    const kind = kinds.get(to)
    const value = isSettled ? outputValue(kind, there, output) : desired && plannedOutput(kind, desired, output)
    if (value !== undefined) return value
    if (!isSettled) return new Unknown(to, output)
    const place = pointer === undefined ? document.place : document.locate(pointer)
    throw new InvalidPackage([noOutput(address, { to, output }, outputNames(kind, there), place)], 'plan/no-output')
  }
}

function observedFrom(known: UnplannedResource | undefined): Observed | undefined {
  return known && { identity: known.identity, actual: known.outputs }
}
