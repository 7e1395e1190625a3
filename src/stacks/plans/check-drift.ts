// Compares the actual state with the applied revision. Needs no remote.
import { isDeepStrictEqual } from 'node:util'
import { inSlices } from '../../lib/async/steps.js'
import type { Clock } from '../../lib/clock.js'
import type { Change } from '../../model/resources/change.js'
import type { Drift } from '../../model/resources/drift.js'
import type { Stack } from '../../model/stacks/stack.js'
import { countSharedDrift, writesTarget } from '../../plan/counts.js'
import { driftIn } from '../../plan/drift.js'
import { findUnhealthy } from '../../plan/unhealthy.js'
import { loadApplied } from '../load-package/load-package.js'
import { planForCheck, planRecorded, type Compared, type Planned } from './plan-stack.js'
import { packageGraph } from '../load-package/read-declared.js'
import { desiredState, type SyncDeps } from '../sync.js'
import type { Reached } from '../targets.js'

/**
 * `known`: a full check in this process found no drift of the applied revision. `lacked`: the number of secrets that
 * the last run did not find.
 */
export interface DriftDeps extends SyncDeps {
  readonly clock: Clock
  readonly known: boolean
  readonly lacked: number
}

/**
 * `fields`: those that differ, `Bucket/raw description`, and resources to write as a whole, `Bucket/raw create`.
 * `missing`: how many resources are missing, without their parts. `differing`: how many fields of others differ.
 * `stored`: resolves when the check is stored.
 */
export interface DriftFound {
  readonly fields: readonly string[]
  readonly missing: number
  readonly differing: number
  readonly stored: Promise<void>
}

/** `hasSecretsBack`: fewer secrets are missing than before. */
export interface DriftResult extends DriftFound {
  readonly hasSecretsBack: boolean
}

/** A comparison with the target. `missingSecrets`: absent if they were not read. */
type Check = Compared & Partial<Pick<Planned, 'missingSecrets'>>

/**
 * Checks drift and health, and begins to store how many resources differ, and which do not work. undefined: nothing is
 * applied. No run of the stack is in progress.
 */
export async function checkDrift(stack: Stack, deps: DriftDeps, signal: AbortSignal): Promise<DriftResult | undefined> {
  const { targets, lacked, inputs } = deps
  const caller = { stack: stack.spec.name, mayShareReads: true } as const
  return targets.lock(stack.spec.target, caller, signal, async (reached) => {
    // Without its inputs no package can be compared, but what the last run wrote can.
    const needsNoPackage = inputs.mayChange(stack)
      ? await inputs.isUnreadable(stack, signal)
      : deps.known && lacked === 0
    const recorded = needsNoPackage ? await planRecorded(stack, { ...deps, ...reached }, signal) : undefined
    const check: Check | undefined = recorded ?? (await fullCheck(stack, reached, deps, signal))
    if (check === undefined) return undefined
    const { missingSecrets } = check
    const hasSecretsBack = missingSecrets !== undefined && missingSecrets.length < lacked
    return { ...(await storeFound(stack, check, deps, signal)), hasSecretsBack }
  })
}

/**
 * What a check found, which it begins to store. Call it while the target is locked: what a later direct write stores
 * must come after the check, and reset it.
 */
export async function storeFound(
  stack: Stack,
  { plan, owned, ...read }: Compared,
  deps: Pick<DriftDeps, 'store' | 'clock'>,
  signal: AbortSignal,
): Promise<DriftFound> {
  const unhealthy = await inSlices(findUnhealthy(owned.values(), read), signal)
  const changes = plan.changes.filter(writesTarget)
  const drifted = changes.length + countSharedDrift(plan)
  const gone = new Set(changes.filter(isWhole).map(({ address }) => address))
  const others = changes.filter(({ address, partOf }) => !gone.has(partOf ?? address))
  return {
    fields: changes.flatMap(driftedFields),
    missing: gone.size,
    differing: others.flatMap(driftedFields).length,
    stored: storeCheck(stack, { drifted, drift: driftIn(plan), unhealthy }, deps),
  }
}

/** A check that found what the one before it found may be stored a little later: it changes nothing but its time. */
function storeCheck(
  { id, checkedAt, ...before }: Stack,
  found: Pick<Stack, 'drifted' | 'unhealthy'> & { readonly drift: Drift },
  { store, clock }: Pick<DriftDeps, 'store' | 'clock'>,
): Promise<void> {
  const check = { checkedAt: clock.now(), ...found }
  const isAsBefore =
    checkedAt !== null && before.drifted === found.drifted && isDeepStrictEqual(found.unhealthy, before.unhealthy)
  const stored = isAsBefore ? store.stacks.changeSoon(id, check) : store.stacks.change(id, check)
  stored.catch(() => {}) // who waits for it reports it
  return stored
}

/** Creates a resource that is part of no other. */
function isWhole({ action, partOf }: Change): boolean {
  return action === 'create' && partOf === undefined
}

function driftedFields({ action, address, fields }: Change): readonly string[] {
  return action === 'update' ? fields.map(({ path }) => `${address} ${path}`) : [`${address} ${action}`]
}

async function fullCheck(
  stack: Stack,
  reached: Reached,
  deps: DriftDeps,
  signal: AbortSignal,
): Promise<Planned | undefined> {
  const loaded = await loadApplied(stack, deps, signal)
  if (loaded === undefined) return undefined
  const desired = desiredState(await packageGraph(loaded, stack, deps, signal), loaded.observed.revision)
  return planForCheck(stack, desired, { ...deps, ...reached }, signal)
}
