// Resources that another stack owns. A stack that declares the same values shares the resource. A sync that declares
// different values is refused, unless it may take the resource over.
import type { Address } from '../model/address.js'
import type { Change, FieldChange } from '../model/resources/change.js'
import type { JsonObject } from '../model/json.js'
import type { Problem } from '../model/problem.js'
import type { Claim, Resource } from '../model/resources/resource.js'
import { consentedTakeovers } from './approval-rules.js'
import { inActualOrder } from './any-order.js'
import { fieldChanges, sameJson } from './diff.js'
import type { IgnoredFields } from './ignored.js'
import { changeBase, type PlanInput } from './plan-input.js'
import { claimed, takenOver } from './plan-problems.js'

/** `unclaimed`: no other stack owns it. `unchanged`: this stack shares it already, or waits for its owner. */
export type ClaimResult =
  | { readonly kind: 'unclaimed' }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'shared'; readonly change: Change }
  | { readonly kind: 'taken-over'; readonly change: Change; readonly warning: Problem }

/** `fields`: the differences from the actual state. */
export function checkClaim(
  resource: Resource,
  desired: JsonObject,
  {
    input,
    ignoredFields,
    fields,
  }: {
    readonly input: PlanInput
    readonly ignoredFields: (family: string) => IgnoredFields
    readonly fields: readonly FieldChange[]
  },
): ClaimResult {
  const { address, kind } = resource
  const owned = input.owned.get(address)
  const there = input.observed.get(address)
  const identity = there?.identity ?? (owned?.shared === true ? owned.identity : undefined)
  const claim = identity === undefined ? undefined : input.claims.owner(kind.family, identity)
  if (claim === undefined || identity === undefined) return { kind: 'unclaimed' }
  if (there === undefined) return { kind: waitsForOwner(resource, desired, claim) ? 'unchanged' : 'unclaimed' }
  const { strip } = ignoredFields(kind.family)
  const declaredLike = (applied: JsonObject): JsonObject =>
    inActualOrder(applied, strip(desired), kind.comparison?.anyOrder)
  const applied = strip(claim.owned.applied)
  const paths = fieldChanges(applied, declaredLike(applied)).map(({ path }) => path)
  const update = { ...changeBase(resource, desired), action: 'update', identity } as const
  if (paths.length > 0 && mayTakeOver(address, input)) {
    const change = { ...update, takesFrom: claim.stackName, fields, reason: 'edited' } as const
    return { kind: 'taken-over', change, warning: takenOver(resource, claim, paths) }
  }
  if (paths.length > 0) return { kind: 'refused', problem: claimed(resource, claim, paths) }
  const shared = owned?.shared === true && owned.identity === identity ? strip(owned.applied) : undefined
  if (shared !== undefined && sameJson(shared, declaredLike(shared))) return { kind: 'unchanged' }
  const reason = owned === undefined ? 'added' : 'edited'
  return { kind: 'shared', change: { ...update, shares: true, fields: [], reason } }
}

/** The owner recreates a missing shared resource. Under another name it is a new resource of this stack. */
function waitsForOwner({ kind }: Resource, desired: JsonObject, { owned }: Claim): boolean {
  return kind.matching?.key(owned.applied) === kind.matching?.key(desired)
}

/** True for an apply, and for the run that continues it after a crash; false for a later sync of the package. */
function mayTakeOver(address: Address, { takesOver, consent, revision }: PlanInput): boolean {
  return takesOver === true || consentedTakeovers(consent, revision).has(address)
}
