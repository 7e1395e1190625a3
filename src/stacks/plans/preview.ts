// Previews: the plan that a sync would apply now, or with other files, settings or commits. Stores nothing.
import { abortAfter } from '../../lib/async/abort-after.js'
import { withoutUndefined } from '../../lib/without-undefined.js'
import { channelName, tipsBeginning } from '../../model/sources/channel.js'
import { Refused, SyncError } from '../../model/errors.js'
import { joinSourceRevisions, sourceRevisions } from '../../model/sources/revision.js'
import { replaceableSource, revisionFor, sourceRef, type SourceSpec } from '../../model/sources/source-spec.js'
import type { Stack, StackSpec } from '../../model/stacks/stack.js'
import { errorBody } from '../../views/errors/error-body.js'
import type { ErrorBody } from '../../views/errors/error.js'
import type { PlanView } from '../../views/plan.js'
import type { Context } from '../context.js'
import { rollbackRun } from '../pins/pins.js'
import { packageFiles, refusePaths } from '../inputs/pushed-files.js'
import type { PushedFile } from '../inputs/pushed-package.js'
import { loadPackage, loadSent, type LoadedPackage } from '../load-package/load-package.js'
import type { LoadableStack } from '../load-package/stored-package.js'
import { packageGraph } from '../load-package/read-declared.js'
import { releasedSource, remoteOf } from '../load-package/remotes.js'
import { currentRevision } from '../load-package/sources-at-revision.js'
import { awaitsUninstall } from '../../status/axes.js'
import { failureHint } from '../../status/failure-blockers.js'
import { withFix } from '../status/with-fix.js'
import { versionsIn } from '../queries/channel-facts.js'
import { viewPlan } from '../queries/view-stack.js'
import { findChangeableStack, findUsableStack, refuseLeftAlone } from '../stacks.js'
import { refuseNeeded } from '../status/dependencies.js'
import { lastRun } from '../status/status-input.js'
import { desiredState } from '../sync.js'
import { planBlockers } from './plan-blockers.js'
import { planStack, recoverInterrupted, type Planned } from './plan-stack.js'
import { revisionCause, type RevisionCause } from './revision-cause.js'

/**
 * `ref`: the plan at another ref; `uninstall`: the removal of everything; `delete`: the same, refused as the deletion
 * of the stack would be; `run`: the rollback to this run. Without options: what the next sync would do, or the
 * uninstall that needs approval.
 */
interface PreviewOptions {
  readonly ref?: string
  readonly uninstall?: boolean
  readonly delete?: boolean
  readonly run?: string
}

export async function previewPlan(
  context: Context,
  name: string,
  options: PreviewOptions,
  signal: AbortSignal,
): Promise<PlanView> {
  const isDeletion = options.delete === true
  const stack = await (isDeletion ? findChangeableStack(context, name) : findUsableStack(context, name))
  if (isDeletion) await refuseNeeded(stack, context.store)
  if (isDeletion || options.uninstall === true) return planUninstall(context, stack, signal)
  if (options.run !== undefined) return planRollback(context, stack, options.run, signal)
  const isWaiting = options.ref === undefined && awaitsUninstall({ stack, last: await lastRun(context, stack) })
  if (isWaiting) return { ...(await planUninstall(context, stack, signal)), uninstall: true }
  return planAt(context, stack, options.ref, signal)
}

async function planRollback(context: Context, stack: Stack, id: string, signal: AbortSignal): Promise<PlanView> {
  const { revision } = await rollbackRun(context, stack, id)
  const pinned = { ...stack, pinned: { run: id, revision, by: '', why: '' } }
  const loaded = await loadRevision(context, pinned, revision, signal)
  return planLoaded(context, pinned, loaded, revision, signal, { decision: 'rollback' })
}

/** The plan for sent files in place of those of the stack's source: uncommitted work. Stores nothing. */
export async function previewPackage(
  context: Context,
  name: string,
  sent: readonly PushedFile[],
  signal: AbortSignal,
): Promise<PlanView> {
  const stack = await findUsableStack(context, name)
  const at = replaceableSource(stack.spec.sources)
  if (at === undefined) throw ambiguousSource(stack.spec)
  refusePaths(sent)
  const files = await packageFiles(sent)
  const loaded = await loadSent(stack, { at, files }, { ...context.sync, polled: releasedSource(context) }, signal)
  const plan = await planLoaded(context, stack, loaded, loaded.observed.revision, signal)
  return { ...plan, blockers: await planBlockers(context, stack, { isDesired: false }) }
}

const settingsMs = 60_000

/** The plan of the next sync with these settings, or why there is none within a minute. */
export async function previewSettings(context: Context, stack: Stack): Promise<PlanOrError> {
  const signal = abortAfter(settingsMs)
  return planOrError(stack, async () => {
    const revision = await newestRevision(context, stack.spec, signal)
    const newest = { ...stack, pinned: null, applied: null }
    const loaded = await loadRevision(context, newest, revision, signal)
    const plan = await planLoaded(context, stack, loaded, revision, signal)
    return { ...plan, blockers: await planBlockers(context, { ...stack, pinned: null }, { isDesired: true }) }
  }).catch((error: unknown) => {
    if (!signal.aborted) throw error
    const hint = `See it: gitmoor plan ${stack.spec.name}`
    return { error: errorBody(new Refused('timeout', 'There was no plan within a minute.', { hint })) }
  })
}

