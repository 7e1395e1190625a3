import type { Phase } from '../../model/run.js'
import type { RunRow, RunView } from '../../views/run.js'
import type { StackView } from '../../views/stack.js'
import { CliError, UsageError } from '../cli-error.js'
import { exitCode, exitCodeOfRun } from '../exit-code.js'
import type { Invocation } from '../invocation.js'
import { printable } from '../../lib/printable.js'
import { problemLines } from '../text/problem-text.js'
import { outcomeLines, needsApproval } from '../text/run-text.js'

/** How long one question waits for the run to change; the first one less, since a run that has to wait says so soon. */
const longPollMs = 25_000
const firstLongPollMs = 2_000

/** A run that is followed may be replaced; so many replacements are followed too. */
const maximumReplacements = 50

/** Errors: `UsageError` for what would be another path. */
export function stackPath(name: string, ...below: readonly string[]): string {
  const wrong = [name, ...below].find((part) => part === '' || part === '.' || part === '..')
  if (wrong !== undefined) throw new UsageError(wrong === '' ? 'A name is empty.' : `${wrong} is no name.`)
  return ['/api/v1/stacks', name, ...below].map((part, at) => (at === 0 ? part : encodeURIComponent(part))).join('/')
}

/**
 * Waits until a run ends, is held, or is known to wait for its time or for what a channel releases; one that a newer
 * run replaced is followed by that one. Ctrl-C ends the waiting (exit code 12), not the run.
 */
export async function followRun(at: Invocation, stack: string, first: string): Promise<RunView> {
  let id = first
  for (let left = maximumReplacements; ; left--) {
    const run = await waitForEnd(at, stack, id)
    if (left === 0 || (run.outcome !== 'superseded' && run.outcome !== 'interrupted')) return run
    const newest = (await at.client.request<StackView>('GET', stackPath(stack))).lastRun
    if (newest === null || Number(newest.id) <= Number(id)) return run
    at.out.progress(`run ${id} ${run.outcome}; following run ${newest.id}`)
    id = newest.id
  }
}

async function waitForEnd(at: Invocation, stack: string, id: string): Promise<RunView> {
  let phase: Phase = 'queued'
  let reported: string | undefined
  try {
    for (let ms = firstLongPollMs; ; ms = longPollMs) {
      const run: RunView = await at.client.request<RunView>('GET', stackPath(stack, 'runs', id), {
        query: { waitMs: ms, phase },
      })
      if (run.phase === 'done' || needsApproval(run) || run.blockers.some(mayTakeDays)) return run
      const wait = run.blockers[0]?.message
      if (wait !== undefined && wait !== reported) at.out.progress(wait)
      reported = wait
      if (run.phase !== phase) at.out.progress(`${phaseWords[run.phase]} …`)
      phase = run.phase
    }
  } catch (error) {
    if (!at.signal.aborted) throw error
    throw new CliError(exitCode.cancelled, `Stopped waiting; run ${id} of ${stack} goes on.`, {
      status: 'cancelled',
      hint: `gitmoor cancel ${stack} ends it, gitmoor history ${stack} ${id} tells what came of it.`,
      cause: error,
    })
  }
}

/** What may take days, or for ever. */
function mayTakeDays({ reason }: RunView['blockers'][number]): boolean {
  return reason !== 'Dependencies'
}

const phaseWords: Readonly<Record<Phase, string>> = {
  queued: 'waiting for its turn',
  fetching: 'fetching',
  planning: 'planning',
  held: 'held',
  applying: 'applying',
  undoing: 'undoing what was done',
  done: 'done',
}

/** Follows a run that a verb began, prints what came of it, and gives the exit code. */
export async function finishRun(at: Invocation, stack: string, run: Pick<RunRow, 'id'>): Promise<number> {
  const ended = await followRun(at, stack, run.id)
  if (ended.cause.overrode !== undefined)
    at.out.message(() => [`It would have waited, but was asked for by name: ${printable(ended.cause.overrode!)}`])
  return reportRun(at, stack, ended, ended)
}

/** Prints what came of a run (`value` with `--json`); problems go to stderr. */
export function reportRun(at: Invocation, stack: string, run: RunView, value: object): number {
  at.out.answer(value, (look) => outcomeLines(run, stack, look))
  if (!at.out.json) at.out.message(({ style }) => run.problems.flatMap((problem) => problemLines(problem, style)))
  return exitCodeOfRun(run)
}
