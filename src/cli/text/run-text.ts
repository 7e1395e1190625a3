import { printable } from '../../lib/printable.js'
import type { Outcome } from '../../model/run.js'
import type { RunRow, RunView } from '../../views/run.js'
import { changeLines, resultCounts, planLines } from './plan-text.js'
import { problemLines } from './problem-text.js'
import { age, causeText, shortCounts, shortRevision, showTime, elapsedText } from './short-forms.js'
import type { Display, Style } from './text.js'
import { facts, table } from './table.js'

/** What came of a run, for whoever waited for it: one sentence, with what was done, or what holds it. */
export function outcomeLines(run: RunView, stack: string, look: Display): readonly string[] {
  const name = look.style.bold(printable(stack))
  const at = shortRevision(run.revision)
  const atIt = run.revision === '' ? '' : ` at ${at}`
  if (needsApproval(run))
    return run.plan === null ? [`${name}: the plan at ${at} waits for a person.`] : planLines(run.plan, look)
  const changed = run.changes === null ? '' : ` ${run.changes.unchanged} unchanged.`
  const sentences: Readonly<Record<Outcome, string>> = {
    applied: `${run.intent !== 'sync' ? 'uninstalled' : `applied ${at}`}${durationText(run)}.${countsSentence(run)}`,
    unchanged: `nothing to change at ${at}.${changed}`,
    undone: `${look.style.red('failed')} at ${at}; what was done is undone, all is as it was before run ${printable(run.id)}.`,
    failed: `${look.style.red('failed')}${atIt}.`,
    cancelled: `cancelled${atIt}; what was done stays, and it waits for a new revision or a sync.`,
    held: `held at ${at}.`,
    superseded: `run ${printable(run.id)} at ${at} is superseded.`,
    interrupted: `run ${printable(run.id)} at ${at} is interrupted.`,
  }
  const sentence = run.outcome === null ? unfinishedText(run) : sentences[run.outcome]
  return [...(run.outcome === 'applied' ? doneLines(run, look) : []), `${name}: ${sentence}`]
}

function unfinishedText({ id, phase, blockers: [wait] }: RunView): string {
  if (wait === undefined) return `run ${printable(id)} is ${phase}.`
  return `run ${printable(id)} is queued. ${printable(wait.message)} ${printable(wait.next)}`
}

export function needsApproval(run: RunRow): boolean {
  return run.phase === 'held' || run.outcome === 'held'
}

function doneLines(run: RunView, look: Display): readonly string[] {
  const lines = (run.plan?.changes ?? []).flatMap((change) => changeLines(change, look))
  return lines.length === 0 ? [] : [...lines, '']
}

function durationText(run: RunRow): string {
  const text = elapsedText(run.startedAt ?? run.createdAt, run.finishedAt)
  return text === '' ? '' : ` in ${text}`
}

function countsSentence(run: RunRow): string {
  return run.changes === null ? '' : ` ${capitalized(resultCounts(run.changes))}.`
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The history, newest first as it comes. */
export function historyLines(runs: readonly RunRow[], look: Display): readonly string[] {
  if (runs.length === 0) return ['No runs yet.']
  const rows = runs.map((run) => [
    printable(run.id),
    age(run.createdAt, look.now),
    outcomeText(run, look.style),
    shortRevision(run.revision),
    shortCounts(run.changes),
    causeText(run.cause),
  ])
  return table(['RUN', 'WHEN', 'OUTCOME', 'REVISION', 'CHANGES', 'CAUSE'], rows, look.style)
}

export function outcomeText(run: RunRow, style: Style): string {
  if (needsApproval(run)) return style.yellow('held')
  if (run.outcome === null) return run.phase
  if (run.outcome === 'failed' || run.outcome === 'undone') return style.red(run.outcome)
  return run.outcome === 'applied' ? style.green(run.outcome) : run.outcome
}

/** All of one run. */
export function runLines(run: RunView, look: Display): readonly string[] {
  const { style } = look
  const head = facts(
    [
      ['run', printable(run.id)],
      ['cause', causeText(run.cause)],
      ['revision', printable(run.revision)],
      ['outcome', outcomeText(run, style)],
      ['created', showTime(run.createdAt)],
      ['started', run.startedAt === null ? '' : showTime(run.startedAt)],
      ['finished', run.finishedAt === null ? '' : `${showTime(run.finishedAt)}${durationText(run)}`],
      ['changes', run.changes === null ? '' : resultCounts(run.changes)],
    ],
    style,
  )
  const problems = run.problems.flatMap((problem) => problemLines(problem, style))
  const plan =
    run.plan === null
      ? []
      : needsApproval(run)
        ? planLines(run.plan, look)
        : run.plan.changes.flatMap((change) => changeLines(change, look))
  return [...head, ...(problems.length === 0 ? [] : ['', ...problems]), ...(plan.length === 0 ? [] : ['', ...plan])]
}
