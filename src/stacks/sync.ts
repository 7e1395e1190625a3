// One sync, top to bottom: files → documents → graph → plan → target. Read this first.
import type { Graph } from '../graph/graph.js'
import type { Plan } from '../model/resources/change.js'
import { StalePlan } from '../model/errors.js'
import type { Problem } from '../model/problem.js'
import type { LeasedRun, Phase, Run } from '../model/stacks/run.js'
import { sourceLocations } from '../model/sources/source-spec.js'
import type { Stack } from '../model/stacks/stack.js'
import type { Clock } from '../lib/clock.js'
import type { Locks } from '../lib/async/locks.js'
import type { RunContext, ApplyOutcome, ApplyInput, Engine } from '../engine/engine.js'
import { countChanges } from '../plan/counts.js'
import { consentTo } from '../plan/approval-rules.js'
import { isOwnUpdates } from '../plan/own-updates.js'
import type { Caller } from '../platform/platform.js'
import { overriddenWindow, runBlockers } from '../status/run-blockers.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { RemotePackages } from '../source/remote-packages.js'
import type { Source } from '../source/source.js'
import type { RefTips } from '../source/ref-tips.js'
import type { Store } from '../store/store.js'
import { loadPackage } from './load-package/load-package.js'
import { packageGraph, type DeclaredPackage, type PackageDeps } from './load-package/read-declared.js'
import { planStack, type DesiredState, type Planned } from './plans/plan-stack.js'
import { revisionCause, type RevisionCause } from './plans/revision-cause.js'
import { overrideForTakeover } from './resources/override-windows.js'
import { kindsByName, type Reached } from './targets.js'
import { findVeto } from './pins/vetoes.js'
import { settingsDigest } from './settings-digest.js'
import { mayShareTarget } from './runs/may-share-target.js'

export interface SyncDeps extends PackageDeps {
  readonly source: Source
  readonly tips: RefTips
  readonly store: Store
  readonly engine: Engine
  /** Fetches packages that a request names by URL. */
  readonly remotes: RemotePackages
  readonly sandbox: Sandbox
  readonly clock: Pick<Clock, 'now'>
  readonly locks: Locks
  /** Called when a run enters a phase. */
  readonly onPhase: (run: Run, phase: Phase) => void
}

/** `blocked`: a window closed since the run began, and nothing was written. */
export type SyncOutcome = ApplyOutcome | 'needs-approval' | 'blocked'

/**
 * Brings a stack's target to the state that its package declares. No other run of the stack is in progress. Errors:
 * `SyncError`s; `Stopped`, if stopped before the first write.
 */
export async function syncStack(
  stack: Stack,
  run: LeasedRun,
  deps: SyncDeps,
  signal: AbortSignal,
): Promise<SyncOutcome> {
  deps.onPhase(run, 'fetching')
  const fetchingAt = deps.clock.now()
  const loaded = await loadPackage(stack, run, deps, signal)
  const save = loaded.stored ? [] : loaded.files
  const { observed, digest: files } = loaded
  await deps.store.runs.attempt({
    lease: run.lease,
    fetchingAt,
    observed,
    settings: settingsDigest(stack),
    spec: stack.spec,
    files,
    save,
  })
  deps.onPhase(run, 'planning')
  const graph = await packageGraph(loaded, stack, deps, signal)
  const cause = await revisionCause(stack, { revision: run.revision, files: loaded.files }, deps.store)
  const applied = { ...observed, files, place: sourceLocations(stack.spec) }
  const outcome = await bringTo(stack, run, { ...graph, cause, applied }, deps, signal)
  if (outcome === 'applied' || outcome === 'unchanged') deps.inputs.dropSecrets(stack, loaded.files)
  return outcome
}

/** Removes everything the stack owns: a plan without resources, applied only with the requested digest. */
export async function uninstallStack(
  stack: Stack,
  run: LeasedRun,
  deps: SyncDeps,
  signal: AbortSignal,
): Promise<SyncOutcome> {
  deps.onPhase(run, 'planning')
  const nothing = { resources: [], byAddress: new Map(), problems: [], cause: {}, applied: null }
  return bringTo(stack, run, nothing, deps, signal)
}

