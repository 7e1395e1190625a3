// plan: the changes to make. Takes resources, what the stack owns, what exists, what others own; gives ordered changes.
// Promises: the same input gives the same plan; nothing is read or written; resources of others do not change; a plan
// that needs approval is held as a whole.
import type { Address } from '../model/address.js'
import type { Change, FieldChange, Plan } from '../model/change.js'
import { type Json, type JsonObject, Unknown } from '../model/json.js'
import type { Kind, Resolve } from '../model/kind.js'
import { whenReady } from '../lib/pending.js'
import type { Checked, Problem } from '../model/problem.js'
import type { Owned, Resource } from '../model/resource.js'
import { finish, type Steps } from '../lib/steps.js'
import { claimChange } from './claimed.js'
import { digestChanges, planDigest } from './digest.js'
import { inActualOrder } from './any-order.js'
import { fieldChanges, sameJson } from './diff.js'
import { changeBase, type UnorderedChange, type PlanInput } from './plan-input.js'
import { approvalReasons } from './approval-rules.js'
import { compareIgnoring, ignoredFieldsByFamily, UnmatchedRules, type IgnoredFields } from './ignored.js'
import { UncorrectedDifferences } from './uncorrected-differences.js'
import { freeNames } from './names.js'
import { orderChanges } from './order.js'
import { unmatchedProtections } from './protected.js'
import { desiredState } from './desired-state.js'

/**
 * The changes that lead to the desired state. Problems: `plan/claimed`, `plan/name-held`, `plan/name-swap`,
 * `plan/unknown-kind`; warnings: `plan/ignores-nothing`, `plan/protects-nothing`.
 */
export function planChanges(input: PlanInput): Checked<Plan> {
  return finish(planSteps(input))
}

/** Plans in steps: one for each resource and each stage. */
export function* planSteps(input: PlanInput): Steps<Checked<Plan>> {
  const problems: Problem[] = []
  const moved = yield* movedFrom(input)
  const { drafts: writes, unchanged, left } = yield* draftWrites(input, moved, problems)
  const leaving = yield* draftRemovals(input, moved, problems)
  const named = freeNames(input, writes, leaving, problems)
  yield
  const changes = yield* orderChanges(named, input, problems)
  yield* digestChanges(changes)
  problems.push(...unmatchedProtections(input.policy.protect ?? [], addressesOf(input)))
  const plan = {
    stack: input.stack,
    target: input.target,
    revision: input.revision,
    changes,
    unchanged,
    ...left.fields,
  }
  return { value: { ...plan, needsApproval: approvalReasons(plan, input), digest: planDigest(plan) }, problems }
}

function addressesOf({ resources, owned }: PlanInput): readonly Address[] {
  return [...resources.map(({ address }) => address), ...owned.keys()]
}

/** Resolves references: the id of an existing resource is known; its other outputs are unknown if it will change. */
export function resolverFor(
  input: Pick<PlanInput, 'observed'>,
  changing: ReadonlySet<Address>,
  kinds: ReadonlyMap<Address, Kind>,
): Resolve {
  return (reference): Json => {
    const output = reference.output ?? 'id'
    const there = input.observed.get(reference.to)
    if (there === undefined) return new Unknown(reference.to, output)
    if (output === 'id') return there.identity
    if (changing.has(reference.to)) return new Unknown(reference.to, output)
    return kinds.get(reference.to)?.outputs?.(there.actual)[output] ?? new Unknown(reference.to, output)
  }
}

/** New address → former address of resources that the stack owns, no longer declares, and finds again by their key. */
function* movedFrom({ resources, owned, observed }: PlanInput): Steps<ReadonlyMap<Address, Address>> {
  const declared = new Set(resources.map((resource) => resource.address))
  const leaving = new Map<string, Address>()
  for (const record of owned.values()) {
    yield
    if (!declared.has(record.address)) leaving.set(`${familyKey(record.address)} ${record.identity}`, record.address)
  }
  const moved = new Map<Address, Address>()
  for (const { address } of resources) {
    yield
    const there = observed.get(address)
    const from =
      there === undefined || owned.get(address)?.identity === there.identity
        ? undefined
        : leaving.get(`${familyKey(address)} ${there.identity}`)
    if (from !== undefined) moved.set(address, from)
  }
  return moved
}

