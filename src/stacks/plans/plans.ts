// stacks/plans: previews, applies and approves plans. Takes a stack and a digest; gives a plan or a run. Promises: only
// the plan with that digest is applied.
import { Refused, SyncError } from '../../model/errors.js'
import { channelName } from '../../model/channel.js'
import { joinSourceRevisions, sourceRevisions, revisionRef, sameRevision } from '../../model/revision.js'
import type { Resource } from '../../model/resource.js'
import type { Run } from '../../model/run.js'
import { replaceableSource, revisionFor, sourceRef, type SourceSpec } from '../../model/source-spec.js'
import type { Stack, StackSpec } from '../../model/stack.js'
import { consentTo } from '../../plan/approval-rules.js'
import type { WindowOverrideOptions } from '../../status/run-blockers.js'
import { loadPackage, loadSent, type LoadableStack, type LoadedPackage } from '../load-package/load-package.js'
import { currentRevision } from '../load-package/sources-at-revision.js'
import { kindsByName, planStack, type Planned } from './plan-stack.js'
import { revisionCause } from './revision-cause.js'
import { packageGraph } from '../load-package/read-declared.js'
import { desiredState } from '../sync.js'
import { needsApproval } from '../../status/axes.js'
import { viewPlan, viewRunRow } from '../queries/view-stack.js'
import type { PlanView } from '../../views/plan.js'
import type { AppliedRow, RunRow } from '../../views/run.js'
import type { Context } from '../context.js'
import type { StackWithInputs } from '../inputs/inputs.js'
import { refusePlainSecrets } from '../inputs/plain-secrets.js'
import { packageFiles, refusePaths } from '../inputs/pushed-files.js'
import type { PushedFile } from '../inputs/pushed-package.js'
import { refuseChanged, type Precondition } from '../stack-tag.js'
import { findStack } from '../stacks.js'
import { releasedSource, remoteOf } from '../load-package/remotes.js'
import { finishedRun } from '../runs/await-run.js'
import { personCause, refuseClosedWindow, queueRun, deleteUninstalled } from '../runs/request-run.js'
import { refuseSuspended } from '../runs/suspended.js'
import { lastRun } from '../status/status-input.js'
import { runRefusal } from '../runs/await-run.js'

/** The most runs that are searched for one that already applied the plan. */
const runsSearched = 20

export async function previewPlan(
  context: Context,
  name: string,
  options: { readonly ref?: string; readonly uninstall?: boolean },
  signal: AbortSignal,
): Promise<PlanView> {
  const stack = await findStack(context, name)
  if (options.uninstall === true) return planUninstall(context, stack, signal)
  return planAt(context, stack, options.ref, signal)
}

/** The plan for sent files in place of those of the stack's source: uncommitted work. Stores nothing. */
export async function previewPackage(
  context: Context,
  name: string,
  sent: readonly PushedFile[],
  signal: AbortSignal,
): Promise<PlanView> {
  const stack = await findStack(context, name)
  const at = replaceableSource(stack.spec.sources)
  if (at === undefined) throw ambiguousSource(stack.spec)
  refusePaths(sent)
  const files = await packageFiles(sent)
  const loaded = await loadSent(stack, { at, files }, { ...context.sync, polled: releasedSource(context) }, signal)
  return planLoaded(context, stack, loaded, loaded.observed.revision, signal)
}

export async function applyPlan(
  context: Context,
  plan: { readonly stack: string; readonly revision: string; readonly digest: string },
  by: string,
  signal: AbortSignal,
  options: WindowOverrideOptions & Precondition = {},
): Promise<AppliedRow> {
  const stack = await findStack(context, plan.stack)
  refuseChanged(stack, options)
  refuseClosedWindow(context, stack, options)
  if (plan.revision !== stack.pinned?.revision) refuseOtherRefs(stack.spec, plan.revision)
  refuseSuspended(stack)
  const newest = stack.pinned?.revision ?? (await newestRevision(context, stack.spec, signal))
  if (plan.revision !== newest)
    throw new Refused(
      'stale',
      `The plan is for ${plan.revision}, but the current revision of ${stack.spec.name} is ${newest}.`,
      {
        code: 'plan/stale',
        hint: `Review the current plan: gitmoor plan ${stack.spec.name}`,
      },
    )
  const before = await appliedAlready(context, stack, plan, signal)
  if (before !== undefined) return { ...viewRunRow(before), already: true }
  const run = await queueRun(context, stack, {
    revision: plan.revision,
    cause: await personCause(context, stack, by, { note: 'apply of a plan', ...options }),
    expects: plan.digest,
  })
  const ended = await finishedRun(context, stack, run, signal)
  // The poll above stored nothing. This one stores the applied revision as observed.
  if (stack.observed?.revision !== plan.revision) await context.scheduler.polls.poll(stack, signal).catch(() => {})
  return rowOrRefusal(stack, ended)
}

