// The end of commands that move the stacks of a channel.
import type { MovedStackView } from '../../../views/channel.js'
import type { RunView } from '../../../views/run.js'
import { exitCodeOfRun, worstExitCode } from '../../exit-code.js'
import type { Invocation } from '../../invocation.js'
import type { Display } from '../../text/text.js'
import { followRun, reportRun } from '../sync/follow-run.js'

export const noWaitOption = ['--no-wait', 'do not wait until the stacks moved'] as const

/**
 * Prints a decision about a channel or a promotion, then waits for the run of each stack that it moves, and prints its
 * result. Runs of suspended stacks do not start, so it does not wait for them. Returns the worst exit code of the runs.
 */
export async function finishMoves(
  cli: Invocation,
  decided: { readonly moved: readonly MovedStackView[] },
  lines: (display: Display) => readonly string[],
  wait: boolean,
): Promise<number> {
  if (!cli.out.json) cli.out.lines(lines)
  const runs: RunView[] = []
  for (const { stack, run, suspended } of wait ? decided.moved : []) {
    if (suspended === true) continue
    const ended = await followRun(cli, stack, run)
    if (!cli.out.json) reportRun(cli, stack, ended, ended)
    runs.push(ended)
  }
  if (cli.out.json) cli.out.answerJson(wait ? { ...decided, runs } : decided)
  return worstExitCode(runs.map(exitCodeOfRun))
}
