import { abortAfter } from '../../../lib/async/abort-after.js'
import { isOlderId } from '../../../model/id.js'
import { printable } from '../../../lib/text/printable.js'
import { isAdvice } from '../../../model/problem.js'
import type { Phase } from '../../../model/stacks/run.js'
import type { AppliedRow, RunRow, RunView } from '../../../views/run.js'
import type { StackView } from '../../../views/stack.js'
import { interruptions } from '../../errors/interruptions.js'
import { stackPath } from '../../client/stack-path.js'
import { exitCode, exitCodeOfRun } from '../../exit-code.js'
import type { Invocation } from '../../invocation.js'
import { problemLines } from '../../text/problem-text.js'
import { needsApproval, outcomeLines } from '../../text/run-text.js'
import { age } from '../../text/short-forms.js'

/** How long one request waits for a change of the run. */
const longPollMs = 25_000

/** The first request shows early why a run is blocked. Changes of other stacks do not end a request. */
const shortPollMs = 2_000

/** The maximum number of newer runs to follow when a run is replaced. */
const maximumReplacements = 50

/**
 * Waits until a run finishes, needs approval, or is blocked for an unknown time. If a newer run replaces it, waits for
 * the newer run. Ctrl-C ends the wait with exit code 12; the run continues. `progress`: default: to the terminal.
 */
export async function followRun(
  cli: Invocation,
  stack: string,
  first: string,
  progress: (text: string) => void = (text) => cli.out.progress(text),
): Promise<RunView> {
  let id = first
  for (let left = maximumReplacements; ; left--) {
    const run = await waitForEnd(cli, stack, id, progress)
    if (left === 0 || (run.outcome !== 'superseded' && run.outcome !== 'interrupted')) return run
    const { lastRun: newest } = await orStoppedWaiting(
      cli,
      stack,
      cli.client.request<StackView>('GET', stackPath(stack)),
    )
    if (newest === null || !isOlderId(id, newest.id)) return run
    progress(`run ${id} was ${run.outcome}; waiting for run ${newest.id}`)
    id = newest.id
  }
}

async function waitForEnd(
  cli: Invocation,
  stack: string,
  id: string,
  progress: (text: string) => void,
): Promise<RunView> {
  let phase: Phase = 'queued'
  let reported: string | undefined
  try {
    for (let waitMs = shortPollMs; ;) {
      const run: RunView = await cli.client.request<RunView>('GET', stackPath(stack, 'runs', id), {
        query: { waitMs, phase },
      })
      if (run.phase === 'done' || needsApproval(run) || run.blockers.some(mayTakeDays)) return run
      waitMs = run.blockers.length > 0 ? shortPollMs : longPollMs
      const blocker = run.blockers[0]?.message
      if (blocker !== undefined && blocker !== reported) progress(blocker)
      reported = blocker
      if (run.phase !== phase) progress(`${phaseWords[run.phase]} …`)
      phase = run.phase
    }
  } catch (error) {
    if (!cli.signal.aborted) throw error
    throw interruptions.stoppedWaiting(stack, id, error)
  }
}

/** How long Ctrl-C waits for the number of the run that continues. */
const runNumberMs = 2_000

/**
 * The answer of a request that waits for a run. Ctrl-C ends the wait with exit code 12; the run continues. Errors: as
 * those of the request.
 */
export async function orStoppedWaiting<Answer>(
  cli: Invocation,
  stack: string,
  request: Promise<Answer>,
): Promise<Answer> {
  try {
    return await request
  } catch (error) {
    if (!cli.signal.aborted) throw error
    throw interruptions.stoppedWaiting(stack, await runInProgress(cli, stack).catch(() => undefined), error)
  }
}

async function runInProgress(cli: Invocation, stack: string): Promise<string | undefined> {
  const signal = abortAfter(runNumberMs)
  const { lastRun } = await cli.client.request<StackView>('GET', stackPath(stack), { signal })
  return lastRun?.outcome === null ? lastRun.id : undefined
}

function mayTakeDays({ reason, stalled }: RunView['blockers'][number]): boolean {
  return reason !== 'Dependencies' || stalled === true
}

const phaseWords: Readonly<Record<Phase, string>> = {
  queued: 'queued',
  fetching: 'fetching',
  planning: 'planning',
  'needs-approval': 'needs approval',
  applying: 'applying',
  undoing: 'undoing',
  done: 'done',
}

/** Waits for a run that a verb requested, prints its result, and returns the exit code. */
export async function finishRun(cli: Invocation, stack: string, run: Pick<RunRow, 'id'>): Promise<number> {
  return exitCodeOfRun(await finishedRun(cli, stack, run))
}

/** The same, and returns the run: a newer one may have replaced it. */
export async function finishedRun(cli: Invocation, stack: string, { id }: Pick<RunRow, 'id'>): Promise<RunView> {
  const run = await followRun(cli, stack, id)
  const { overrode } = run.cause
  if (overrode !== undefined) cli.out.message(() => [`This run overrode a blocker: ${printable(overrode)}`])
  reportRun(cli, stack, run, run)
  return run
}

/** Waits for the run that applies a plan. If an earlier request began it, this says so. */
export async function finishApplying(cli: Invocation, stack: string, run: AppliedRow): Promise<number> {
  if (run.already !== true) return finishRun(cli, stack, run)
  const id = printable(run.id)
  if (run.outcome === 'applied') {
    cli.out.answer(run, ({ style, now }) => [
      `${style.bold(printable(stack))}: run ${id} already applied this plan ${age(run.finishedAt, now)}.`,
    ])
    return exitCode.ok
  }
  const { by = 'A person' } = run.cause
  if (!cli.out.json)
    cli.out.message(({ now }) => [`${printable(by)} approved this plan ${age(run.createdAt, now)}: run ${id}.`])
  return finishRun(cli, stack, run)
}

/**
 * Prints the result of a run (`value` with `--json`), its problems to stderr, and returns the exit code. Advice on the
 * package comes once, after the first run. `lines`: default: with its changes.
 */
export function reportRun(
  cli: Invocation,
  stack: string,
  run: RunView,
  value: object,
  lines: typeof outcomeLines = outcomeLines,
): number {
  cli.out.answer(value, (display) => lines(run, stack, display))
  const shown = run.cause.kind === 'created' ? run.problems : run.problems.filter((one) => !isAdvice(one))
  if (!cli.out.json) cli.out.message(({ style }) => shown.flatMap((problem) => problemLines(problem, style)))
  return exitCodeOfRun(run)
}
