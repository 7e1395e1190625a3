// One change of a resource: journal, write, check, record. Nothing here decides what to do; the plan did.
import type { Address, Identity } from '../model/address.js'
import { mostLosses, type Change } from '../model/resources/change.js'
import type { JsonObject } from '../model/json.js'
import type { Kind, KindNamed } from '../model/resources/kind.js'
import type { Observed, Owned, Resource } from '../model/resources/resource.js'
import type { IgnoreRule } from '../model/stacks/stack.js'
import { inActualOrder } from '../plan/any-order.js'
import { fieldChanges, isAsPlanned, overlay, unknownSources } from '../plan/diff.js'
import { ignoredFieldsByFamily } from '../plan/ignored.js'
import { desiredState } from '../plan/desired-state.js'
import { writesTarget } from '../plan/counts.js'
import type { Connection, Driver } from '../platform/platform.js'
import { callContext, callDriver, type CallContext } from '../platform/call-driver.js'
import {
  mismatch,
  neededMissing,
  noKind,
  notAsPlanned,
  notDeclared,
  notFound,
  unplannedLoss,
} from './engine-problems.js'
import { isClaim } from './claims.js'
import type { NewEntry, Progress, Sealer } from './journal.js'
import type { RunJournal } from './run-journal.js'
import { sealSnapshot, snapshotOf } from './snapshot.js'

export interface StepDeps {
  readonly journal: RunJournal
  readonly sealer: Sealer
  readonly connection: Connection
  readonly calling: CallContext
  readonly byAddress: ReadonlyMap<Address, Resource>
  readonly owned: ReadonlyMap<Address, Owned>
  /** Existing resources; a step adds those it creates. */
  readonly observed: Map<Address, Observed>
  readonly kindNamed: KindNamed
  /** Ignored fields. */
  readonly ignore?: readonly IgnoreRule[]
}

/**
 * Carries out one planned change. Errors: those of drivers; `Rejected` engine/mismatch; `StalePlan` engine/plan-moved.
 */
export async function performStep(change: Change, deps: StepDeps): Promise<void> {
  switch (change.action) {
    case 'create':
      return create(change, deps)
    case 'update':
      return writesTarget(change) ? update(change, deps) : changeOwnership(change, deps)
    case 'remove':
      return remove(change, deps)
    case 'untrack':
      return untrack(change, deps)
  }
}

async function create(change: Change, deps: StepDeps): Promise<void> {
  const desired = desiredNow(change, undefined, deps)
  const { state, normalized, kind, declared } = desired
  const driver = deps.connection.driver(kind)
  const trace = driver.trace(state)
  const entry = await deps.journal.begin({ change, trace })
  const made = await callDriver(`create ${change.address}`, callContext(change, deps.calling), (signal) =>
    driver.create(state, trace, signal),
  )
  const own = [ownedAfter(change, made, declared, deps)]
  if (differingPaths(kind, made, normalized).length === 0) {
    deps.journal.done(change.address, entry, { identity: made.identity, own })
    deps.observed.set(change.address, made)
    return
  }
  await deps.journal.record(entry, { identity: made.identity, own })
  await write(change, made, desired, deps)
  deps.journal.done(change.address, entry)
}

async function update(change: Change, deps: StepDeps): Promise<void> {
  const before = observedBefore(change, deps)
  const desired = desiredNow(change, before, deps)
  refuseUnplannedLoss(change, before, desired)
  const sealed = sealSnapshot(snapshotOf(before, deps.connection.driver(desired.kind)), deps.sealer)
  const claim = claimOf(change, ownedAfter(change, before, desired.declared, deps))
  const entry = await deps.journal.begin({ change, before: sealed, identity: before.identity, ...claim })
  const now = await write(change, before, desired, deps)
  deps.journal.done(change.address, entry, ownership(change, ownedAfter(change, now, desired.declared, deps)))
}

/** Changes ownership alone: an adoption, a share or a move of a resource that is as declared. */
async function changeOwnership(change: Change, deps: StepDeps): Promise<void> {
  const there = observedBefore(change, deps)
  const { declared } = desiredNow(change, there, deps)
  const own = ownedAfter(change, there, declared, deps)
  const entry = await deps.journal.begin({ change, identity: there.identity, ...claimOf(change, own) })
  deps.journal.done(change.address, entry, ownership(change, own))
}

async function remove(change: Change, deps: StepDeps): Promise<void> {
  const before = observedBefore(change, deps)
  const driver = driverFor(change, deps)
  const sealed = sealSnapshot(snapshotOf(before, driver), deps.sealer)
  const entry = await deps.journal.begin({ change, before: sealed, identity: before.identity })
  await callDriver(`remove ${change.address}`, deps.calling, (signal) => driver.remove(before, signal))
  deps.journal.done(change.address, entry, { disown: [change.address] })
}

