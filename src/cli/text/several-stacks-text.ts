// Results for several stacks: a line for each, tables and a summary.
import { printable } from '../../lib/text/printable.js'
import { placedMessage } from '../../model/problem.js'
import { hintLines } from './next-lines.js'
import type { PlanView } from '../../views/plan.js'
import type { RunRow, RunView } from '../../views/run.js'
import type { CliError } from '../errors/cli-error.js'
import { blockedReasons, type ShownPlan } from './plan/plan-text.js'
import { outcomeLines, outcomeText } from './run-text.js'
import { numberOf, shortCounts } from './short-forms.js'
import { table, type TableColumn } from './table.js'
import { plainStyle, type Display } from './text.js'

/** The result for one stack: a value, or why the agent refused the request. */
export type StackResult<T> =
  | { readonly name: string; readonly value: T }
  | { readonly name: string; readonly error: CliError }

/** The plan of one stack, or why there is none. */
export type PlanResult = StackResult<ShownPlan>

type Refusal = Extract<StackResult<unknown>, { readonly error: CliError }>

/** Why there is no result for one stack, and what to do. Many messages begin with its name. */
export function refusedLines({ name, error }: Refusal, { style }: Display): readonly string[] {
  const stack = style.bold(printable(name))
  const message = error.message.startsWith(`${name}: `) ? error.message.slice(name.length + 2) : error.message
  const line = message.startsWith(`${name} `)
    ? stack + printable(message.slice(name.length))
    : `${stack}: ${style.red(refusalWord(error))}: ${printable(message)}`
  return [line, ...hintLines(error.hint)]
}

const failedStatuses: readonly string[] = ['source', 'target', 'timeout', 'failed', 'internal']

/** The word for an error: the agent tried and failed, or it refused the request. */
export function refusalWord({ status }: Pick<CliError, 'status'>): string {
  return failedStatuses.includes(status) ? 'failed' : 'refused'
}

/** The result of a run, with its first error and what ends it, or with what it waits for in vain. */
export function runLines(name: string, run: RunView, display: Display): readonly string[] {
  const stalled = endlessBlocker(run)
  if (stalled !== undefined)
    return [`${display.style.bold(printable(name))}: ${display.style.yellow(notSynced)}: ${printable(stalled.message)}`]
  const [line = ''] = outcomeLines({ ...run, plan: null }, name, display)
  const error = run.problems.find(({ severity }) => severity === 'error')
  if (error === undefined) return [line]
  return [`${line.replace(/\.$/, '')}: ${printable(placedMessage(error))}`, ...hintLines(error.hint)]
}

const notSynced = 'not synced'

/** It waits for another stack, which no run in progress makes ready, or somebody suspended the stack. */
export function isNotSynced(run: RunView): boolean {
  return endlessBlocker(run) !== undefined
}

function endlessBlocker(run: RunRow | RunView): RunView['blockers'][number] | undefined {
  if (!('blockers' in run)) return undefined
  return run.blockers.find(({ reason, stalled }) => stalled === true || reason === 'Suspended')
}

/** The result of a run in one or two words. */
export function runWord(run: RunRow | RunView): string {
  if (endlessBlocker(run) !== undefined) return notSynced
  return outcomeText(run, plainStyle)
}

/** `3 stacks: 2 applied, 1 failed.` */
export function summaryLine(words: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const parts = [...counts].map(([word, count]) => `${count} ${word}`)
  return parts.length === 0 ? 'No stacks.' : `${numberOf(words.length, 'stack')}: ${parts.join(', ')}.`
}

/** The result of a plan in one or two words. */
export function planWord({ changes }: Pick<PlanView, 'changes'>): string {
  return changes.length === 0 ? 'unchanged' : 'with changes'
}

/** The word for a stack without a plan: `blocked` by a policy or a veto of its channel, else `failed`. */
export function planErrorWord({ code }: Pick<CliError, 'code'>): string {
  return code === 'source/not-released' ? 'blocked' : 'failed'
}

const planColumns: readonly TableColumn[] = [
  'NAME',
  'TARGET',
  'CHANGES',
  'APPROVAL',
  'BLOCKED',
  'DIGEST',
  { heading: 'ERROR', fit: 'wrap' },
]

/** A table of plans: which stacks change, which plans need approval, and what blocks them. */
export function planTable(results: readonly PlanResult[], display: Display): readonly string[] {
  const { style } = display
  const rows = results.map((result) => {
    const name = printable(result.name)
    if ('error' in result)
      return [name, '-', style.red(planErrorWord(result.error)), '', '', '', printable(result.error.message)]
    const { target, changes, counts, needsApproval, digest } = result.value
    const blocked = printable(blockedReasons(result.value).join(', '))
    if (changes.length === 0) return [name, printable(target), 'no changes', '', blocked]
    const approval = needsApproval.length === 0 ? '' : style.yellow('needed')
    return [name, printable(target), shortCounts(counts), approval, blocked, digest.slice(0, 12)]
  })
  return table(planColumns, rows, display)
}