export async function approvePlan(
  context: Context,
  name: string,
  digest: string,
  by: string,
  signal: AbortSignal,
  options: WindowOverrideOptions & Precondition = {},
): Promise<RunRow> {
  const stack = await findStack(context, name)
  refuseChanged(stack, options)
  refuseSuspended(stack)
  const last = await lastRun(context, stack)
  const plan =
    last !== undefined && needsApproval({ stack, last }) ? (await context.store.runs.get(last.id))?.plan : null
  if (plan == null)
    throw new Refused('needs-approval', `${name} has no plan that needs approval.`, {
      hint: `See the next plan: gitmoor plan ${name}`,
    })
  if (digest.length < 12 || !plan.digest.startsWith(digest))
    throw new Refused('stale', `The plan that needs approval is ${plan.digest.slice(0, 12)}, not ${digest}.`, {
      code: 'plan/stale',
      hint: `Review it: gitmoor plan ${name}`,
    })
  const note = `approved plan ${plan.digest.slice(0, 12)}`
  const cause = await personCause(context, stack, by, { note, ...options, mayWait: true })
  const check = (now: Stack): void => refuseChanged(now, options)
  await context.store.stacks.change(stack.id, { consent: consentTo(plan, by) }, check)
  const { revision, intent } = last!
  const run = await queueRun(context, stack, {
    revision,
    intent,
    cause,
    expects: plan.digest,
  })
  // A deletion ends with this request, so it does not wait for a window.
  const ended = await finishedRun(context, stack, run, signal, { mayWait: intent !== 'delete' })
  await deleteUninstalled(context, stack, ended)
  return rowOrRefusal(stack, ended)
}

/** The plan of the next sync with these settings, or why there is none. */
export async function previewSettings(
  context: Context,
  stack: Stack,
  signal: AbortSignal,
): Promise<{ readonly plan?: PlanView; readonly problem?: string }> {
  return planOrProblem(async () => {
    const revision = await newestRevision(context, stack.spec, signal)
    return planRevision(context, { ...stack, pinned: null, applied: null }, revision, signal)
  })
}

/** The plan of the next sync if these channels were at a commit, or why there is none. */
export async function previewCommit(
  context: Context,
  stack: Stack,
  { channels, commit }: { readonly channels: readonly string[]; readonly commit: string },
  signal: AbortSignal,
): Promise<{ readonly plan?: PlanView; readonly problem?: string }> {
  const { spec } = stack
  const isMoved = (source: SourceSpec): boolean =>
    source.kind === 'git' &&
    channels.includes(channelName({ remote: remoteOf(context, source, spec.name), ref: sourceRef(source) }))
  return planOrProblem(async () => {
    const now = spec.sources.every(isMoved) ? [] : await currentParts(context, stack, signal)
    const parts = spec.sources.map((source, at) => (isMoved(source) ? revisionFor(source, `sha1:${commit}`) : now[at]!))
    return planRevision(context, { ...stack, pinned: null }, joinSourceRevisions(parts), signal)
  })
}

/** The observed revision of each source; if the sources changed since, the newest one. */
async function currentParts(
  context: Context,
  { spec, observed }: Stack,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const parts = observed === null ? [] : sourceRevisions(observed.revision)
  return parts.length === spec.sources.length ? parts : sourceRevisions(await newestRevision(context, spec, signal))
}

async function planOrProblem(
  plan: () => Promise<PlanView>,
): Promise<{ readonly plan?: PlanView; readonly problem?: string }> {
  try {
    return { plan: await plan() }
  } catch (error) {
    if (error instanceof SyncError) return { problem: error.message }
    throw error
  }
}

/**
 * Refuses new plain values of keys that the package uses as secrets. If there is no valid package now, nothing is known
 * and nothing is refused.
 */
export async function refusePlainValues(
  context: Context,
  stack: LoadableStack & StackWithInputs,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (keys.length === 0) return
  const read = async (): Promise<readonly Resource[]> => {
    const revision = await newestRevision(context, stack.spec, signal)
    const loaded = await loadPackage(stack, { revision, cause: { kind: 'person' } }, context.sync, signal)
    return (await packageGraph(loaded, stack, context.sync, signal)).resources
  }
  const resources = await read().catch((error: unknown) => {
    if (error instanceof SyncError) return []
    throw error
  })
  refusePlainSecrets(stack.spec.name, keys, resources)
}