function familyKey(address: Address): string {
  return address.slice(0, address.indexOf('/'))
}

interface Writes {
  readonly drafts: readonly UnorderedChange[]
  readonly unchanged: number
  readonly left: UncorrectedDifferences
}

function* draftWrites(input: PlanInput, moved: ReadonlyMap<Address, Address>, problems: Problem[]): Steps<Writes> {
  const drafts: UnorderedChange[] = []
  const left = new UncorrectedDifferences()
  const rules = new UnmatchedRules(input.policy.ignore)
  const changing = new Set<Address>()
  const kinds = new Map(input.resources.map((resource) => [resource.address, resource.kind]))
  const resolve = resolverFor(input, changing, kinds)
  const mine = new Map<string, Owned>()
  for (const record of input.owned.values()) {
    yield
    mine.set(`${familyKey(record.address)} ${record.identity}`, record)
  }
  const around = { input, moved, mine, problems, ignoring: ignoredFieldsByFamily(input.policy.ignore) }
  let unchanged = 0
  for (const resource of input.resources) {
    yield
    const { address, kind, partOf } = resource
    const there = input.observed.get(address)
    const live = there && (yield* whenReady(() => kind.normalise(there.actual)))
    const declared = yield* whenReady(() => kind.normalise(desiredState(resource, resolve, there)))
    const wanted = live === undefined ? declared : inActualOrder(live, declared, kind.anyOrder)
    const against = live && compareIgnoring(live, wanted, around.ignoring(kind.family))
    rules.see(kind.family, wanted, there?.actual)
    const change = plannedChange(resource, wanted, against?.fields ?? [], around)
    left.addIgnored(address, against?.left ?? [])
    if (change === undefined) {
      if (partOf === undefined) unchanged++
      if (input.owned.get(address)?.shared === true && against?.fields.length !== 0)
        left.addSharedDrift(address, pathsOf(against?.fields))
      continue
    }
    changing.add(address)
    const goal = change.action === 'update' ? against!.goal : wanted
    drafts.push({ change: { ...change, ...updateLosses(change, live, goal, kind) }, kind, desired: goal })
  }
  if (input.resources.length > 0) problems.push(...rules.problems())
  return { drafts, unchanged, left }
}

const mostLosses = 20

/** The data that an update makes the target delete. */
function updateLosses(
  { action, fields }: Change,
  live: JsonObject | undefined,
  goal: JsonObject,
  kind: Kind,
): Pick<Change, 'losesData' | 'losses'> {
  const losses =
    action !== 'update' || fields.length === 0 || live === undefined ? [] : (kind.losses?.(live, goal) ?? [])
  return losses.length === 0 ? {} : { losesData: true, losses: losses.slice(0, mostLosses) }
}

function pathsOf(fields: readonly FieldChange[] = []): readonly string[] {
  return fields.map(({ path }) => path)
}

interface PlanContext {
  readonly input: PlanInput
  readonly moved: ReadonlyMap<Address, Address>
  /** The stack's own resources, by family and identity. */
  readonly mine: ReadonlyMap<string, Owned>
  readonly problems: Problem[]
  readonly ignoring: (family: string) => IgnoredFields
}