/** The desired resources, why they differ from the applied ones, and what is stored as applied after success. */
interface DesiredResources
  extends Graph, Pick<DeclaredPackage, 'problems'>, Partial<Pick<DeclaredPackage, 'isSkipped'>> {
  readonly cause: RevisionCause
  readonly applied: ApplyInput['applied']
}

/** Runs that only update what their own stacks own may plan and write at the same time. */
async function bringTo(
  stack: Stack,
  run: LeasedRun,
  desired: DesiredResources,
  deps: SyncDeps,
  signal: AbortSignal,
): Promise<SyncOutcome> {
  const { targets } = deps
  const { target } = stack.spec
  const caller = callerFor(stack, run)
  const given = { stack, run, desired, deps }
  const outcome = (await mayShareTarget(stack, run, desired, deps))
    ? await targets.lockShared(target, caller, signal, async (reached) => {
        const planned = await planRun(given, reached, signal)
        return isOwnUpdates(planned.plan.changes, planned) ? carryOut(given, reached, planned, signal) : undefined
      })
    : undefined
  if (outcome !== undefined) return outcome
  return targets.lock(target, caller, signal, async (reached) => {
    const acting = actingFor(stack, run, reached, deps.onPhase)
    const open = await deps.engine.recover(acting, signal)
    const planned = await planRun(given, reached, signal)
    await deps.engine.confirm(acting, open, planned)
    return carryOut(given, reached, planned, signal)
  })
}

interface RunInput {
  readonly stack: Stack
  readonly run: LeasedRun
  readonly desired: DesiredResources
  readonly deps: SyncDeps
}

function planRun({ stack, run, desired, deps }: RunInput, reached: Reached, signal: AbortSignal): Promise<Planned> {
  const uninstall = run.intent !== 'sync'
  const state = { ...desiredState(desired, run.revision), ...desired.cause }
  return planStack(stack, { ...state, uninstall, takesOver: run.expects !== null }, { ...deps, ...reached }, signal)
}

/** Applies the plan, unless it is stale, needs approval or is blocked. */
async function carryOut(
  { stack, run, desired, deps }: RunInput,
  reached: Reached,
  planned: Planned,
  signal: AbortSignal,
): Promise<SyncOutcome> {
  const { store, engine, onPhase } = deps
  const { plan, owned, observed } = planned
  const problems = [...desired.problems, ...planned.problems]
  refuseStale(stack, run, plan)
  if (mustStop(run, plan)) return stopForApproval(run, plan, problems, store)
  if (await isBlockedNow(stack, run, deps)) return 'blocked'
  await recordOverride(stack, run, deps)
  await overrideOwners(stack, run, planned, deps)
  await consent(run, plan, store)
  await store.runs.savePlan(run.lease, plan, countChanges(plan))
  onPhase(run, 'applying')
  const onFailure = (await isVetoedBefore(stack, deps))
    ? 'continue'
    : (stack.spec.onFailure ?? reached.platform.onFailure)
  const { byAddress, applied } = desired
  const acting = actingFor(stack, run, reached, onPhase)
  return engine.apply({ ...acting, plan, byAddress, owned, observed, onFailure, problems, applied }, signal)
}

/** A request for exactly this plan consents to it. An uninstall needs a second approval for protected resources. */
function mustStop({ expects, intent }: Run, { needsApproval }: Plan): boolean {
  return expects === null
    ? needsApproval.length > 0
    : intent !== 'sync' && needsApproval.some(({ rule }) => rule === 'protect')
}

/** True if a window closed since the run began. An interrupted apply continues anyway. */
async function isBlockedNow({ id }: Stack, run: Run, { store, clock }: SyncDeps): Promise<boolean> {
  const [stack] = await store.stacks.many([id])
  if (stack === undefined || stack.spec.windows.length === 0) return false
  const isHalfDone = await store.journal.isOpen(id)
  return runBlockers(stack, run, { dependencies: [], isHalfDone, now: clock.now() }).length > 0
}

