// `plan` of several stacks: each plan with changes, a table of all, and one exit code.
import { printable } from '../../../lib/text/printable.js'
import { Semaphore } from '../../../lib/async/semaphore.js'
import type { PlanView } from '../../../views/plan.js'
import { stackPath } from '../../client/stack-path.js'
import { exitCode } from '../../exit-code.js'
import type { Invocation } from '../../invocation.js'
import { planMarkdown } from '../../text/plan/plan-markdown.js'
import { asPreview, planLines } from '../../text/plan/plan-text.js'
import { problemLines } from '../../text/problem-text.js'
import { planErrorWord, planTable, planWord, type PlanResult } from '../../text/several-stacks-text.js'
import { inFull, type Display } from '../../text/text.js'
import { actOnEach, finishSeveral, selectedNames, type StackSelection } from '../several-stacks.js'

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
  const names = await selectedNames(cli, options)
  const planning = new Semaphore(plannedAtOnce)
  const body = ref === undefined ? {} : { ref }
  const shown = (result: PlanResult): PlanResult => (ref === undefined ? result : previewResult(result))
  const show = (result: PlanResult): void => {
    if ('error' in result || result.value.changes.length === 0) return // the table has it
    cli.out.lines((display) => [...planLines(result.value, inFull(display, full)), ''])
  }
  const isDocument = cli.out.json || output === 'markdown'
  const results = await actOnEach(
    cli,
    names,
    (name, signal) =>
      planning.run(() => cli.client.request<PlanView>('POST', stackPath(name, 'plan'), { body }), signal),
    isDocument ? () => {} : inOrder(names, (result) => show(shown(result))),
  )
  const code = finishSeveral(cli, results, {
    key: 'plan',
    word: planWord,
    errorWord: planErrorWord,
    exit: ({ changes }) => (detailedExitcode === true && changes.length > 0 ? exitCode.changes : exitCode.ok),
    lines: (summary, display) => {
      if (output === 'markdown') return planMarkdown(results.map(shown))
      return results.length === 0 ? [summary] : [...planTable(results.map(shown), display), '', summary]
    },
  })
  if (!cli.out.json && output !== 'markdown') cli.out.message((display) => problemsLines(results, display))
  return code
}

/** Calls `show` for each result in the order of the names, as soon as it and all before it are there. */
function inOrder(names: readonly string[], show: (result: PlanResult) => void): (result: PlanResult) => void {
  const ended = new Map<string, PlanResult>()
  let next = 0
  return (result) => {
    ended.set(result.name, result)
    for (let due = ended.get(names[next] ?? ''); due !== undefined; due = ended.get(names[next] ?? '')) {
      ended.delete(due.name)
      next++
      show(due)
    }
  }
}

function previewResult(result: PlanResult): PlanResult {
  return 'error' in result ? result : { ...result, value: asPreview(result.value) }
}

/** The problems of each package, below the name of its stack. */
function problemsLines(results: readonly PlanResult[], { style }: Display): readonly string[] {
  return results.flatMap((result) => {
    const { problems } = 'error' in result ? result.error : result.value
    const lines = problems.flatMap((problem) => problemLines(problem, style).map((line) => `  ${line}`))
    return lines.length === 0 ? [] : [`${style.bold(printable(result.name))}:`, ...lines]
  })
}
