// stacks/resources: lists resources on targets, and writes single ones. Takes an address, or a family and an id; gives
// views. Promises: a write here never runs during a run or a drift check of the target; windows, suspensions,
// protection and data loss are checked first; afterwards the stacks that have the resource are checked for drift.
import type { Identity } from '../../model/address.js'
import { describeError, SyncError } from '../../model/errors.js'
import type { JsonObject } from '../../model/json.js'
import type { Kind, KindNamed } from '../../model/resources/kind.js'
import type { Owned } from '../../model/resources/resource.js'
import type { Stack } from '../../model/stacks/stack.js'
import { overlay } from '../../plan/diff.js'
import { callDriver } from '../../platform/call-driver.js'
import type { Page } from '../../views/page.js'
import type { TargetResource } from '../../views/resource.js'
import type { Context } from '../context.js'
import { findStack, refuseLeftAlone } from '../stacks.js'
import type { WindowOverrideOptions } from '../../status/run-blockers.js'
import { kindsByName, type Reached } from '../targets.js'
import { nextCursor, type Paging } from '../paging.js'
import { refuseUnfit } from './check-resource.js'
import {
  kindOfFamily,
  kindsOfFamily,
  scopeCaller,
  scopeTarget,
  withResource,
  type FoundResource,
  type ResourceScope,
} from './find-resource.js'
import { overrideWindows, stacksWithWindows } from './override-windows.js'
import { claimsOn, refuseRemoval, refuseUpdate, removalRefusal, type Claimed } from './refuse-loss.js'
import { viewFound, viewListings, type ListingEntry } from './view-resources.js'

export { refuseUnfit, type ResourceToCheck } from './check-resource.js'

export interface WriteRequest extends ResourceScope, WindowOverrideOptions {
  /**
   * The resource that may lose data, or be removed although it is protected: its address, or FAMILY/ID if no stack owns
   * it.
   */
  readonly consent?: string | undefined
  /** Who requests it. Default: `api`. */
  readonly by?: string
  /** Why, for the history. */
  readonly why?: string
}

/** All resources of a target, or those of one stack. */
export async function listResources(
  context: Context,
  { limit = 100, after, ...scope }: Paging & ResourceScope,
  signal: AbortSignal,
): Promise<Page<TargetResource>> {
  const target = await scopeTarget(context, scope)
  return context.sync.targets.reach(target, scopeCaller(scope), signal, async (reached) => {
    const page = { limit, after }
    if (scope.stack !== undefined) return listOfStack(context, scope.stack, page, { target, ...reached }, signal)
    const listed = await callDriver('list', reached.calling, (inner) => reached.connection.list(page, inner), signal)
    const items = await viewListings(context, listed, { target, platform: reached.platform })
    return { items, next: nextCursor(listed, limit, ({ family, observed }) => `${family}/${observed.identity}`) }
  })
}

export async function getResource(
  context: Context,
  which: string,
  scope: ResourceScope,
  signal: AbortSignal,
): Promise<TargetResource> {
  return withResource(context, 'reach', { which, scope }, signal, async (found) => {
    const claimed = await claimsOn(found, context.store)
    const sharers = claimed.claims.flatMap(({ claim }) => (claim.owned.shared === true ? [claim.stackName] : []))
    const refusal = removalRefusal(found, claimed)
    return {
      ...(await viewFound(context, found)),
      sharers,
      ...(refusal === undefined ? {} : { needsConsent: refusal.message }),
    }
  })
}

/**
 * Merges `desired` into the actual state. Errors: `Refused` needs-approval, if that loses data without consent, or
 * during a closed window; `Refused` locked, if a stack that has it is suspended; `InvalidPackage`, if its kind refuses
 * the result.
 */
export async function editResource(
  context: Context,
  which: string,
  desired: object,
  request: WriteRequest,
  signal: AbortSignal,
): Promise<TargetResource> {
  return withResource(context, 'lock', { which, scope: request }, signal, async (found) => {
    const { there, kind, connection, calling } = found
    const merged = overlay(there.actual, desired as JsonObject)
    const kinds = kindsOfFamily(found.platform, kind.family)
    refuseUnfit({ name: which, kinds, desired: merged, before: there.actual, identity: there.identity })
    const claimed = await claimsOn(found, context.store)
    const recordOverrides = await overrideFor(context, found, claimed, { ...request, action: 'edit' })
    refuseUpdate(found, claimed, merged, request.consent)
    const driver = connection.driver(kind)
    const record = { action: 'update', what: `edit ${claimed.name}`, recordOverrides } as const
    const updated = await writeDirectly(context, claimed.stacks, { ...request, ...record }, () =>
      callDriver(`update ${which}`, calling, (inner) => driver.update(there, merged, inner), signal),
    )
    return viewFound(context, { ...found, there: updated })
  })
}

/**
 * Errors: `Refused` needs-approval, if that loses data or removes a protected resource, without consent; those of
 * `editResource`.
 */
export async function deleteResource(
  context: Context,
  which: string,
  request: WriteRequest,
  signal: AbortSignal,
): Promise<void> {
  return withResource(context, 'lock', { which, scope: request }, signal, async (found) => {
    const claimed = await claimsOn(found, context.store)
    const recordOverrides = await overrideFor(context, found, claimed, { ...request, action: 'delete' })
    refuseRemoval(found, claimed, request.consent)
    const driver = found.connection.driver(found.kind)
    const record = { action: 'remove', what: `delete ${claimed.name}`, recordOverrides } as const
    await writeDirectly(context, claimed.stacks, { ...request, ...record }, () =>
      callDriver(`remove ${which}`, found.calling, (inner) => driver.remove(found.there, inner), signal),
    )
  })
}

