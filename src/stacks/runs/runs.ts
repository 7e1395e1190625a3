// stacks/runs: requests to run a stack, or to stop a run. Takes a name and the caller; gives the run or the stack.
// Promises: a request while a run is queued or in progress joins that run.
import { Stopped } from '../../model/errors.js'
import type { Cause, Run } from '../../model/stacks/run.js'
import type { Stack } from '../../model/stacks/stack.js'
import { sameRevision } from '../../model/sources/revision.js'
import { awaitsUninstall, cancelledFailure } from '../../status/axes.js'
import type { WindowOverrideOptions } from '../../status/run-blockers.js'
import { getStack } from '../queries/queries.js'
import { viewRunRow } from '../queries/view-stack.js'
import type { RunRow } from '../../views/run.js'
import type { StackView } from '../../views/stack.js'
import type { Context } from '../context.js'
import { ifUnchanged, refuseChanged, type Precondition } from '../stack-tag.js'
import { findStack, findUsableStack } from '../stacks.js'
import { personCause, pushCause, queueRun, refuseBlocked } from './request-run.js'
import { refuseWaitingUninstall } from './waiting-uninstall.js'
import { refuseSuspended } from './suspended.js'
import { lastRun, readRunBlockers } from '../status/status-input.js'
import { pollForPerson } from '../status/with-fix.js'

interface SyncOptions extends WindowOverrideOptions {
  readonly awaitDependencies?: boolean
}

export async function requestSync(
  context: Context,
  name: string,
  by: string,
  signal: AbortSignal,
  options: WindowOverrideOptions & Precondition = {},
): Promise<RunRow> {
  const stack = await findUsableStack(context, name)
  refuseChanged(stack, options)
  return syncStack(context, stack, by, signal, options)
}

/** Polls, and joins or queues a run. `awaitDependencies`: as for `personCause`. */
export async function syncStack(
  context: Context,
  stack: Stack,
  by: string,
  signal: AbortSignal,
  options: SyncOptions & Precondition,
): Promise<RunRow> {
  refuseBlocked(context, stack, options)
  await refuseWaitingUninstall(context.store, stack, 'A sync')
  const causeOf = (now: Stack): Promise<Cause> => personCause(context, now, by, { ...options, mayWait: true })
  return pollAndQueue(context, stack, { causeOf, options }, signal)
}

/** Syncs a stack that something was pushed to. */
export async function syncPushed(context: Context, id: string, by: string, signal: AbortSignal): Promise<RunRow> {
  const causeOf = async (now: Stack): Promise<Cause> => pushCause(context, now, by)
  return pollAndQueue(context, await findStack(context, id), { causeOf, options: {} }, signal)
}

interface SyncRequest {
  readonly causeOf: (now: Stack) => Promise<Cause>
  readonly options: SyncOptions & Precondition
}

/** Polls, and joins the run in progress or queues one. The stack may change during the poll. */
async function pollAndQueue(
  context: Context,
  stack: Stack,
  { causeOf, options }: SyncRequest,
  signal: AbortSignal,
): Promise<RunRow> {
  refuseSuspended(stack)
  await pollForPerson(context, stack, signal)
  const polled = await findStack(context, stack.id)
  refuseChanged(polled, options)
  const [waiting] = (await context.store.runs.unfinished(stack.id)).slice(-1)
  const revision = polled.pinned?.revision ?? polled.observed?.revision ?? ''
  const newest =
    (await joinable(context, polled, waiting ?? (await newRun(context, stack, polled)), options)) ??
    (await queueRun(context, polled, { revision, orNewer: true, cause: await causeOf(polled) }, ifUnchanged(options)))
  return viewRunRow(newest, context.scheduler.live.phaseOf(newest))
}

export async function cancelRun(
  context: Context,
  name: string,
  by: string,
  precondition: Precondition = {},
): Promise<StackView> {
  const stack = await findUsableStack(context, name)
  const why = new Stopped('cancelled', `${by} cancelled the run.`)
  const failure = cancelledFailure(stack, why.message)
  await context.store.runs.cancelQueued(stack.id, failure, ifUnchanged(precondition))
  await context.scheduler.runs.stop(stack.id, why)
  const last = await lastRun(context, stack)
  if (last !== undefined && awaitsUninstall({ stack, last })) await cancelUninstall(context, stack, last, by)
  else if (last?.outcome === 'needs-approval') await context.store.stacks.change(stack.id, { failure, consent: null })
  context.scheduler.runs.wake(stack.id)
  return getStack(context, stack.id)
}

/** The stack is as it was before the uninstall was requested. */
async function cancelUninstall(context: Context, stack: Stack, { id }: Run, by: string): Promise<void> {
  await context.store.runs.cancelAwaiting(id)
  await context.store.stacks.change(stack.id, { consent: null })
  await queueObserved(context, stack, by)
}

/** A revision that was observed while an uninstall needed approval had no run. */
async function queueObserved(context: Context, { id }: Stack, by: string): Promise<void> {
  const stack = await findStack(context, id)
  const revision = stack.pinned?.revision ?? stack.observed?.revision
  if (revision === undefined || stack.suspended !== null || sameRevision(stack.applied?.revision, revision)) return
  await queueRun(context, stack, {
    revision,
    orNewer: true,
    cause: { kind: 'person', by, note: 'the uninstall was cancelled' },
  })
}

/** The run, unless a blocker keeps it that the requested run would not heed. */
async function joinable(
  context: Context,
  stack: Stack,
  run: Run | undefined,
  { awaitDependencies = false }: SyncOptions,
): Promise<Run | undefined> {
  if (run === undefined || run.outcome !== null || context.scheduler.live.phaseOf(run) !== undefined) return run
  const blockers = await readRunBlockers(context, stack, run)
  return blockers.every(({ reason }) => awaitDependencies && reason === 'Dependencies') ? run : undefined
}

/** The run that the poll just queued for a new revision, even if it has ended. */
async function newRun(context: Context, before: Stack, now: Stack): Promise<Run | undefined> {
  return before.observed?.revision === now.observed?.revision ? undefined : lastRun(context, now)
}
