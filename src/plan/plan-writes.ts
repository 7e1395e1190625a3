// The changes of declared resources: creations, updates, and changes of ownership.
import { whenReady } from '../lib/async/pending.js'
import type { Steps } from '../lib/async/steps.js'
import { familyOf, type Address } from '../model/address.js'
import { mostLosses, type Change, type ChangeReason, type FieldChange } from '../model/resources/change.js'
import { edgeTargets } from '../model/resources/edge.js'
import { InvalidPackage } from '../model/errors.js'
import type { JsonObject } from '../model/json.js'
import type { Kind } from '../model/resources/kind.js'
import type { Problem } from '../model/problem.js'
import type { Observed, Owned, Resource } from '../model/resources/resource.js'
import { inActualOrder } from './any-order.js'
import { checkClaim } from './claimed.js'
import { writesTarget } from './counts.js'
import { desiredState, type Known } from './desired-state.js'
import { fieldChanges, isResolved, sameJson, unknownSources } from './diff.js'
import { compareIgnoring, ignoredFieldsByFamily, UnmatchedRules, type IgnoredFields } from './ignored.js'
import { namedChanges } from './named-changes.js'
import { changeBase, type PlanInput, type UnorderedChange } from './plan-input.js'
import { notRestorable } from './plan-problems.js'
import { declaredReason } from './real-reason.js'
import { UncorrectedDifferences } from './uncorrected-differences.js'

export interface PlannedWrites {
  readonly writes: readonly UnorderedChange[]
  /** Resources without parts that are as declared. */
  readonly unchanged: number
  readonly uncorrected: UncorrectedDifferences
}

interface Context {
  readonly input: PlanInput
  readonly moved: ReadonlyMap<Address, Address>
  /** The resources that the stack owns, by family and identity; found when one is first looked for. */
  ownedByIdentity?: ReadonlyMap<string, Owned>
  /** Resources whose drift the plan corrects. */
  readonly corrected: Set<Address>
  readonly problems: Problem[]
  readonly ignoredFields: (family: string) => IgnoredFields
}

/** `moved`: new address → former address. */
export function* planWrites(
  input: PlanInput,
  moved: ReadonlyMap<Address, Address>,
  problems: Problem[],
): Steps<PlannedWrites> {
  const writes: UnorderedChange[] = []
  const uncorrected = new UncorrectedDifferences()
  const rules = new UnmatchedRules(input.policy.ignore)
  const planned = new Map<Address, JsonObject>()
  const kinds = new Map(input.resources.map((resource) => [resource.address, resource.kind]))
  const known = { observed: input.observed, kinds, planned, known: input.known }
  const context: Context = {
    input,
    moved,
    corrected: new Set<Address>(),
    problems,
    ignoredFields: ignoredFieldsByFamily(input.policy.ignore),
  }
  let unchanged = 0
  for (const resource of input.resources) {
    yield
    const { address, kind, partOf } = resource
    const there = input.observed.get(address)
    const actual = there && (yield* whenReady(() => kind.normalise(there.actual)))
    yield
    const declared = yield* declaredState(resource, known, there, problems)
    yield
    if (declared === undefined) continue
    const desired = actual === undefined ? declared : inActualOrder(actual, declared, kind.comparison?.anyOrder)
    const compared = actual && compareIgnoring(actual, desired, context.ignoredFields(kind.family))
    yield
    rules.see(kind.family, desired, there?.actual)
    if (isAtOtherAddress(there, input.owned.get(address))) context.ownedByIdentity ??= yield* byIdentity(input.owned)
    const change = changeOfResource(resource, desired, compared?.fields ?? [], context)
    uncorrected.addIgnored(address, compared?.ignored ?? [])
    if (change === undefined) {
      if (partOf === undefined) unchanged++
      if (input.owned.get(address)?.shared === true && compared?.fields.length !== 0)
        uncorrected.addSharedDrift(
          address,
          (compared?.fields ?? []).map(({ path }) => path),
        )
      continue
    }
    const written = change.action === 'update' ? compared!.desired : desired
    if (writesTarget(change)) planned.set(address, written)
    yield
    const more = updateDetails(change, actual, written, kind)
    yield
    const reason = reasonOf(change, resource, desired, context)
    if (reason === 'drifted' || reason === 'gone') context.corrected.add(address)
    writes.push({ change: { ...change, ...more, reason }, kind, desired: written })
  }
  const last = writes.flatMap(({ change }) => (change.last === true ? [change.address] : []))
  if (last.length > 0) problems.push(notRestorable(last))
  if (input.resources.length > 0 && input.known === undefined) problems.push(...rules.problems())
  return { writes, unchanged, uncorrected }
}

/** The desired state, normalized; undefined: one of its references leads to nothing, which is a problem. */
function* declaredState(
  resource: Resource,
  known: Known,
  there: Observed | undefined,
  problems: Problem[],
): Steps<JsonObject | undefined> {
  try {
    return yield* whenReady(() => resource.kind.normalise(desiredState(resource, known, there)))
  } catch (error) {
    if (!(error instanceof InvalidPackage)) throw error
    problems.push(...error.problems)
    return undefined
  }
}

/** True if what the target has is not what the stack owns under this address: it may own it under another one. */
function isAtOtherAddress(there: Observed | undefined, owned: Owned | undefined): boolean {
  return there !== undefined && owned?.identity !== there.identity
}

function* byIdentity(owned: PlanInput['owned']): Steps<ReadonlyMap<string, Owned>> {
  const all = new Map<string, Owned>()
  for (const one of owned.values()) {
    yield
    all.set(`${familyOf(one.address)} ${one.identity}`, one)
  }
  return all
}