/** The plan of the next sync if these channels were at a commit, or why there is none. */
export async function previewCommit(
  context: Context,
  stack: Stack,
  { channels, commit }: { readonly channels: readonly string[]; readonly commit: string },
  signal: AbortSignal,
): Promise<PlanOrError> {
  const { spec } = stack
  const isMoved = (source: SourceSpec): boolean =>
    source.kind === 'git' &&
    channels.includes(channelName({ remote: remoteOf(context, source, spec.name), ref: sourceRef(source) }))
  return planOrError(stack, async () => {
    refuseLeftAlone(context, stack)
    const now = spec.sources.every(isMoved) ? [] : await currentParts(context, stack, signal)
    const parts = spec.sources.map((source, at) => (isMoved(source) ? revisionFor(source, `sha1:${commit}`) : now[at]!))
    const plan = await planRevision(context, { ...stack, pinned: null }, joinSourceRevisions(parts), signal)
    return { ...plan, blockers: await planBlockers(context, stack, { isDesired: false }) }
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

/** A plan, or why there is none and what to do next. */
export interface PlanOrError {
  readonly plan?: PlanView
  readonly error?: ErrorBody
}

async function planOrError(stack: Stack, plan: () => Promise<PlanView>): Promise<PlanOrError> {
  try {
    return { plan: await plan() }
  } catch (error) {
    if (!(error instanceof SyncError)) throw error
    const hint = failureHint(stack, error)
    return { error: { ...errorBody(error), ...withoutUndefined({ hint }) } }
  }
}

/** Polls without storing the result, so a preview does not queue a run. */
async function planAt(context: Context, stack: Stack, ref: string | undefined, signal: AbortSignal): Promise<PlanView> {
  const spec = ref === undefined ? stack.spec : atRef(stack.spec, await knownCommit(context, stack, ref))
  const isDesired = spec === stack.spec
  const pinned = isDesired ? stack.pinned?.revision : undefined
  try {
    const revision = pinned ?? (await newestRevision(context, spec, signal))
    const plan = await planRevision(context, stack, revision, signal)
    return { ...plan, blockers: await planBlockers(context, stack, { isDesired }) }
  } catch (error) {
    throw isDesired ? withFix(stack, error) : error
  }
}

export function newestRevision(context: Context, spec: StackSpec, signal: AbortSignal): Promise<string> {
  return currentRevision(spec, releasedSource(context), signal)
}

export async function planRevision(
  context: Context,
  stack: Stack,
  revision: string,
  signal: AbortSignal,
): Promise<PlanView> {
  return planLoaded(context, stack, await loadRevision(context, stack, revision, signal), revision, signal)
}

/** The package of a stack at a revision, read by no run. */
export function loadRevision(
  context: Context,
  stack: LoadableStack,
  revision: string,
  signal: AbortSignal,
): Promise<LoadedPackage> {
  return loadPackage(stack, { revision, cause: { kind: 'person' } }, context.sync, signal)
}

async function planLoaded(
  context: Context,
  stack: Stack,
  loaded: LoadedPackage,
  revision: string,
  signal: AbortSignal,
  known?: RevisionCause,
): Promise<PlanView> {
  const graph = await packageGraph(loaded, stack, context.sync, signal)
  const cause = known ?? (await revisionCause(stack, { revision, files: loaded.files }, context.store))
  const desired = { ...desiredState(graph, revision), ...cause }
  const result = await planLocked(context, stack, desired, signal)
  const plan = viewPlan(result.plan, stack, [...graph.problems, ...result.problems])
  return { ...plan, ...(await versionsIn(context, stack, [revision])) }
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
  const plan = (): Promise<Planned> =>
    context.sync.targets.reach(stack.spec.target, { stack: stack.spec.name }, signal, async (reached) => {
      await recoverInterrupted(context.sync, stack.id, reached, signal)
      return planStack(stack, what, { ...context.sync, ...reached }, signal)
    })
  // A stack that does not exist yet has no id and no run.
  return stack.id === '' ? plan() : context.scheduler.runs.exclusively(stack.id, signal, plan)
}

function ambiguousSource({ name, sources }: StackSpec): Refused {
  return new Refused('usage', `${name} has ${sources.length} sources, and not exactly one git source among them.`, {
    code: 'stacks/which-source',
    hint: 'Files can be planned for a stack with one source, or with one git source.',
  })
}

/** The commit of a move of its channels that begins with these digits; otherwise the ref as it is. */
async function knownCommit({ sync, store }: Context, { spec }: Stack, ref: string): Promise<string> {
  if (!/^[0-9a-f]{7,39}$/.test(ref)) return ref
  const git = spec.sources.filter((source) => source.kind === 'git')
  const moves = await Promise.all(
    git.map((source) =>
      store.channels.moves(remoteOf({ sync }, source, spec.name), source.ref, { limit: movesSearched }),
    ),
  )
  const [tip, ...others] = tipsBeginning(ref, moves.flat())
  return tip === undefined || others.length > 0 ? ref : tip.commit
}

const movesSearched = 500

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
