// stacks/plans: applies and approves plans. Takes a stack and a digest; gives a run. Promises: only the plan with that
// digest is applied. preview.ts gives the plans.
import { lockNames, withLock } from '../../lib/async/locks.js'
import { shellWord } from '../../lib/text/shell-word.js'
import { Refused } from '../../model/errors.js'
import { sourceRevisions, revisionRef, sameRevision, shortRevision } from '../../model/sources/revision.js'
import type { Plan } from '../../model/resources/change.js'
import type { Run } from '../../model/stacks/run.js'
import { nextText } from '../../model/stacks/blocker.js'
import type { Stack } from '../../model/stacks/stack.js'
import { consentTo } from '../../plan/approval-rules.js'
import type { WindowOverrideOptions } from '../../status/run-blockers.js'
import { isCancelled, needsApproval } from '../../status/axes.js'
import { changeSetting } from '../../status/failure-blockers.js'
import { viewRunRow } from '../queries/view-stack.js'
import type { AppliedRow, RunRow } from '../../views/run.js'
import { newestRevision, planRevision } from './preview.js'
import type { Context } from '../context.js'
import { ifUnchanged, refuseChanged, type Precondition } from '../stack-tag.js'
import { findStack, findUsableStack } from '../stacks.js'
import { finishedRun } from '../runs/await-run.js'
import { personCause, refuseBlocked, queueRun, deleteUninstalled } from '../runs/request-run.js'
import { refuseSuspended } from '../runs/suspended.js'
import { refuseWaitingUninstall } from '../runs/waiting-uninstall.js'
import { lastRun } from '../status/status-input.js'
import { pollForPerson } from '../status/with-fix.js'
import { runRefusal } from '../runs/await-run.js'

/** The most runs that are searched for one that already applied the plan. */
const runsSearched = 20

interface SavedPlan {
  readonly stack: string
  readonly revision: string
  readonly digest: string
}

type RequestOptions = WindowOverrideOptions & Precondition

/** The run that carries out the requested plan. `already`: of an earlier request. */
interface RequestedRun {
  readonly run: Run
  readonly already: boolean
}

/** Applies a plan. If an earlier request did or does so, it gives that run. */
export async function applyPlan(
  context: Context,
  plan: SavedPlan,
  by: string,
  signal: AbortSignal,
  options: RequestOptions = {},
): Promise<AppliedRow> {
  const stack = await findUsableStack(context, plan.stack)
  const { run, already } = await inTurn(context, stack, signal, () => queuePlan(context, plan, by, signal, options))
  const ended = await finishedRun(context, stack, run, signal)
  // The poll before stored nothing. This one stores the applied revision as observed.
  if (!already && stack.observed?.revision !== plan.revision)
    await context.scheduler.polls.poll(stack, signal).catch(() => {})
  return { ...rowOrRefusal(stack, ended), ...(already ? { already } : {}) }
}

async function queuePlan(
  context: Context,
  plan: SavedPlan,
  by: string,
  signal: AbortSignal,
  options: RequestOptions,
): Promise<RequestedRun> {
  const stack = await findUsableStack(context, plan.stack)
  refuseChanged(stack, options)
  refuseBlocked(context, stack, options)
  if (plan.revision !== stack.pinned?.revision) refuseOtherRefs(stack, plan.revision)
  refuseSuspended(stack)
  await refuseWaitingUninstall(context.store, stack, 'A saved plan')
  const last = await lastRun(context, stack)
  if (last?.outcome === null && isPlanOf(last, plan.digest)) return { run: last, already: true }
  const newest = stack.pinned?.revision ?? (await newestRevision(context, stack.spec, signal))
  if (plan.revision !== newest) throw otherRevision(stack, plan, newest)
  const before = await appliedAlready(context, stack, plan, signal)
  if (before !== undefined) return { run: before, already: true }
  const cause = await personCause(context, stack, by, { note: 'apply of a plan', ...options })
  const applying = { revision: plan.revision, cause, expects: plan.digest }
  return { run: await queueRun(context, stack, applying, ifUnchanged(options)), already: false }
}