async function untrack(change: Change, deps: StepDeps): Promise<void> {
  const { identity } = change
  const entry = await deps.journal.begin({ change, ...(identity === undefined ? {} : { identity }) })
  if (identity !== undefined && change.reason === 'gone') await removeLeftovers(change, identity, deps)
  deps.journal.done(change.address, entry, { disown: [change.address] })
}

async function removeLeftovers(change: Change, identity: Identity, deps: StepDeps): Promise<void> {
  const driver = driverFor(change, deps)
  if (driver.removeLeftovers === undefined) return
  const remove = (signal: AbortSignal): Promise<void> => driver.removeLeftovers!(identity, signal)
  await callDriver(`remove leftovers of ${change.address}`, deps.calling, remove)
}

interface DesiredNow {
  readonly kind: Kind
  readonly state: JsonObject
  readonly normalized: JsonObject
  /** For ownership: normalized, without ignored fields. */
  readonly declared: JsonObject
}

/**
 * The desired state with the current values of ignored fields. It differs from the plan only in values that the plan
 * listed as "known after apply".
 */
function desiredNow(change: Change, there: Observed | undefined, deps: StepDeps): DesiredNow {
  const resource = deps.byAddress.get(change.address)
  if (resource === undefined) throw notDeclared(change.address)
  const { kind } = resource
  const kinds = new Map(resource.edges.map(({ to }) => [to, deps.byAddress.get(to)!.kind]))
  const state = desiredState(resource, { observed: deps.observed, kinds, planned: new Map() }, there)
  const [missing] = unknownSources(state)
  if (missing !== undefined) throw neededMissing(change.address, missing)
  const desired = kind.normalise(state)
  const { keepActual, strip } = ignoredFieldsByFamily(deps.ignore)(kind.family)
  const actual = there && kind.normalise(there.actual)
  // A new resource has no ignored values to keep.
  const normalized = actual === undefined ? desired : keepActual(desired, actual)
  if (resource.edges.length > 0 && !isAsPlanned(change.fields, fieldChanges(actual, normalized)))
    throw notAsPlanned(change.address)
  return { kind, state: normalized === desired ? state : normalized, normalized, declared: strip(desired) }
}

/** A value that the plan did not know may lose data that nobody consented to lose. */
function refuseUnplannedLoss(
  { address, losses = [] }: Change,
  there: Observed,
  { kind, normalized }: DesiredNow,
): void {
  const planned = new Set(losses.map(({ path }) => path))
  const all = kind.removal?.losses?.(kind.normalise(there.actual), normalized) ?? []
  const loss = all.slice(0, mostLosses).find(({ path }) => !planned.has(path))
  if (loss !== undefined) throw unplannedLoss(address, loss)
}

async function write(
  change: Change,
  now: Observed,
  { state, normalized, kind }: DesiredNow,
  deps: StepDeps,
): Promise<Observed> {
  const driver = deps.connection.driver(kind)
  const complete = overlay(now.actual, state)
  const after = await callDriver(`update ${change.address}`, callContext(change, deps.calling), (signal) =>
    driver.update(now, complete, signal),
  )
  const paths = differingPaths(kind, after, normalized)
  if (paths.length > 0) throw mismatch(change.address, paths)
  deps.observed.set(change.address, after)
  return after
}

function differingPaths(kind: Kind, { actual }: Observed, normalized: JsonObject): readonly string[] {
  const normal = kind.normalise(actual)
  return fieldChanges(normal, inActualOrder(normal, normalized, kind.comparison?.anyOrder)).map(({ path }) => path)
}

function ownedAfter(change: Change, there: Observed, applied: JsonObject, { owned }: StepDeps): Owned {
  const before = owned.get(change.from ?? change.address)
  return {
    address: change.address,
    kind: change.kind,
    identity: there.identity,
    applied,
    needs: change.needs,
    ...(change.edges === undefined ? {} : { edges: change.edges }),
    ...(change.partOf === undefined ? {} : { partOf: change.partOf }),
    adopted: change.adopts === true || (before?.adopted === true && change.action === 'update'),
    ...(change.shares === true ? { shared: true as const } : {}),
  }
}

function ownership({ from }: Change, own: Owned): Pick<Progress, 'own' | 'disown'> {
  return { own: [own], ...(from === undefined ? {} : { disown: [from] }) }
}

/** An existing resource belongs to the stack before it is written: another stack may plan before the step is marked. */
function claimOf(change: Change, own: Owned): Pick<NewEntry, 'claim'> {
  return isClaim(change) ? { claim: own } : {}
}

function observedBefore(change: Change, { observed }: StepDeps): Observed {
  const there = observed.get(change.address) ?? (change.from === undefined ? undefined : observed.get(change.from))
  if (there === undefined) throw notFound(change.address)
  return there
}

function driverFor(change: Change, deps: StepDeps): Driver {
  const kind = deps.kindNamed(change.kind, change.address)
  if (kind === undefined) throw noKind(change.kind)
  return deps.connection.driver(kind)
}
