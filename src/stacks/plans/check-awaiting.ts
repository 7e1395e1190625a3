// Checks a stack whose plan needs approval: drift of what is applied, and whether the plan is still the current one.
import { InvalidPackage } from '../../model/errors.js'
import { sameRevision } from '../../model/sources/revision.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack } from '../../model/stacks/stack.js'
import { writesTarget } from '../../plan/counts.js'
import { loadApplied, loadPackage } from '../load-package/load-package.js'
import { packageGraph } from '../load-package/read-declared.js'
import { findVeto } from '../pins/vetoes.js'
import { desiredState, type SyncDeps } from '../sync.js'
import type { Reached } from '../targets.js'
import { storeFound, type DriftDeps, type DriftFound } from './check-drift.js'
import { planForCheck, planOwn, type Planned } from './plan-stack.js'

/**
 * `mayCorrect`: a run of the applied revision would correct the drift, and change nothing else. `isStale`: the target
 * changed since the plan was made, so another plan takes its place; not known if the drift is corrected.
 */
export interface AwaitingResult extends DriftFound {
  readonly mayCorrect: boolean
  readonly isStale: boolean
}

/**
 * Compares the target with what the last run wrote, without what waits for approval: neither its package nor changed
 * settings. `awaiting`: the run whose plan needs approval. `mayRun`: nothing blocks a run; if something does, only
 * drift is checked. Errors: those of the target and the source.
 */
export async function checkAwaiting(
  stack: Stack,
  { awaiting, mayRun }: { readonly awaiting: Run; readonly mayRun: boolean },
  deps: Omit<DriftDeps, 'known' | 'lacked'>,
  signal: AbortSignal,
): Promise<AwaitingResult> {
  const caller = { stack: stack.spec.name, mayShareReads: true } as const
  return deps.targets.lock(stack.spec.target, caller, signal, async (reached) => {
    const found = await storeFound(stack, await planOwn(stack, { ...deps, ...reached }, signal), deps, signal)
    const result = { ...found, mayCorrect: false, isStale: false }
    // An approval or a cancel ends an uninstall, not a run that nobody requested.
    if (!mayRun || awaiting.intent !== 'sync' || (await deps.inputs.isUnreadable(stack, signal))) return result
    const isDrifted = found.fields.length > 0 && stack.spec.drift === 'correct'
    if (isDrifted && (await isOnlyDrift(stack, awaiting, { ...deps, ...reached }, signal)))
      return { ...result, mayCorrect: true }
    return { ...result, isStale: await isStale(stack, awaiting, { ...deps, ...reached }, signal) }
  })
}

type PlanDeps = SyncDeps & Reached

/** A plan of the applied revision, if the awaiting one is of another, needs no approval and only corrects drift. */
async function isOnlyDrift(stack: Stack, awaiting: Run, deps: PlanDeps, signal: AbortSignal): Promise<boolean> {
  const { applied } = stack
  if (applied === null || sameRevision(applied.revision, awaiting.revision)) return false
  if ((await findVeto(stack, applied.revision, deps)) !== undefined) return false
  const loaded = await loadApplied(stack, deps, signal)
  if (loaded === undefined) return false
  const { plan } = await planOf(stack, { ...loaded, revision: applied.revision }, deps, signal)
  return (
    plan.needsApproval.length === 0 &&
    plan.changes.every((change) => writesTarget(change) && (change.reason === 'drifted' || change.reason === 'gone'))
  )
}

/** The same rule as at an approval: a plan that is made now has another digest. A plan with errors has none. */
async function isStale(stack: Stack, awaiting: Run, deps: PlanDeps, signal: AbortSignal): Promise<boolean> {
  const before = (await deps.store.runs.get(awaiting.id))?.plan
  const loaded = await loadPackage(stack, awaiting, deps, signal)
  try {
    const { plan } = await planOf(stack, { ...loaded, revision: awaiting.revision }, deps, signal)
    return plan.digest !== before?.digest
  } catch (error) {
    if (error instanceof InvalidPackage) return true
    throw error
  }
}

async function planOf(
  stack: Stack,
  { revision, ...loaded }: Parameters<typeof packageGraph>[0] & { readonly revision: string },
  deps: PlanDeps,
  signal: AbortSignal,
): Promise<Planned> {
  const graph = await packageGraph(loaded, stack, deps, signal)
  return planForCheck(stack, desiredState(graph, revision), deps, signal)
}
