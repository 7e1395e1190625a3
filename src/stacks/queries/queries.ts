// stacks/queries: reads stacks and runs, and waits for runs. Takes names and filters; gives views. Promises: changes
// nothing.
import { isoTime } from '../../lib/text/time-text.js'
import { abortAfter } from '../../lib/async/abort-after.js'
import { inSlices } from '../../lib/async/steps.js'
import { firstProblems, type Problem } from '../../model/problem.js'
import { hashDigits } from '../../model/sources/revision.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack, StackFilter } from '../../model/stacks/stack.js'
import { Refused } from '../../model/errors.js'
import { needsApproval, type StatusInput } from '../../status/axes.js'
import { kindsByName } from '../targets.js'
import { nextCursor, type Paging, type StackListing } from '../paging.js'
import { changeProgress } from './change-progress.js'
import type { StackRunQuery } from '../../store/run-table.js'
import type { SelectedStack } from '../../store/stack-table.js'
import { findDeletedRun, runsOfDeleted } from './deleted-stacks.js'
import { selectStacks } from './select-stacks.js'
import { resourceRows, viewApproval, viewRow, viewRun, viewSources } from './view-stack.js'
import type { Page } from '../../views/page.js'
import type { DeletedStackView, RunPage, RunView, StackRunRow } from '../../views/run.js'
import type { StackPage, StackRow, StackView, SourceView } from '../../views/stack.js'
import type { Context } from '../context.js'
import { findStack } from '../stacks.js'
import { foundCause, foundVeto, versionsIn, versionsOf, viewFoundRuns, type ShownRevisions } from './channel-facts.js'
import { linksOf } from './commit-links.js'
import { phasesOf } from './run-events.js'
import { remoteOf } from '../load-package/remotes.js'
import { freshReads, namingRoot, sharedReads } from '../status/awaited-stacks.js'
import { declarationRefusals } from '../status/declaration-refusals.js'
import {
  lastRun,
  statusInput,
  readStatusInput,
  withPlan,
  queuedRunBlockers,
  isStalled,
} from '../status/status-input.js'

export async function listStacks(context: Context, listing: StackListing): Promise<StackPage> {
  const { found, next, total } = await selectStacks(context, listing)
  const items = await viewRows(context, found)
  const refused = includesRefused(listing) ? await undeclaredStacks(context) : []
  return {
    items,
    next,
    ...(total === null ? {} : { total }),
    ...(refused.length === 0 ? {} : { refused: [...refused] }),
  }
}

/** Stacks of a list, as lists show them. */
export async function viewRows(
  context: Context,
  found: readonly Pick<SelectedStack, 'stack' | 'last' | 'behindSince'>[],
): Promise<readonly StackRow[]> {
  const inputs = found.map(({ stack, last, behindSince }) => ({ ...statusInput(context, stack, last), behindSince }))
  const approvals = inputs.filter(needsApproval).flatMap(({ last }) => last?.id ?? [])
  const reasons = await context.store.runs.approvalReasons(approvals)
  const reads = sharedReads(context)
  const versions = await versionsOf(context, inputs.map(shownRevisions))
  const linksIn = (remote: string): ReturnType<typeof linksOf> => linksOf(context, remote)
  const items: StackRow[] = []
  for (const [at, input] of inputs.entries()) {
    const { stack, last } = input
    const approvalReasons = reasons.get(last?.id ?? '') ?? []
    const blockers = await namingRoot(stack, input.blockers, reads)
    const row = {
      now: context.clock.now(),
      nextPollAt: context.scheduler.polls.nextAt(stack),
      found: versions[at]!,
      linksOf: linksIn,
    }
    items.push(viewRow({ ...input, approvalReasons, blockers }, row))
  }
  return items
}

/** The first page of all stacks, or of those of the configuration file. */
function includesRefused({ limit: _limit, sort: _sort, managedBy = 'file', ...filter }: StackListing): boolean {
  return managedBy === 'file' && Object.keys(filter).length === 0
}