/**
 * The new resource belongs to no stack, so the windows of all stacks of the target count. Errors: see `editResource`.
 */
export async function createResource(
  context: Context,
  family: string,
  desired: object,
  request: WriteRequest,
  signal: AbortSignal,
): Promise<TargetResource> {
  const target = await scopeTarget(context, request)
  return context.sync.targets.reach(target, scopeCaller(request), signal, async (reached) => {
    const { platform, connection, calling, system } = reached
    const kind = kindOfFamily(platform, family)
    const kinds = kindsOfFamily(platform, family)
    refuseUnfit({ name: family, kinds, desired: desired as JsonObject, identity: 'new' as Identity })
    const state = kind.normalise(desired as JsonObject)
    const what = `create ${family} ${kind.displayName?.(state) ?? ''}`.trim()
    const recordOverrides = await checkOverride(context, [], system, { ...request, what })
    const driver = connection.driver(kind)
    const there = await writeDirectly(context, [], { ...request, action: 'create', what, recordOverrides }, () =>
      callDriver(`create ${family}`, calling, (inner) => driver.create(state, driver.trace(state), inner), signal),
    )
    return viewFound(context, { platform, kind, there, target })
  })
}

function overrideFor(
  context: Context,
  { system }: FoundResource,
  { stacks, name }: Claimed,
  { action, ...request }: WriteRequest & { readonly action: 'edit' | 'delete' },
): Promise<() => Promise<void>> {
  return checkOverride(context, stacks, system, { ...request, what: `${action} ${name}` })
}

/**
 * Gives what records the override of closed windows. Throws as `refuseLeftAlone`, if an owner is suspended, or if a
 * window is closed and not overridden.
 */
async function checkOverride(
  { store, sync: { targets }, clock, scheduler }: Context,
  owners: readonly Stack[],
  system: string,
  { overrideWindow, by = 'api', what }: WriteRequest & { readonly what: string },
): Promise<() => Promise<void>> {
  for (const stack of owners) refuseLeftAlone({ scheduler }, stack)
  const at = clock.now()
  const windowed = await stacksWithWindows(owners, system, { store, targets })
  const overridden = overrideWindows({ owners, windowed }, at, overrideWindow)
  return async () => {
    if (overridden.length > 0) await store.overrides.add({ at, by, what, why: overrideWindow ?? '' }, overridden)
  }
}

interface DirectWrite extends Pick<WriteRequest, 'by' | 'why'> {
  readonly action: 'create' | 'update' | 'remove'
  /** `edit Bucket/raw`. */
  readonly what: string
  readonly recordOverrides: () => Promise<void>
}

/**
 * First stores the overridden windows, that the drift of these stacks is unknown, and the write in their histories: a
 * write that fails may have happened nevertheless.
 */
async function writeDirectly<T>(
  { store, scheduler }: Context,
  stacks: readonly Stack[],
  { by = 'api', why = '', action, what, recordOverrides }: DirectWrite,
  write: () => Promise<T>,
): Promise<T> {
  await recordOverrides()
  const checked = stacks.filter(({ spec }) => spec.drift !== 'ignore')
  for (const { id } of checked) await store.stacks.change(id, { checkedAt: null })
  const cause = { kind: 'person', by, note: why === '' ? what : `${what}: ${why}` } as const
  const changes = { create: 0, update: 0, remove: 0, unchanged: 0, [action]: 1 }
  const runs = await Promise.all(stacks.map(({ id }) => store.runs.addWrite(id, { cause, changes })))
  try {
    const written = await write()
    await Promise.all(runs.map((run) => store.runs.endWrite(run, 'applied', [])))
    return written
  } catch (error) {
    const { code = 'bug' } = error instanceof SyncError ? error : {}
    const problem = { severity: 'error', code, message: describeError(error) } as const
    await Promise.all(runs.map((run) => store.runs.endWrite(run, 'failed', [problem])))
    throw error
  } finally {
    for (const { id } of stacks) scheduler.events.stackChanged(id)
  }
}

/** By address. Resources that no longer exist are left out. */
async function listOfStack(
  context: Context,
  name: string,
  page: Paging & { readonly limit: number },
  { target, platform, connection, calling }: Reached & { readonly target: string },
  signal: AbortSignal,
): Promise<Page<TargetResource>> {
  const { id } = await findStack(context, name)
  const owned = await context.store.ownership.byAddress(id, page)
  const listed: ListingEntry[] = []
  for (const [kind, some] of byKind(owned, kindsByName(platform))) {
    const driver = connection.driver(kind)
    const read = await callDriver(`read ${kind.family}`, calling, (inner) => driver.read(some, inner), signal)
    for (const [address, observed] of read) listed.push({ family: kind.family, observed, address })
  }
  const items = await viewListings(context, listed, { target, platform })
  return { items, next: nextCursor(owned, page.limit, ({ address }) => address) }
}

function byKind(owned: readonly Owned[], kindNamed: KindNamed): ReadonlyMap<Kind, readonly Owned[]> {
  const found = new Map<Kind, Owned[]>()
  for (const one of owned) {
    const kind = kindNamed(one.kind, one.address)
    if (kind !== undefined) found.set(kind, [...(found.get(kind) ?? []), one])
  }
  return found
}
