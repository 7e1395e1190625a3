import type { RunView } from '../stacks/views.js'
import type { Variables } from './agent-address.js'
import { endedLines } from './run-text.js'
import { problemLines } from './problem-text.js'
import { causeText } from './short.js'
import { styleFor } from './style.js'

/** A run that ended, for whoever watches the agent's terminal: why it ran, what was done, what came of it. `now`: milliseconds since the epoch. */
export function describeRun(
  run: RunView,
  {
    stream,
    environment,
    now,
  }: { readonly stream: { readonly isTTY?: boolean | undefined }; readonly environment: Variables; readonly now: number },
): readonly string[] {
  const look = { style: styleFor(stream, environment), now, width: 100 }
  const problems = run.problems.flatMap((problem) => problemLines(problem, look.style))
  return ['', `Run ${run.id} of ${run.stack}: ${causeText(run.cause)}.`, ...endedLines(run, run.stack, look), ...problems, '']
}
