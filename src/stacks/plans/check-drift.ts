// Compares the actual state with the applied revision. Needs no remote.
import type { Clock } from '../../lib/clock.js'
import type { Change, Plan } from '../../model/resources/change.js'
import type { Stack } from '../../model/stacks/stack.js'
import { countSharedDrift, writesTarget } from '../../plan/counts.js'
import { loadApplied } from '../load-package/load-package.js'
import { planRecorded, planStack } from './plan-stack.js'
import { packageGraph } from '../load-package/read-declared.js'
import { desiredState, type SyncDeps } from '../sync.js'
import type { Reached } from '../targets.js'

/** `known`: a full check in this process found no drift of the applied revision. */
export interface DriftDeps extends SyncDeps {
  readonly clock: Clock
  readonly known: boolean
}

interface DriftFound {
  /** What a sync would write. */
  readonly changes: readonly Change[]
  /** How many shared resources differ. */
  readonly shared: number
}

/**
 * Checks drift and stores how many resources differ. Gives the fields: `Bucket/raw description`; undefined: nothing is
 * applied. No run of the stack is in progress.
 */
export async function checkDrift(
  stack: Stack,
  deps: DriftDeps,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const { store, targets, clock } = deps
  const found = await targets.lock(stack.spec.target, { stack: stack.spec.name }, signal, async (reached) => {
    const { inputs } = deps
    // Without its inputs no package can be compared, but what the last run wrote can.
    const needsNoPackage = inputs.mayChange(stack) ? await inputs.isUnreadable(stack, signal) : deps.known
    const recorded = needsNoPackage ? await planRecorded(stack, { ...deps, ...reached }, signal) : undefined
    const compared = recorded === undefined ? await fullCheck(stack, reached, deps, signal) : driftIn(recorded)
    // While the target is locked: a later direct write must find the check stored, and reset it.
    if (compared !== undefined)
      await store.stacks.change(stack.id, {
        checkedAt: clock.now(),
        drifted: compared.changes.length + compared.shared,
      })
    return compared
  })
  return found?.changes.flatMap(({ address, action, fields }) =>
    action === 'update' ? fields.map(({ path }) => `${address} ${path}`) : [`${address} ${action}`],
  )
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
  const { plan } = await planStack(stack, desired, { ...deps, ...reached }, signal)
  return driftIn(plan)
}

function driftIn(plan: Plan): DriftFound {
  return { changes: plan.changes.filter(writesTarget), shared: countSharedDrift(plan) }
}
