import { printable } from '../../lib/text/printable.js'
import type { Counts } from '../../model/resources/change.js'
import { isUndoProblem } from '../../model/problem.js'
import { causeText, type Outcome } from '../../model/stacks/run.js'
import { countChanges } from '../../plan/counts.js'
import type { PlanView } from '../../views/plan.js'
import type { RunRow, RunView, StackRunRow } from '../../views/run.js'
import { nextLines } from './next-lines.js'
import { adoptionLines, changesLines, planLines, planSummaryLines, resultCounts } from './plan/plan-text.js'
import { problemLines } from './problem-text.js'
import { age, elapsedText, numberOf, shortCounts, shortRevision, showTime } from './short-forms.js'
import { facts, section, table, type TableColumn } from './table.js'
import type { Display, Style } from './text.js'

/** The result of a run after a command waited for it: its changes, and a sentence; or the plan that needs approval. */
export function outcomeLines(run: RunView, stack: string, display: Display): readonly string[] {
  const name = display.style.bold(printable(stack))
  if (needsApproval(run)) {
    return run.plan === null
      ? [`${name}: the plan at ${shortRevision(run.revision, run.versions)} needs approval.`]
      : planLines(run.plan, display)
  }
  if (run.outcome === null) return unfinishedLines(run, name)
  const changes = run.outcome === 'applied' ? appliedLines(run, display) : []
  return [...changes, `${name}: ${outcomeSentence(run, run.outcome, display.style)}`]
}

/** The result of the first run of a stack, without its changes: counts, what it adopted, and what to type next. */
export function createdLines(run: RunView, stack: string, display: Display): readonly string[] {
  if (needsApproval(run) && run.plan !== null) return planSummaryLines(run.plan, display)
  if (run.outcome !== 'applied') return outcomeLines(run, stack, display)
  const name = printable(stack)
  return [
    `${display.style.bold(name)}: ${outcomeSentence(run, run.outcome, display.style)}`,
    ...adoptionLines(run.plan?.changes ?? []).filter((line) => line !== ''),
    `  next: See its resources: gitmoor stack get ${name}`,
    `  next: See every change: gitmoor history ${name} ${printable(run.id)}`,
  ]
}

function outcomeSentence(run: RunView, outcome: Outcome, style: Style): string {
  const at = run.revision === '' ? '' : ` at ${shortRevision(run.revision, run.versions)}`
  const failed = style.red('failed')
  const id = printable(run.id)
  switch (outcome) {
    case 'applied':
      return `${appliedText(run)}${durationText(run)}.${countsSentence(run)}`
    case 'unchanged':
      if (run.intent === 'uninstall') return 'uninstalled. It had no resources.'
      return `no changes${at}.${run.changes === null ? '' : ` ${run.changes.unchanged} unchanged.`}`
    case 'undone':
      return `${failed}${at}. ${undoneSentence(run, id)}`
    case 'failed':
      return `${failed}${at}.`
    case 'cancelled':
      return `cancelled${at}. ${run.changes === null ? 'Nothing was changed.' : 'Completed changes are kept.'}`
    case 'needs-approval':
      return `the plan${at} needed approval, and was ${run.approval ?? 'not approved'}.`
    case 'superseded':
      return `run ${id}${at} was superseded.`
    case 'interrupted':
      return `run ${id}${at} was interrupted.`
  }
}

function undoneSentence({ problems }: RunView, id: string): string {
  const left = problems.filter(isUndoProblem).length
  if (left === 0) return `Run ${id} was undone: the target is as it was before.`
  return `Run ${id} was undone in part: ${numberOf(left, 'resource')} could not be undone.`
}

/** The removed resources of a stack, and that it is deleted. */
export function deletedLines(run: RunView, stack: string, display: Display): readonly string[] {
  const removed = run.changes?.remove ?? 0
  const count = removed === 0 ? 'It had no resources to remove.' : `${numberOf(removed, 'resource')} removed.`
  return [...appliedLines(run, display), `Deleted ${display.style.bold(printable(stack))}. ${count}`]
}

function appliedText({ intent, revision, versions }: RunView): string {
  return intent === 'sync' ? `applied ${shortRevision(revision, versions)}` : 'uninstalled'
}

/** A run that a command started and does not wait for. */
export function startedLine(stack: string, { id, phase }: Pick<RunRow, 'id' | 'phase'>): string {
  return `Run ${printable(id)} of ${printable(stack)} is ${phase}.`
}

function unfinishedLines({ id, phase, blockers: [blocker] }: RunView, name: string): readonly string[] {
  if (blocker === undefined) return [`${name}: run ${printable(id)} is ${phase}.`]
  return [`${name}: run ${printable(id)} is ${phase}. ${printable(blocker.message)}`, ...nextLines(blocker.next)]
}

/** Its plan still awaits an approval. */
export function needsApproval(run: RunRow): boolean {
  return (run.phase === 'needs-approval' || run.outcome === 'needs-approval') && run.approval === undefined
}