/** Records that the run overrides a closed window of its stack, if one is closed now. */
async function recordOverride({ id }: Stack, run: LeasedRun, { store, clock }: SyncDeps): Promise<void> {
  if (run.cause.overrideWindow === undefined) return
  const [stack] = await store.stacks.many([id])
  if (stack === undefined || overriddenWindow(stack, run, clock.now()) === undefined) return
  await store.runs.recordOverride(run.lease)
}

/** Records at the stacks that the plan takes from which of their closed windows the run overrides. */
async function overrideOwners(
  { spec }: Stack,
  { cause, lease }: LeasedRun,
  planned: Planned,
  deps: SyncDeps,
): Promise<void> {
  const overridden = await overrideForTakeover(planned, cause.overrideWindow, deps)
  if (overridden.length === 0) return
  const what = `take resources over into ${spec.name}`
  const override = { at: deps.clock.now(), by: cause.by ?? 'api', what, why: cause.overrideWindow ?? '' }
  await deps.store.overrides.add(override, overridden, lease)
}

/**
 * If the applied commit was vetoed since, an undo would bring it back: completed changes are kept, and the run is
 * retried.
 */
async function isVetoedBefore(stack: Stack, deps: Pick<SyncDeps, 'source' | 'store'>): Promise<boolean> {
  return stack.applied !== null && (await findVeto(stack, stack.applied.revision, deps)) !== undefined
}

/** Continues an interrupted undo. */
export async function undoStack(
  stack: Stack,
  run: LeasedRun,
  deps: SyncDeps,
  signal: AbortSignal,
): Promise<'undone' | 'undoing' | 'failed'> {
  deps.onPhase(run, 'undoing')
  return deps.targets.lock(stack.spec.target, callerFor(stack, run), signal, async (reached) => {
    const acting = actingFor(stack, run, reached, deps.onPhase)
    await deps.engine.recover(acting, signal)
    const why = { problems: run.problems, failure: stack.failure }
    return (await isVetoedBefore(stack, deps))
      ? deps.engine.keepCompleted(acting, why)
      : deps.engine.undo(acting, why, signal)
  })
}

/** The desired state for a plan. */
export function desiredState(
  { resources, isSkipped }: Pick<DesiredResources, 'resources' | 'isSkipped'>,
  revision: string,
): DesiredState {
  return { revision, resources, ...(isSkipped === undefined ? {} : { isSkipped }) }
}

async function stopForApproval(
  run: LeasedRun,
  plan: Plan,
  problems: readonly Problem[],
  store: Store,
): Promise<'needs-approval'> {
  await store.runs.finish(run.lease, {
    outcome: 'needs-approval',
    phase: 'needs-approval',
    plan,
    changes: countChanges(plan),
    problems,
    failure: null,
  })
  return 'needs-approval'
}

function callerFor({ spec }: Stack, { id }: Run): Caller {
  return { stack: spec.name, run: id }
}

function actingFor(
  { spec }: Stack,
  run: LeasedRun,
  { platform, connection, calling }: Reached,
  onPhase: SyncDeps['onPhase'],
): RunContext {
  const { ignore } = spec
  return {
    lease: run.lease,
    ignore,
    connection,
    calling,
    kindNamed: kindsByName(platform),
    onUndo: () => onPhase(run, 'undoing'),
  }
}

/** Stores the consent of a request for exactly this plan, so it survives a crash. */
async function consent(run: LeasedRun, plan: Plan, store: Store): Promise<void> {
  const takes = plan.changes.some(({ takesFrom }) => takesFrom !== undefined)
  if (plan.needsApproval.length > 0 || takes)
    await store.stacks.change(run.lease, { consent: consentTo(plan, run.cause.by ?? '') })
}

function refuseStale({ spec: { name } }: Stack, run: Run, plan: Plan): void {
  if (run.expects === null || (run.expects.length >= 12 && plan.digest.startsWith(run.expects))) return
  throw new StalePlan(
    `The plan ${run.expects.slice(0, 12)} is stale: the current plan is ${plan.digest.slice(0, 12)}.`,
    {
      code: 'plan/stale',
      hint: `Something changed since it was made. Review the current plan: gitmoor plan ${name}`,
    },
  )
}