/** Why stacks of the configuration file do not exist. */
async function undeclaredStacks({ store, configuration }: Context): Promise<readonly Problem[]> {
  const refusals = declarationRefusals(configuration())
  const found: Problem[] = []
  for (const one of refusals) if ((await store.stacks.get(one.stack ?? '')) === undefined) found.push(one)
  return firstProblems(found, refusedShown)
}

/** The most refused stacks of a list. The last one counts the rest. */
const refusedShown = 20

export async function getStack(context: Context, name: string): Promise<StackView> {
  return viewStack(context, await readStatusInput(context, await findStack(context, name)))
}

/** A stack with its resources and settings. */
export async function viewStack(context: Context, known: StatusInput): Promise<StackView> {
  const { stack } = known
  const planned = needsApproval(known) ? await withPlan(context, known) : known
  const input = { ...planned, blockers: await namingRoot(stack, known.blockers, freshReads(context)) }
  const platform = context.sync.targets.known(stack.spec.target)
  const owned = await context.store.ownership.byAddress(stack.id)
  const versions = await versionsOf(context, [shownRevisions(input)])
  return {
    ...viewRow(input, {
      now: context.clock.now(),
      nextPollAt: context.scheduler.polls.nextAt(stack),
      found: versions[0]!,
      linksOf: (remote) => linksOf(context, remote),
    }),
    sources: await taggedSources(context, stack),
    resources: await inSlices(resourceRows(owned, kindsByName(platform))),
    spec: stack.spec,
  }
}

function shownRevisions({ stack }: Pick<StatusInput, 'stack'>): ShownRevisions {
  const { observed, applied, pinned } = stack
  return { stack, revisions: [observed?.revision ?? null, applied?.revision ?? null, pinned?.revision ?? null] }
}

export async function listRuns(context: Context, name: string, { limit = 100, after }: Paging): Promise<RunPage> {
  const stack = await context.store.stacks.get(name)
  const deleted = stack === undefined ? await context.store.stacks.deleted(name) : undefined
  if (deleted !== undefined) return runsOfDeleted(deleted, { limit, after })
  return listRunsOf(context, stack ?? (await findStack(context, name)), { limit, after })
}

/** Deleted stacks, newest first. */
export async function listDeletions(
  { store }: Context,
  { limit = 100, after }: Paging,
): Promise<Page<DeletedStackView>> {
  const found = await store.stacks.deletions({ limit, after })
  const items = found.map(({ seq, at, ...rest }) => ({ seq, ...rest, at: isoTime(at) }))
  return { items, next: nextCursor(found, limit, ({ seq }) => seq) }
}

async function listRunsOf(
  context: Context,
  stack: Stack,
  { limit, after }: Paging & { readonly limit: number },
): Promise<RunPage> {
  const runs = await context.store.runs.list(stack.id, { limit, after })
  const items = await viewFoundRuns(
    context,
    runs.map((run) => ({ run, stack })),
  )
  return { items, next: nextCursor(runs, limit, ({ id }) => id) }
}

/** `stack`: a name; times in milliseconds since the epoch. */
export interface RunListing
  extends
    Paging,
    Pick<StackFilter, 'selector' | 'managedBy'>,
    Pick<StackRunQuery, 'by' | 'cause' | 'outcomes' | 'since' | 'until'> {
  readonly stack?: string
}

/** Errors: `Refused` not-found, if there is no such stack. */
export async function listAllRuns(
  context: Context,
  { selector = [], limit = 100, stack, ...query }: RunListing,
): Promise<Page<StackRunRow>> {
  const ofStack = stack === undefined ? {} : { stack: (await findStack(context, stack)).id }
  const found = await context.store.runs.listOfStacks({ ...query, ...ofStack, selector, limit })
  const known = await context.store.stacks.many([...new Set(found.map(({ run }) => run.stack))])
  const stacks = new Map(known.map((one) => [one.id, one]))
  const rows = await viewFoundRuns(
    context,
    found.map(({ run }) => ({ run, stack: stacks.get(run.stack) })),
  )
  const items = rows.map((row, at) => ({ ...row, stack: found[at]!.stackName }))
  return { items, next: nextCursor(items, limit, ({ id }) => id) }
}

