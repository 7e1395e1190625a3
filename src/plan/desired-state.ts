import type { Address } from '../model/address.js'
import { edgeTargets } from '../model/edge.js'
import { Unknown, type Json, type JsonObject } from '../model/json.js'
import type { Kind, Resolve } from '../model/kind.js'
import type { Observed, Resource } from '../model/resource.js'

/** The desired state of a resource, not normalized. Values that only the target can name are those it has already. */
export function desiredState(
  { kind, spec, edges }: Resource,
  resolve: Resolve,
  there: Observed | undefined,
): JsonObject {
  const state = kind.encode(spec, resolve)
  return there === undefined ? state : (kind.secrets?.recognise(state, there, edgeTargets(edges)) ?? state)
}

/** Resolves references: the id of an existing resource is known; its other outputs are unknown if it will change. */
export function resolverFor(
  { observed }: { readonly observed: ReadonlyMap<Address, Observed> },
  changing: ReadonlySet<Address>,
  kinds: ReadonlyMap<Address, Kind>,
): Resolve {
  return (reference): Json => {
    const output = reference.output ?? 'id'
    const there = observed.get(reference.to)
    if (there === undefined) return new Unknown(reference.to, output)
    if (output === 'id') return there.identity
    if (changing.has(reference.to)) return new Unknown(reference.to, output)
    return kinds.get(reference.to)?.outputs?.(there.actual)[output] ?? new Unknown(reference.to, output)
  }
}
