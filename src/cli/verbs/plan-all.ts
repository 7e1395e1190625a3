// `plan` of several stacks: each plan with changes, a table of all, and one exit code.
import { Semaphore } from '../../lib/semaphore.js'
import type { PlanView } from '../../views/plan.js'
import { stackPath } from '../client/stack-path.js'
import { exitCode } from '../exit-code.js'
import type { Invocation } from '../invocation.js'
import { planMarkdown } from '../text/plan-markdown.js'
import { planLines } from '../text/plan-text.js'
import { planTable, planWord } from '../text/several-stacks-text.js'
import { inFull, type Display } from '../text/text.js'
import { actOnEach, finishSeveral, selectedStacks, type StackResult, type StackSelection } from './several-stacks.js'

/** Requests at the same time. A plan may fetch, and reads the whole target. */
const plannedAtOnce = 4

export interface PlanAllOptions extends StackSelection {
  readonly ref?: string
  readonly output: string
  readonly full?: true
  readonly detailedExitcode?: true
}

export async function planAll(cli: Invocation, options: PlanAllOptions): Promise<number> {
  const { ref, output, full, detailedExitcode } = options
  const names = await selectedStacks(cli, options)
  const planning = new Semaphore(plannedAtOnce)
  const body = ref === undefined ? {} : { ref }
  const results = await actOnEach(cli, names, (name, signal) =>
    planning.run(() => cli.client.request<PlanView>('POST', stackPath(name, 'plan'), { body }), signal),
  )
  const shown = ref === undefined ? results : results.map(previewResult)
  return finishSeveral(cli, results, {
    key: 'plan',
    word: planWord,
    exit: ({ changes }) => (detailedExitcode === true && changes.length > 0 ? exitCode.changes : exitCode.ok),
    lines: (summary, display) =>
      output === 'markdown' ? planMarkdown(shown) : [...plansLines(shown, inFull(display, full)), summary],
  })
}

/** A plan of another ref cannot be approved, so it is shown without reasons for approval. */
function previewResult(result: StackResult<PlanView>): StackResult<PlanView> {
  return 'error' in result ? result : { ...result, value: { ...result.value, needsApproval: [] } }
}

/** The plans that change something, then a table of all. */
function plansLines(results: readonly StackResult<PlanView>[], display: Display): readonly string[] {
  if (results.length === 0) return []
  const plans = results.flatMap((result) =>
    'error' in result || result.value.changes.length === 0 ? [] : [...planLines(result.value, display), ''],
  )
  return [...plans, ...planTable(results, display), '']
}