export async function getRun(
  context: Context,
  name: string,
  id: string,
  wait?: { readonly waitMs: number; readonly phase?: string; readonly signal: AbortSignal },
): Promise<RunView> {
  const deleted = await findDeletedRun(context.store, name, id)
  if (deleted !== undefined) return deleted
  const stack = await findStack(context, name)
  const until = wait && abortAfter(wait.waitMs, wait.signal)
  let blockersBefore: string | undefined
  for (;;) {
    const changed = until && context.scheduler.events.nextChange(stack.id, until)
    changed?.catch(() => {})
    const [now = stack] = await context.store.stacks.many([stack.id])
    const run = await context.store.runs.get(id)
    if (run === undefined || run.stack !== stack.id)
      throw new Refused('not-found', `${name} has no run ${id}.`, {
        code: 'runs/unknown',
        hint: `List its runs: gitmoor history ${name}`,
      })
    const inProgress = context.scheduler.live.phaseOf(run)
    const phase = run.outcome === null ? (inProgress ?? run.phase) : run.phase
    const blockers = blockerTexts(context, now, run)
    blockersBefore ??= blockers
    const isOther = phase !== wait?.phase || blockers !== blockersBefore
    const isEnough = run.outcome !== null || (wait?.phase !== undefined && isOther)
    if (isEnough || changed === undefined || !(await isResolved(changed))) return viewRunNow(context, run, now)
  }
}

/** With what keeps a queued run from starting at this moment. */
async function viewRunNow(context: Context, run: Run, stack: Stack): Promise<RunView> {
  const blockers = queuedRunBlockers(context, stack, run)
  const awaitsOthers = run.outcome === null && blockers.some(({ reason }) => reason === 'Dependencies')
  const inProgress = context.scheduler.live.phaseOf(run)
  const view = viewRun(run, stack, {
    inProgress,
    blockers: awaitsOthers ? await namingRoot(stack, blockers, freshReads(context)) : blockers,
    isStalled: awaitsOthers && (await isStalled(context, stack)),
    phases: phasesOf(context, run, await context.store.runs.phaseTimes(run.id)),
  })
  const found = await versionsIn(context, stack, [run.revision])
  return {
    ...view,
    ...found,
    ...(await changeProgress(context, run, stack)),
    cause: await foundCause(context, run, stack),
    ...(await foundVeto(context, run, stack)),
    ...viewApproval(run, stack, await lastRun(context, stack)),
    plan: view.plan && { ...view.plan, ...found },
  }
}

function blockerTexts(context: Context, stack: Stack, run: Run): string {
  return queuedRunBlockers(context, stack, run)
    .map(({ message }) => message)
    .join('\n')
}

export async function readiness(context: Context): Promise<{ readonly ready: boolean; readonly reason: string }> {
  if (!context.scheduler.started) return { ready: false, reason: 'the agent is starting' }
  if (context.scheduler.stopping) return { ready: false, reason: 'the agent is stopping' }
  const late = context.scheduler.polls.late
  if (late !== undefined)
    return {
      ready: false,
      reason: `${late.remote} should have been polled ${Math.round(late.lateMs / 1000)} s ago`,
    }
  const fault = await context.store.whyUnwritable()
  return fault === undefined ? { ready: true, reason: 'ready' } : { ready: false, reason: fault }
}

/** True if it resolves, false if it rejects. */
async function isResolved(promise: Promise<void>): Promise<boolean> {
  try {
    await promise
    return true
  } catch {
    return false
  }
}

/** The sources of a stack. A source with a version range has its chosen tag. */
export async function taggedSources(context: Context, stack: Stack): Promise<readonly SourceView[]> {
  return Promise.all(
    viewSources(stack, (remote) => linksOf(context, remote)).map(async (source) => {
      if (source.kind !== 'git' || source.revision === null) return source
      const remote = remoteOf(context, source, stack.spec.name)
      const move = await context.store.channels.moveTo(remote, source.ref, hashDigits(source.revision))
      const tag = move?.to?.tag
      return tag === undefined ? source : { ...source, tag }
    }),
  )
}
