import { causeText } from '../../model/stacks/run.js'
import type { RunView } from '../../views/run.js'
import type { Variables } from '../client/agent-address.js'
import { outcomeLines, needsApproval } from './run-text.js'
import { problemLines } from './problem-text.js'
import { printable } from '../../lib/text/printable.js'
import { numberOf, shortRevision } from './short-forms.js'
import { styleFor, terminalWidth } from './text.js'

/** Of the plan. The agent formats them while others wait for it. */
const mostChanges = 100

/**
 * A finished run for the terminal of the agent: cause, the first 100 changes of its plan, and its result. `now`:
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
  const display = { style: styleFor(stream, environment), now, width: terminalWidth(stream, environment) ?? 100 }
  const name = display.style.bold(printable(run.stack))
  const problems = run.problems.flatMap((problem) => problemLines(problem, display.style))
  const at = run.revision === '' ? '' : ` at ${shortRevision(run.revision, run.versions)}`
  const head = `Run ${run.id} of ${name}${at}: ${printable(causeText(run.cause)).replace(/\.$/, '')}.`
  const plan = run.outcome === 'applied' && !needsApproval(run) ? ['Applied plan:'] : []
  return ['', head, ...plan, ...outcomeLines(withFirstChanges(run), run.stack, display), ...moreLines(run), ...problems]
}

function withFirstChanges(run: RunView): RunView {
  if (run.plan === null) return run
  return { ...run, plan: { ...run.plan, changes: run.plan.changes.slice(0, mostChanges) } }
}

function moreLines({ plan, stack, id }: RunView): readonly string[] {
  const more = (plan?.changes.length ?? 0) - mostChanges
  if (more <= 0) return []
  return [`${numberOf(more, 'more change')}. See all: gitmoor history ${printable(stack)} ${printable(id)}`]
}