/** The run that applied the plan before, if no changes are left. Throws for a stale plan, before a run is queued. */
async function appliedAlready(
  context: Context,
  stack: Stack,
  { revision, digest }: { readonly revision: string; readonly digest: string },
  signal: AbortSignal,
): Promise<Run | undefined> {
  const now = await planRevision(context, stack, revision, signal)
  if (now.digest.startsWith(digest)) return undefined
  const runs = now.changes.length > 0 ? [] : await context.store.runs.list(stack.id, { limit: runsSearched })
  for (const { id, outcome, ...run } of runs) {
    const plan =
      outcome === 'applied' && sameRevision(run.revision, revision) ? (await context.store.runs.get(id))?.plan : null
    if (plan?.digest.startsWith(digest) === true) return context.store.runs.get(id)
  }
  throw new Refused(
    'stale',
    `The plan ${digest.slice(0, 12)} is stale: the current plan is ${now.digest.slice(0, 12)}.`,
    {
      code: 'plan/stale',
      hint: `Review the current plan: gitmoor plan ${stack.spec.name}`,
    },
  )
}

function rowOrRefusal(stack: Stack, run: Run): RunRow {
  if (run.problems.some(({ code }) => code === 'plan/stale')) throw runRefusal(run, stack)
  return viewRunRow(run)
}

/** Polls without storing the result, so a preview does not queue a run. */
async function planAt(context: Context, stack: Stack, ref: string | undefined, signal: AbortSignal): Promise<PlanView> {
  const spec = ref === undefined ? stack.spec : atRef(stack.spec, ref)
  const pinned = spec === stack.spec ? stack.pinned?.revision : undefined
  return planRevision(context, stack, pinned ?? (await newestRevision(context, spec, signal)), signal)
}

function newestRevision(context: Context, spec: StackSpec, signal: AbortSignal): Promise<string> {
  return currentRevision(spec, releasedSource(context), signal)
}

async function planRevision(context: Context, stack: Stack, revision: string, signal: AbortSignal): Promise<PlanView> {
  const loaded = await loadPackage(stack, { revision, cause: { kind: 'person' } }, context.sync, signal)
  return planLoaded(context, stack, loaded, revision, signal)
}

async function planLoaded(
  context: Context,
  stack: Stack,
  loaded: LoadedPackage,
  revision: string,
  signal: AbortSignal,
): Promise<PlanView> {
  const graph = await packageGraph(loaded, stack, context.sync, signal)
  const desired = { ...desiredState(graph, revision), ...(await revisionCause(stack, revision, context.store)) }
  const result = await planLocked(context, stack, desired, signal)
  return viewPlan(result.plan, stack, [...graph.problems, ...result.problems])
}

async function planUninstall(context: Context, stack: Stack, signal: AbortSignal): Promise<PlanView> {
  const revision = stack.applied?.revision ?? stack.observed?.revision ?? 'none'
  const { plan, problems } = await planLocked(context, stack, { revision, resources: [], uninstall: true }, signal)
  return viewPlan(plan, stack, problems)
}

function planLocked(
  context: Context,
  stack: Stack,
  what: Parameters<typeof planStack>[1],
  signal: AbortSignal,
): Promise<Planned> {
  return context.scheduler.runs.exclusively(stack.id, signal, () =>
    context.sync.targets.reach(stack.spec.target, { stack: stack.spec.name }, signal, async (reached) => {
      await context.sync.engine.recover(
        { stack: stack.id, ...reached, kindNamed: kindsByName(reached.platform) },
        signal,
      )
      return planStack(stack, what, { ...context.sync, ...reached }, signal)
    }),
  )
}

function ambiguousSource({ name, sources }: StackSpec): Refused {
  return new Refused('usage', `${name} has ${sources.length} sources, and not exactly one git source among them.`, {
    code: 'stacks/which-source',
    hint: 'Files can be planned for a stack with one source, or with one git source.',
  })
}

/** Throws for a plan for a ref that the stack does not follow. */
function refuseOtherRefs({ name, sources }: StackSpec, revision: string): void {
  const parts = sourceRevisions(revision)
  if (parts.length !== sources.length)
    throw new Refused('usage', `The plan was made for other sources than those of ${name}.`, {
      hint: `Review the current plan: gitmoor plan ${name}`,
    })
  for (const [at, source] of sources.entries()) {
    const of = revisionRef(parts[at]!)
    if (source.kind === 'git' && source.ref !== of)
      throw new Refused('usage', `The plan is for ${of}, but ${name} follows ${source.ref}.`, {
        hint: `Follow it: gitmoor stack set ${name} --ref ${of}`,
      })
  }
}

/** The settings with another ref of the only git source; the same object if the stack follows that ref. */
function atRef(spec: StackSpec, ref: string): StackSpec {
  const git = spec.sources.filter((source) => source.kind === 'git')
  if (git.length !== 1)
    throw new Refused(
      'usage',
      git.length === 0
        ? `${spec.name} has no git source, so --ref does not apply.`
        : `--ref is ambiguous: ${spec.name} has ${git.length} git sources.`,
      {
        hint: `Plan the refs that it follows: gitmoor plan ${spec.name}`,
      },
    )
  if (git[0]!.ref === ref) return spec
  return { ...spec, sources: spec.sources.map((source) => (source.kind === 'git' ? { ...source, ref } : source)) }
}