/**
 * Polls, and applies the plan that needs approval. If there is none with this digest, it plans, and applies that plan.
 * If it was approved before, it gives that run: its end, or unfinished while a window is closed. Errors: `Refused`
 * stale, if the source has another revision than the plan.
 */
export async function approvePlan(
  context: Context,
  name: string,
  digest: string,
  by: string,
  signal: AbortSignal,
  options: RequestOptions = {},
): Promise<AppliedRow> {
  const stack = await findUsableStack(context, name)
  const approve = (): Promise<RequestedRun> => queueApproved(context, { name: stack.id, digest, by }, signal, options)
  const { run, already } = await inTurn(context, stack, signal, approve)
  // A deletion ends with this request, so it does not wait for a window.
  const ended = await finishedRun(context, stack, run, signal, { mayWait: run.intent !== 'delete' })
  await deleteUninstalled(context, stack, ended)
  return { ...rowOrRefusal(stack, ended), ...(already ? { already } : {}) }
}

async function queueApproved(
  context: Context,
  { name, digest, by }: { readonly name: string; readonly digest: string; readonly by: string },
  signal: AbortSignal,
  options: RequestOptions,
): Promise<RequestedRun> {
  const stack = await findUsableStack(context, name)
  refuseChanged(stack, options)
  refuseSuspended(stack)
  const found = (await knownPlan(context, stack, digest)) ?? (await nextPlan(context, stack, digest, signal))
  const { plan, intent, isAwaited, approved } = found
  if (isAwaited && intent === 'sync') await refuseOutdated(context, stack, plan, signal)
  if (approved !== undefined && !isOverridden(context, approved, options)) return { run: approved, already: true }
  const note = `approved plan ${plan.digest.slice(0, 12)}`
  const cause = await personCause(context, stack, by, { note, ...options, mayWait: true })
  // Without a closed window, a run that a poll queued could use the consent to a plan that no run awaits.
  const keepsConsent = isAwaited || cause.unattended === true
  const consent = keepsConsent ? { change: { consent: consentTo(plan, by) } } : {}
  const applying = { revision: plan.revision, intent, cause, expects: plan.digest, ...consent }
  return { run: await queueRun(context, stack, applying, ifUnchanged(options)), already: false }
}

/** Requests at the same time share one run: after the first one, the plan would be stale. */
function inTurn<T>({ sync }: Context, { id }: Stack, signal: AbortSignal, request: () => Promise<T>): Promise<T> {
  return withLock(sync.locks, lockNames.requestedPlan(id), signal, request)
}

/** The request overrides the window that keeps the approved run queued. */
function isOverridden({ scheduler }: Context, run: Run, { overrideWindow }: RequestOptions): boolean {
  return overrideWindow !== undefined && run.outcome === null && scheduler.live.phaseOf(run) === undefined
}

/**
 * `isAwaited`: a run ended with this plan, and awaits its approval; `approved`: the run for which a person approved it
 * before, which is unfinished, or applied it.
 */
interface ApprovablePlan {
  readonly plan: Pick<Plan, 'revision' | 'changes' | 'digest'>
  readonly intent: Run['intent']
  readonly isAwaited: boolean
  readonly approved?: Run
}

/** The plan of an approved run. Its consent is stored, so its changes are not needed. */
function approvedPlan(run: Run, digest: string): ApprovablePlan | undefined {
  const { revision, intent, expects } = run
  if (expects === null || !isPlanOf(run, digest)) return undefined
  return { plan: { revision, changes: [], digest: expects }, intent, isAwaited: false, approved: run }
}

/** True if the run carries out the plan of this digest. */
function isPlanOf({ expects }: Run, digest: string): boolean {
  return expects !== null && isDigestOf({ digest: expects }, digest)
}

/** The plan of the newest run, if it was approved or needs approval; undefined: a sync has another digest. */
async function knownPlan(context: Context, stack: Stack, digest: string): Promise<ApprovablePlan | undefined> {
  const last = await lastRun(context, stack)
  if (last?.outcome === null) return approvedPlan(last, digest)
  if (last === undefined || !needsApproval({ stack, last })) return undefined
  const plan = (await context.store.runs.get(last.id))?.plan
  if (plan == null) return undefined
  if (isDigestOf(plan, digest)) return { plan, intent: last.intent, isAwaited: true }
  if (last.intent !== 'sync') throw otherDigest(stack, plan, digest)
  return undefined
}

