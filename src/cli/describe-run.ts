import type { Run } from '../model/run.js'
import type { Stack } from '../model/stack.js'
import { causeInWords } from '../stacks/explain.js'
import { viewRun } from '../stacks/view-stack.js'
import type { Variables } from './agent-address.js'
import { endedLines } from './run-text.js'
import { problemLines } from './problem-text.js'
import { styleFor } from './style.js'

/** A run that ended, for whoever watches the agent's terminal: why it ran, what was done, what came of it. */
export function describeRun(
  run: Run,
  stack: Stack,
  stream: { readonly isTTY?: boolean | undefined },
  environment: Variables,
): readonly string[] {
  const look = { style: styleFor(stream, environment), now: Date.now(), width: 100 }
  const why = `Run ${run.id} of ${stack.spec.name}: ${causeInWords(run)}.`
  const problems = run.problems.flatMap((problem) => problemLines(problem, look.style))
  return ['', why, ...endedLines(viewRun(run, stack), stack.spec.name, look), ...problems, '']
}