/**
 * The data that an update makes the target delete, whether it comes last, and its fields for people if lists with names
 * change.
 */
function updateDetails(
  { action, fields }: Change,
  actual: JsonObject | undefined,
  desired: JsonObject,
  kind: Kind,
): Pick<Change, 'last' | 'losesData' | 'losses' | 'shown'> {
  if (action !== 'update' || fields.length === 0 || actual === undefined) return {}
  const losses = kind.removal?.losses?.(actual, desired) ?? []
  const shown = namedChanges(actual, desired, kind.comparison?.anyOrder)
  return {
    ...(kind.removal?.overwrites?.(actual, desired) === true ? { last: true as const } : {}),
    ...(losses.length === 0 ? {} : { losesData: true as const, losses: losses.slice(0, mostLosses) }),
    ...(shown === undefined ? {} : { shown }),
  }
}

function reasonOf(
  { reason, from }: Change,
  resource: Resource,
  desired: JsonObject,
  { input, ignoredFields }: Context,
): ChangeReason {
  const owned = input.owned.get(from ?? resource.address)
  const { family, comparison } = resource.kind
  const { strip } = ignoredFields(family)
  const applied = owned && strip(owned.applied)
  const stripped = strip(desired)
  const declared = applied === undefined ? stripped : inActualOrder(applied, stripped, comparison?.anyOrder)
  return declaredReason(reason, resource, { applied, desired: declared }, input)
}

/** The change of one declared resource; undefined: none. `fields`: differences that are not ignored. */
function changeOfResource(
  resource: Resource,
  desired: JsonObject,
  fields: readonly FieldChange[],
  context: Context,
): Change | undefined {
  const { moved, problems } = context
  const from = moved.get(resource.address)
  const withMove = (change: Change): Change => (from === undefined ? change : { ...change, from, reason: 'edited' })
  const claim = checkClaim(resource, desired, { input: context.input, ignoredFields: context.ignoredFields, fields })
  if (context.input.known !== undefined && claim.kind !== 'unclaimed') return undefined
  switch (claim.kind) {
    case 'unclaimed':
      return allowedChange(unclaimedChange(resource, desired, fields, context), context)
    case 'unchanged':
      return undefined
    case 'refused':
      problems.push(claim.problem)
      return undefined
    case 'shared':
      return withMove(claim.change)
    case 'taken-over':
      problems.push(claim.warning)
      return withMove(claim.change)
  }
}

/** A partial plan adopts nothing, and leaves shared resources to whole plans, also those that lost their owner. */
function allowedChange(change: Change | undefined, { input }: Context): Change | undefined {
  if (change === undefined || input.known === undefined) return change
  return change.adopts === true || input.owned.get(change.address)?.shared === true ? undefined : change
}

/** The change of a resource that no other stack owns. */
function unclaimedChange(
  resource: Resource,
  desired: JsonObject,
  fields: readonly FieldChange[],
  { input, moved, ownedByIdentity, corrected, ignoredFields }: Context,
): Change | undefined {
  const { address, kind } = resource
  const there = input.observed.get(address)
  const owner = input.owned.get(address)
  const reason = owner === undefined ? 'added' : 'gone'
  if (there === undefined) return creation(resource, desired, reason)
  // Most resources have no change, so it is made last.
  const update = (more: Pick<Change, 'from' | 'adopts' | 'reason'>): Change => {
    return { ...changeBase(resource, desired), action: 'update', identity: there.identity, fields, ...more }
  }
  const from = moved.get(address)
  if (from !== undefined) return update({ from, reason: 'edited' })
  const isHere = !isAtOtherAddress(there, owner)
  const owned = isHere ? owner : ownedByIdentity?.get(`${kind.family} ${there.identity}`)
  if (owned === undefined) return update({ adopts: true, reason })
  if (owned.address !== address) return creation(resource, desired, 'added')
  const { strip } = ignoredFields(kind.family)
  const applied = strip(owned.applied)
  const isDeclaredAsApplied =
    isResolved(inActualOrder(applied, strip(desired), kind.comparison?.anyOrder), applied) &&
    followsCorrections(desired, corrected)
  if (fields.length > 0) return update({ reason: isDeclaredAsApplied ? 'drifted' : 'edited' })
  return isDeclaredAsApplied && !ownershipDiffers(owned, resource) ? undefined : update({ reason: 'edited' })
}

function creation(resource: Resource, desired: JsonObject, reason: ChangeReason): Change {
  return { ...changeBase(resource, desired), action: 'create', fields: fieldChanges(undefined, desired), reason }
}

/** True if all values that are not known yet come from resources whose drift the same plan corrects. */
function followsCorrections(desired: JsonObject, corrected: ReadonlySet<Address>): boolean {
  return unknownSources(desired).every((to) => corrected.has(to))
}

function ownershipDiffers(owned: Owned, resource: Resource): boolean {
  if (owned.shared === true || owned.kind !== resource.kind.kind || owned.partOf !== resource.partOf) return true
  const needs = edgeTargets(resource.edges)
  if (sameJson(owned.needs, needs)) return false
  return !sameJson(requiredNeeds(owned.needs, resource), requiredNeeds(needs, resource))
}

/** Without optional needs: whether a package declares them does not change ownership. */
function requiredNeeds(needs: readonly Address[], { kind, spec }: Resource): readonly Address[] {
  const optional = new Set<string>(kind.references(spec).flatMap(({ to, optional: may }) => (may === true ? [to] : [])))
  return needs.filter((need) => !optional.has(need))
}