/**
 * The plan of the newest revision, which nobody may have polled yet; or the plan that the newest run applied, if
 * nothing is left to do. Errors: `Refused`, if the digest differs.
 */
async function nextPlan(context: Context, stack: Stack, digest: string, signal: AbortSignal): Promise<ApprovablePlan> {
  if (stack.pinned === null) await pollForPerson(context, stack, signal)
  const polled = await findStack(context, stack.id)
  const { name } = stack.spec
  const last = await lastRun(context, polled)
  if (isCancelled({ stack: polled, last }) && last?.outcome === 'needs-approval')
    throw new Refused('needs-approval', `${name} has no plan that needs approval: its run was cancelled.`, {
      hint: `Sync again: gitmoor sync ${name}`,
    })
  const revision = polled.pinned?.revision ?? polled.observed?.revision
  const plan = revision === undefined ? undefined : await planRevision(context, polled, revision, signal)
  const applied = last?.outcome === 'applied' && plan?.changes.length === 0 ? approvedPlan(last, digest) : undefined
  if (applied !== undefined) return applied
  if (plan === undefined || plan.needsApproval.length === 0)
    throw new Refused('needs-approval', `${name} has no plan that needs approval.`, {
      hint: `See the next plan: gitmoor plan ${name}`,
    })
  if (!isDigestOf(plan, digest)) throw otherDigest(stack, plan, digest)
  return { plan, intent: 'sync', isAwaited: false }
}

/** Throws if the source has another revision by now. While it is unreachable, the newest known one counts. */
async function refuseOutdated(
  context: Context,
  stack: Stack,
  plan: Pick<Plan, 'revision'>,
  signal: AbortSignal,
): Promise<void> {
  if (stack.pinned !== null) return
  await context.scheduler.polls.poll(stack, signal).catch(() => signal.throwIfAborted())
  const newest = (await findStack(context, stack.id)).observed?.revision
  if (newest !== undefined && !sameRevision(newest, plan.revision)) throw otherRevision(stack, plan, newest)
}

function otherRevision({ spec: { name } }: Stack, { revision }: Pick<Plan, 'revision'>, newest: string): Refused {
  const [planned, current] = [shortRevision(revision), shortRevision(newest)]
  return new Refused('stale', `The plan is for ${planned}, but the current revision of ${name} is ${current}.`, {
    code: 'plan/stale',
    hint: `Review the current plan: gitmoor plan ${name}`,
  })
}

/** `digest`: its first 12 digits or more. */
function isDigestOf(plan: Pick<Plan, 'digest'>, digest: string): boolean {
  return digest.length >= 12 && plan.digest.startsWith(digest)
}

function otherDigest({ spec }: Stack, plan: Pick<Plan, 'digest'>, digest: string): Refused {
  return new Refused('stale', `The plan that needs approval is ${plan.digest.slice(0, 12)}, not ${digest}.`, {
    code: 'plan/stale',
    hint: `Review it: gitmoor plan ${spec.name}`,
  })
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

/** Throws for a plan for a ref that the stack does not follow. */
function refuseOtherRefs(stack: Stack, revision: string): void {
  const { name, sources } = stack.spec
  const parts = sourceRevisions(revision)
  if (parts.length !== sources.length)
    throw new Refused('usage', `The plan was made for other sources than those of ${name}.`, {
      hint: `Review the current plan: gitmoor plan ${name}`,
    })
  for (const [at, source] of sources.entries()) {
    const of = revisionRef(parts[at]!)
    if (source.kind === 'git' && source.ref !== of)
      throw new Refused('usage', `The plan is for ${of}, but ${name} follows ${source.ref}.`, {
        hint: nextText([changeSetting('Follow it', stack, `--ref ${shellWord(of)}`)]),
      })
  }
}
