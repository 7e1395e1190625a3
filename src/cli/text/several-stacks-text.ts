// Results for several stacks: a line for each, tables and a summary.
import { printable } from '../../lib/printable.js'
import type { PlanView } from '../../views/plan.js'
import type { RunView } from '../../views/run.js'
import { outcomeLines } from './run-text.js'
import { shortCounts } from './short-forms.js'
import { table } from './table.js'
import type { Display } from './text.js'

/** Why the agent refused the request for one stack. */
export function refusedLine(
  { name, error }: { readonly name: string; readonly error: Error },
  { style }: Display,
): string {
  return `${style.bold(printable(name))}: ${style.red('refused')}: ${printable(error.message)}`
}

/** The result of a run, with its first error. */
export function runLine(name: string, run: RunView, display: Display): string {
  const [line = ''] = outcomeLines({ ...run, plan: null }, name, display)
  const error = run.problems.find(({ severity }) => severity === 'error')
  return error === undefined ? line : `${line.replace(/\.$/, '')}: ${printable(error.message)}`
}

/** The result of a run in one or two words. */
export function runWord(run: Pick<RunView, 'phase' | 'outcome'>): string {
  if (run.phase === 'needs-approval' || run.outcome === 'needs-approval') return 'needs approval'
  return run.outcome ?? run.phase
}

/** `3 stacks: 2 applied, 1 failed.` */
export function summaryLine(words: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const parts = [...counts].map(([word, count]) => `${count} ${word}`)
  const stacks = words.length === 1 ? '1 stack' : `${words.length} stacks`
  return parts.length === 0 ? 'No stacks.' : `${stacks}: ${parts.join(', ')}.`
}

/** The result of a plan in one or two words. */
export function planWord({ changes }: Pick<PlanView, 'changes'>): string {
  return changes.length === 0 ? 'unchanged' : 'with changes'
}

/** A table of plans: which stacks change, and which plans need approval. */
export function planTable(
  results: readonly ({ readonly name: string } & ({ readonly value: PlanView } | { readonly error: Error }))[],
  display: Display,
): readonly string[] {
  const { style } = display
  const rows = results.map((result) => {
    if ('error' in result) return [printable(result.name), '-', '', '', style.red(printable(result.error.message))]
    const { target, changes, counts, needsApproval, digest } = result.value
    const approval = needsApproval.length === 0 ? '' : style.yellow('needed')
    const shown = changes.length === 0 ? ['no changes', '', ''] : [shortCounts(counts), approval, digest.slice(0, 12)]
    return [printable(result.name), printable(target), ...shown]
  })
  return table(['NAME', 'TARGET', 'CHANGES', 'APPROVAL', 'DIGEST'], rows, display)
}
