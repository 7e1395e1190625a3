// `plan` of several stacks: each plan with changes, a table of all, and one exit code.
import { printable } from '../../lib/printable.js'
import { Semaphore } from '../../lib/semaphore.js'
import type { PlanView } from '../../views/plan.js'
import { stackPath } from '../client/stack-path.js'
import { exitCode } from '../exit-code.js'
import type { Invocation } from '../invocation.js'
import { planMarkdown } from '../text/plan-markdown.js'
import { asPreview, planLines } from '../text/plan-text.js'
import { problemLines } from '../text/problem-text.js'
import { planTable, planWord, type PlanResult } from '../text/several-stacks-text.js'
import { inFull, type Display } from '../text/text.js'
import { actOnEach, finishSeveral, selectedStacks, type StackSelection } from './several-stacks.js'

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
  const code = finishSeveral(cli, results, {
    key: 'plan',
    word: planWord,
    exit: ({ changes }) => (detailedExitcode === true && changes.length > 0 ? exitCode.changes : exitCode.ok),
    lines: (summary, display) =>
      output === 'markdown' ? planMarkdown(shown) : [...plansLines(shown, inFull(display, full)), summary],
  })
  if (!cli.out.json && output !== 'markdown') cli.out.message((display) => problemsLines(results, display))
  return code
}

function previewResult(result: PlanResult): PlanResult {
  return 'error' in result ? result : { ...result, value: asPreview(result.value) }
}

/** The plans that change something, then a table of all. */
function plansLines(results: readonly PlanResult[], display: Display): readonly string[] {
  if (results.length === 0) return []
  const plans = results.flatMap((result) =>
    'error' in result || result.value.changes.length === 0 ? [] : [...planLines(result.value, display), ''],
  )
  return [...plans, ...planTable(results, display), '']
}

/** The problems of each package, below the name of its stack. */
function problemsLines(results: readonly PlanResult[], { style }: Display): readonly string[] {
  return results.flatMap((result) => {
    const { problems } = 'error' in result ? result.error : result.value
    const lines = problems.flatMap((problem) => problemLines(problem, style).map((line) => `  ${line}`))
    return lines.length === 0 ? [] : [`${style.bold(printable(result.name))}:`, ...lines]
  })
}
