// stacks/plans: applies and approves plans. Takes a stack and a digest; gives a run. Promises: only the plan with that
// digest is applied. preview.ts gives the plans.
import { Refused } from '../../model/errors.js'
import { sourceRevisions, revisionRef, sameRevision } from '../../model/revision.js'
import type { Run } from '../../model/run.js'
import type { Stack, StackSpec } from '../../model/stack.js'
import { consentTo } from '../../plan/approval-rules.js'
import type { WindowOverrideOptions } from '../../status/run-blockers.js'
import { needsApproval } from '../../status/axes.js'
import { viewRunRow } from '../queries/view-stack.js'
import type { AppliedRow, RunRow } from '../../views/run.js'
import { newestRevision, planRevision } from './preview.js'
import type { Context } from '../context.js'
import { ifUnchanged, refuseChanged, type Precondition } from '../stack-tag.js'
import { findStack } from '../stacks.js'
import { finishedRun } from '../runs/await-run.js'
import { personCause, refuseBlocked, queueRun, deleteUninstalled } from '../runs/request-run.js'
import { refuseSuspended } from '../runs/suspended.js'
import { lastRun } from '../status/status-input.js'
import { runRefusal } from '../runs/await-run.js'

/** The most runs that are searched for one that already applied the plan. */
const runsSearched = 20

export async function applyPlan(
  context: Context,
  plan: { readonly stack: string; readonly revision: string; readonly digest: string },
  by: string,
  signal: AbortSignal,
  options: WindowOverrideOptions & Precondition = {},
): Promise<AppliedRow> {
  const stack = await findStack(context, plan.stack)
  refuseChanged(stack, options)
  refuseBlocked(context, stack, options)
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
  const cause = await personCause(context, stack, by, { note: 'apply of a plan', ...options })
  const applying = { revision: plan.revision, cause, expects: plan.digest }
  const run = await queueRun(context, stack, applying, ifUnchanged(options))
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
  await context.store.stacks.change(stack.id, { consent: consentTo(plan, by) }, ifUnchanged(options))
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