function appliedLines(run: RunView, display: Display): readonly string[] {
  const lines = runChangesLines(run, display)
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

/** A table of runs, in the order given; of several stacks with their names. */
export function historyLines(runs: readonly (RunRow | StackRunRow)[], display: Display): readonly string[] {
  if (runs.length === 0) return ['No runs yet.']
  const isOfSeveral = 'stack' in runs[0]!
  const rows = runs.map((run) => [
    printable(run.id),
    ...('stack' in run ? [printable(run.stack)] : []),
    runAge(run, display),
    outcomeText(run, display.style),
    shortRevision(run.revision, run.versions),
    shortCounts(run.changes),
    printable(causeText(run.cause)),
    printable(run.firstError ?? ''),
  ])
  return table(['RUN', ...(isOfSeveral ? ['STACK'] : []), ...historyColumns], rows, display)
}

/** After the columns that name the run. */
const historyColumns: readonly TableColumn[] = [
  'WHEN',
  'OUTCOME',
  'REVISION',
  'CHANGES',
  { heading: 'CAUSE', fit: 'wrap' },
  { heading: 'ERROR', fit: 'wrap' },
]

/** How long ago the run ended; of an unfinished run, how long ago it was queued. */
export function runAge({ finishedAt, createdAt }: RunRow, { now }: Display): string {
  return age(finishedAt ?? createdAt, now)
}

/** The outcome of a run in one or two words; the phase of an unfinished run. */
export function outcomeText(run: RunRow, style: Style): string {
  if (needsApproval(run)) return style.yellow('needs approval')
  if (run.approval !== undefined) return run.approval
  if (run.outcome === null) return run.phase
  if (run.outcome === 'failed' || run.outcome === 'undone') return style.red(run.outcome)
  return run.outcome === 'applied' ? style.green(run.outcome) : run.outcome
}

/** All facts of one run. */
export function runLines(run: RunView, display: Display): readonly string[] {
  const { style } = display
  const head = facts(
    [
      ['run', printable(run.id)],
      ['cause', printable(causeText(run.cause))],
      ['revision', shortRevision(run.revision, run.versions)],
      ['vetoed', run.veto === undefined ? '' : printable(`by ${run.veto.by}, move ${run.veto.move}: ${run.veto.why}`)],
      ['outcome', outcomeText(run, style)],
      ['created', showTime(run.createdAt)],
      ['started', run.startedAt === null ? '' : showTime(run.startedAt)],
      ['finished', run.finishedAt === null ? '' : `${showTime(run.finishedAt)}${durationText(run)}`],
      ['phases', phasesText(run, style)],
      ['changes', run.changes === null ? '' : resultCounts(run.changes)],
    ],
    display,
  )
  const problems = run.problems.flatMap((problem) => problemLines(problem, style))
  return [...head, ...section(problems), ...section(planOfRunLines(run, display))]
}

const phaseNames: Readonly<Record<RunView['phases'][number]['phase'], string>> = {
  queued: 'Queued',
  fetching: 'Fetched',
  planning: 'Planned',
  applying: 'Applied',
  undoing: 'Reverted',
}

/** `Queued 0.10 s, Fetched 0.20 s, Planned: failed`, in the words of the page. */
function phasesText(run: RunView, style: Style): string {
  const isSmooth = run.outcome === 'applied' || run.outcome === 'unchanged'
  return run.phases
    .map(({ phase, at, endedAt }, index) => {
      const length = elapsedText(at, endedAt)
      const name = length === '' ? phaseNames[phase] : `${phaseNames[phase]} ${length}`
      return index < run.phases.length - 1 || isSmooth ? name : `${name}: ${outcomeText(run, style)}`
    })
    .join(', ')
}

function planOfRunLines(run: RunView, display: Display): readonly string[] {
  if (run.plan === null) return []
  if (needsApproval(run)) return planLines(run.plan, display)
  const changes = runChangesLines(run, display)
  return isIncomplete(run) && changes.length > 0 ? [`${completedText(run, run.plan)}:`, ...changes] : changes
}

/** It ended without an applied plan: the changes listed are those of the plan, completed or not. */
function isIncomplete({ outcome }: RunRow): boolean {
  return outcome !== null && outcome !== 'applied' && outcome !== 'unchanged'
}

/** `Planned changes, 128 of 1500 completed`. */
function completedText({ changes }: RunRow, plan: Pick<PlanView, 'changes'>): string {
  if (changes === null) return 'Planned changes'
  return `Planned changes, ${changed(changes)} of ${changed(countChanges({ ...plan, unchanged: 0 }))} completed`
}

function changed({ create, update, remove }: Counts): number {
  return create + update + remove
}

function runChangesLines({ id, stack, plan, progress = {} }: RunView, display: Display): readonly string[] {
  const { style } = display
  const words = {
    done: style.green('done'),
    'in-progress': style.yellow('in progress'),
    'not-done': 'not done',
    undone: style.red('reverted'),
    unknown: style.yellow('changed again later'),
  } as const
  const marks = Object.fromEntries(Object.entries(progress).map(([address, word]) => [address, `[${words[word]}]`]))
  return changesLines(
    plan?.changes ?? [],
    display,
    `gitmoor history ${printable(stack)} ${printable(id)} --full`,
    marks,
  )
}