/** The change of one declared resource; undefined: none. `fields`: differences that are not ignored. */
function plannedChange(
  resource: Resource,
  wanted: JsonObject,
  fields: readonly FieldChange[],
  around: PlanContext,
): Change | undefined {
  const { input, moved, mine } = around
  const { address, kind } = resource
  const record = input.owned.get(address)
  const there = input.observed.get(address)
  const claimed = claimChange(resource, wanted, { ...around, fields })
  const from = moved.get(address)
  if (claimed !== 'free')
    return claimed === undefined || from === undefined ? claimed : { ...claimed, from, reason: 'edited' }
  const base = changeBase(resource, wanted)
  if (there === undefined)
    return {
      ...base,
      action: 'create',
      fields: fieldChanges(undefined, wanted),
      reason: record === undefined ? 'added' : 'gone',
    }
  const holder = mine.get(`${kind.family} ${there.identity}`)
  const update = { ...base, action: 'update', identity: there.identity, fields } as const
  if (from !== undefined) return { ...update, from, reason: 'edited' }
  if (holder === undefined) return { ...update, adopts: true, reason: record === undefined ? 'added' : 'gone' }
  if (holder.address !== address)
    return { ...base, action: 'create', fields: fieldChanges(undefined, wanted), reason: 'added' }
  const { strip } = around.ignoring(kind.family)
  const declaredAsApplied = sameJson(strip(holder.applied), strip(wanted))
  if (fields.length > 0) return { ...update, reason: declaredAsApplied ? 'drifted' : 'edited' }
  return declaredAsApplied && !ownershipDiffers(holder, resource) ? undefined : { ...update, reason: 'edited' }
}

function ownershipDiffers(record: Owned, resource: Resource): boolean {
  if (record.shared === true || record.kind !== resource.kind.kind || record.partOf !== resource.partOf) return true
  return (
    record.needs.join(' ') !== resource.needs.join(' ') &&
    requiredNeeds(record.needs, resource) !== requiredNeeds(resource.needs, resource)
  )
}

/** Without optional needs: whether a package declares them does not change ownership. */
function requiredNeeds(needs: readonly Address[], { kind, spec }: Resource): string {
  const optional = new Set<string>(kind.references(spec).flatMap(({ to, optional: may }) => (may === true ? [to] : [])))
  return needs.filter((need) => !optional.has(need)).join(' ')
}

function* draftRemovals(
  input: PlanInput,
  moved: ReadonlyMap<Address, Address>,
  problems: Problem[],
): Steps<UnorderedChange[]> {
  const declared = new Set(input.resources.map((resource) => resource.address))
  const moving = new Set(moved.values())
  const drafts: UnorderedChange[] = []
  for (const record of input.owned.values()) {
    if (declared.has(record.address) || moving.has(record.address) || input.isSkipped?.(record) === true) continue
    yield
    const kind = input.kindNamed(record.kind)
    if (kind === undefined) problems.push(unknownKind(record))
    else drafts.push({ change: plannedRemoval(record, kind, input), kind })
  }
  return drafts
}

function plannedRemoval(record: Owned, kind: Kind, { observed, claims, uninstall }: PlanInput): Change {
  const there = observed.get(record.address)
  const stays = kind.onRemove === 'forget' || (there !== undefined && kind.belongsToTarget?.(there.actual) === true)
  const keeps = record.shared === true || stays || claims.sharers(kind.family, record.identity).length > 0
  const displayName = there === undefined ? undefined : kind.displayName?.(there.actual)
  return {
    address: record.address,
    kind: record.kind,
    identity: record.identity,
    action: keeps || there === undefined ? 'forget' : 'remove',
    fields: [],
    ...(kind.losesData === true && !keeps && there !== undefined ? { losesData: true as const } : {}),
    ...(record.partOf === undefined ? {} : { partOf: record.partOf }),
    ...(displayName === undefined ? {} : { displayName }),
    reason: there === undefined && record.shared !== true ? 'gone' : uninstall === true ? 'uninstalled' : 'dropped',
    needs: record.needs,
    after: [],
  }
}

function unknownKind(record: Owned): Problem {
  return {
    severity: 'error',
    code: 'plan/unknown-kind',
    message: `${record.address} is owned by this stack as a ${record.kind}, a kind that this version does not know.`,
    hint: 'Use the version that made it, or delete the stack without --uninstall.',
  }
}
