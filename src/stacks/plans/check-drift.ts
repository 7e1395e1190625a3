// Compares the actual state with the applied revision. Needs no remote.
import { isDeepStrictEqual } from 'node:util'
import { inSlices } from '../../lib/async/steps.js'
import type { Clock } from '../../lib/clock.js'
import type { Change } from '../../model/resources/change.js'
import type { Drift } from '../../model/resources/drift.js'
import type { Stack, Unhealthy } from '../../model/stacks/stack.js'
import { countSharedDrift, writesTarget } from '../../plan/counts.js'
import { driftIn } from '../../plan/drift.js'
import { findUnhealthy } from '../../plan/unhealthy.js'
import { loadApplied } from '../load-package/load-package.js'
import { planForCheck, planRecorded, type Compared } from './plan-stack.js'
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
 * `hasSecretsBack`: fewer secrets are missing than before. `stored`: resolves when the check is stored.
 */
export interface DriftResult {
  readonly fields: readonly string[]
  readonly missing: number
  readonly differing: number
  readonly hasSecretsBack: boolean
  readonly stored: Promise<void>
}

interface DriftFound {
  /** What a sync would write. */
  readonly changes: readonly Change[]
  /** How many shared resources differ. */
  readonly shared: number
  readonly drift: Drift
  readonly unhealthy: Unhealthy | null
  /** How many secrets are missing; undefined: not read. */
  readonly secretsMissing?: number
}

/**
 * Checks drift and health, and begins to store how many resources differ, and which do not work. undefined: nothing is
 * applied. No run of the stack is in progress.
 */
export async function checkDrift(stack: Stack, deps: DriftDeps, signal: AbortSignal): Promise<DriftResult | undefined> {
  const { targets, lacked } = deps
  const caller = { stack: stack.spec.name, mayShareReads: true } as const
  const found = await targets.lock(stack.spec.target, caller, signal, async (reached) => {
    const { inputs } = deps
    // Without its inputs no package can be compared, but what the last run wrote can.
    const needsNoPackage = inputs.mayChange(stack)
      ? await inputs.isUnreadable(stack, signal)
      : deps.known && lacked === 0
    const recorded = needsNoPackage ? await planRecorded(stack, { ...deps, ...reached }, signal) : undefined
    const compared =
      recorded === undefined ? await fullCheck(stack, reached, deps, signal) : await foundIn(recorded, signal)
    // While the target is locked: what a later direct write stores must come after the check, and reset it.
    return compared && { ...compared, stored: storeCheck(stack, compared, deps) }
  })
  if (found === undefined) return undefined
  const gone = new Set(found.changes.filter(isWhole).map(({ address }) => address))
  const others = found.changes.filter(({ address, partOf }) => !gone.has(partOf ?? address))
  return {
    fields: found.changes.flatMap(driftedFields),
    missing: gone.size,
    differing: others.flatMap(driftedFields).length,
    hasSecretsBack: found.secretsMissing !== undefined && found.secretsMissing < lacked,
    stored: found.stored,
  }
}

/** A check that found what the one before it found may be stored a little later: it changes nothing but its time. */
function storeCheck(stack: Stack, found: DriftFound, { store, clock }: DriftDeps): Promise<void> {
  const { id, checkedAt, drifted } = stack
  const { unhealthy } = found
  const check = { checkedAt: clock.now(), drifted: found.changes.length + found.shared, drift: found.drift, unhealthy }
  const isAsBefore = checkedAt !== null && drifted === check.drifted && isDeepStrictEqual(unhealthy, stack.unhealthy)
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
): Promise<DriftFound | undefined> {
  const loaded = await loadApplied(stack, deps, signal)
  if (loaded === undefined) return undefined
  const desired = desiredState(await packageGraph(loaded, stack, deps, signal), loaded.observed.revision)
  const planned = await planForCheck(stack, desired, { ...deps, ...reached }, signal)
  return { ...(await foundIn(planned, signal)), secretsMissing: planned.missingSecrets.length }
}

async function foundIn({ plan, owned, ...read }: Compared, signal: AbortSignal): Promise<DriftFound> {
  const unhealthy = await inSlices(findUnhealthy(owned.values(), read), signal)
  const changes = plan.changes.filter(writesTarget)
  return { changes, shared: countSharedDrift(plan), drift: driftIn(plan), unhealthy }
}
