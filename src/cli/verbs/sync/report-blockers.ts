import { placedMessage, type Problem } from '../../../model/problem.js'
import { printable } from '../../../lib/text/printable.js'
import type { Explanation } from '../../../views/explanation.js'
import type { RunView } from '../../../views/run.js'
import type { StackRow } from '../../../views/stack.js'
import { stackPath } from '../../client/stack-path.js'
import { exitCode, exitCodeOfRun, exitCodeOfSynced, isBlockedMove } from '../../exit-code.js'
import type { Invocation } from '../../invocation.js'
import { nextLines } from '../../text/next-lines.js'

type Blocked = Pick<StackRow, 'name' | 'status'>
type Blocker = Pick<Explanation['blockers'][number], 'reason' | 'message' | 'next'>

/**
 * What keeps a stack from its next revision after a sync, such as a pin, or makes it incomplete, such as a missing
 * secret. `printed`: problems of the run, which are not said again.
 */
export async function reportBlockers(cli: Invocation, stack: Blocked, printed: readonly Problem[] = []): Promise<void> {
  if (cli.out.json) return
  const said = new Set(printed.map(placedMessage))
  const blockers = (await readBlockers(cli, stack)).filter(({ message }) => !said.has(message))
  cli.out.message(() => blockers.flatMap(({ message, next }) => [printable(message), ...nextLines(next)]))
}

/** The end of a command that synced a stack. Returns the exit code of the run, and of what it reports. */
export async function finishSynced(cli: Invocation, stack: StackRow, run: RunView): Promise<number> {
  const code = exitCodeOfRun(run)
  if (code !== exitCode.ok) return code
  if (run.outcome !== null) await reportBlockers(cli, stack, run.problems)
  return exitCodeOfSynced(stack)
}

/** The same for one of several stacks, with its name, and only what its exit code says. */
export async function blockedMoveLines(cli: Invocation, stack: Blocked): Promise<readonly string[]> {
  const moves = (await readBlockers(cli, stack)).filter(isBlockedMove)
  return moves.flatMap(({ message, next }) => [`${printable(stack.name)}: ${printable(message)}`, ...nextLines(next)])
}

/** The status has the first one; only `explain` has the others. */
async function readBlockers(cli: Invocation, { name, status }: Blocked): Promise<readonly Blocker[]> {
  if (status.also.length === 0) return status.next.length === 0 ? [] : [status]
  return (await cli.client.request<Explanation>('GET', stackPath(name, 'explain'))).blockers
}
