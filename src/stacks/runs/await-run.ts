// Waits for the end of a run that a person requested.
import { Refused } from '../../model/errors.js'
import type { Run } from '../../model/stacks/run.js'
import { isUninstalled, suspends, type Stack } from '../../model/stacks/stack.js'
import type { Context } from '../context.js'
import { findStack } from '../stacks.js'
import { runBlockers } from '../../status/run-blockers.js'
import { refuseBlocked } from './request-run.js'
import { refuseSuspendedByPerson } from './suspended.js'

/** `mayWait`: a window that closes before the first write keeps the run queued, instead of ending it. */
interface WaitOptions {
  readonly mayWait?: boolean
}

/** The ended run, with its plan. Errors: see `endedRun`. */
export async function finishedRun(
  context: Context,
  stack: Stack,
  run: Run,
  signal: AbortSignal,
  options: WaitOptions = {},
): Promise<Run> {
  const ended = await endedRun(context, stack, run, signal, options)
  return (await context.store.runs.get(ended.id)) ?? ended
}

/**
 * The ended run, without its plan, which may be large. Two runs that continue later are returned unfinished: an undo
 * whose target does not answer, and a run that waits for a window. Errors: `Refused` locked, if a person suspended the
 * stack meanwhile; conflict, if it was deleted; needs-approval, if a window closed before its first write.
 */
export async function endedRun(
  context: Context,
  stack: Stack,
  { id }: Run,
  signal: AbortSignal,
  { mayWait = false }: WaitOptions = {},
): Promise<Run> {
  const { scheduler, clock } = context
  for (;;) {
    const changed = scheduler.events.nextChange(stack.id, signal)
    changed.catch(() => {})
    const run = await runNow(context, stack, id)
    if (run.outcome !== null && run.outcome !== 'cancelled') return run
    const now = await findStack(context, stack.id)
    if (run.outcome === 'cancelled') return (refuseSuspendedByPerson(now), run)
    if (run.phase === 'undoing' && now.retryAt !== null) return run
    if (scheduler.live.phaseOf(run) === undefined && isClosedFor(now, run, clock.now())) {
      if (mayWait || run.cause.unattended === true) return run
      await cancelClosed(context, now, id, signal)
    }
    if (!suspends(now, run.intent)) await changed
    else await cancelSuspended(context, now, id, signal)
  }
}

/**
 * No run of a suspended stack begins. An undo continues when the stack is resumed. Throws if a person suspended the
 * stack.
 */
function cancelSuspended(context: Context, stack: Stack, id: string, signal: AbortSignal): Promise<void> {
  return context.scheduler.runs.exclusively(stack.id, signal, async () => {
    const now = await findStack(context, stack.id)
    const run = await runNow(context, stack, id)
    if (!suspends(now, run.intent) || run.outcome !== null) return
    const outcome = isUninstalled(now) ? 'superseded' : 'cancelled'
    if (run.phase !== 'undoing' || isUninstalled(now)) await endRun(context, run, outcome)
    refuseSuspendedByPerson(now)
  })
}

/** A window closed while the run was queued: the request is refused, as if it were made now. */
function cancelClosed(context: Context, stack: Stack, id: string, signal: AbortSignal): Promise<void> {
  return context.scheduler.runs.exclusively(stack.id, signal, async () => {
    const run = await runNow(context, stack, id)
    if (run.outcome !== null || !isClosedFor(stack, run, context.clock.now())) return
    await context.store.runs.endQueued(id, { outcome: 'cancelled' })
    refuseBlocked(context, stack, {})
  })
}

/** Inside `exclusively`. */
async function endRun({ store }: Context, run: Run, outcome: 'superseded' | 'cancelled'): Promise<void> {
  const { lease } = await store.runs.takeLease(run)
  await store.runs.finish(lease, { outcome })
}

async function runNow({ store }: Pick<Context, 'store'>, { id: stack, spec }: Stack, id: string): Promise<Run> {
  const [run] = await store.feed.many([id])
  if (run?.stack === stack) return run
  throw new Refused('conflict', `${spec.name} was deleted before run ${id} ended.`, {
    code: 'stacks/deleted-meanwhile',
  })
}

/** True if a window keeps a queued run from beginning. */
function isClosedFor(stack: Stack, run: Run, now: number): boolean {
  return run.phase === 'queued' && runBlockers(stack, run, { dependencies: [], isHalfDone: false, now }).length > 0
}

/** The error for the caller whose requested run did not succeed. */
export function runRefusal(run: Run, { spec }: Stack): Refused {
  const first = run.problems[0]
  return new Refused(refusalStatus(run), first?.message ?? `Run ${run.id} ended ${run.outcome ?? run.phase}.`, {
    ...(first === undefined ? {} : { code: first.code }),
    hint: first?.hint ?? `See the run: gitmoor history ${spec.name} ${run.id}`,
    problems: run.problems,
  })
}

function refusalStatus({ outcome, problems }: Run): 'stale' | 'conflict' | 'failed' {
  if (problems[0]?.code === 'plan/stale') return 'stale'
  return outcome === 'superseded' || outcome === 'cancelled' ? 'conflict' : 'failed'
}
