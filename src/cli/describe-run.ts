import type { RunView } from '../stacks/views.js'
import type { Variables } from './agent-address.js'
import { endedLines, isHeld } from './run-text.js'
import { problemLines } from './problem-text.js'
import { printable } from '../model/printable.js'
import { causeText, shortRevision } from './short.js'
import { styleFor } from './style.js'

/**
 * A run that ended, for whoever watches the agent's terminal: why it ran, what was done, what came of it. `now`:
 * milliseconds since the epoch.
 */
export function describeRun(
  run: RunView,
  {
    stream,
    environment,
    now,
  }: {
    readonly stream: { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined }
    readonly environment: Variables
    readonly now: number
  },
): readonly string[] {
  const look = { style: styleFor(stream, environment), now, width: stream.columns ?? 100 }
  const name = look.style.bold(printable(run.stack))
  const problems = run.problems.flatMap((problem) => problemLines(problem, look.style))
  const at = run.revision === '' ? '' : ` at ${shortRevision(run.revision)}`
  const head = `Run ${run.id} of ${name}${at}: ${causeText(run.cause)}.`
  const plan = run.outcome === 'applied' && !isHeld(run) ? ['The plan, carried out:'] : []
  return ['', head, ...plan, ...endedLines(run, run.stack, look), ...problems]
}
