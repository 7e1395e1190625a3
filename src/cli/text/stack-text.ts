import { printable } from '../../lib/text/printable.js'
import { fleetOf } from '../../model/stacks/stack-owner.js'
import { countProblems } from '../../model/problem.js'
import { followText } from '../../settings/follow-text.js'
import type { StackRow, StackView } from '../../views/stack.js'
import type { StatusView } from '../../views/status.js'
import { nextLines } from './next-lines.js'
import { problemLines } from './problem-text.js'
import { outcomeText, runAge } from './run-text.js'
import { age, shortCounts, shortRevision, showTime } from './short-forms.js'
import { facts, filledColumns, section, table, tableBlocks, type TableColumn, type TableBlocks } from './table.js'
import type { Display, Style } from './text.js'

/**
 * `filtered`: the list may omit stacks. `labels`: with a column of them. `whole`: also with columns that are empty now,
 * because later lines may fill them. `ofFleet`: without the fleet, because all are of the same.
 */
export interface ListShown {
  readonly filtered?: boolean
  readonly labels?: boolean
  readonly whole?: boolean
  readonly ofFleet?: boolean
}

/** A table of stacks. */
export function stackListLines(
  stacks: readonly StackRow[],
  display: Display,
  shown: ListShown = {},
): readonly string[] {
  if (stacks.length === 0 && shown.filtered === true) return ['No matching stacks. List all: gitmoor stack list']
  if (stacks.length === 0) return ['No stacks yet. Create one: gitmoor stack create NAME --repo URL']
  const { heading, rows } = stackTable(stacks, display, shown)
  return [heading, ...rows.flat()]
}

/** The lines of each stack. MESSAGE and NEXT are empty where nothing is to be said or done. */
export function stackTable(
  stacks: readonly StackRow[],
  display: Display,
  { labels = false, whole = false, ofFleet = false }: ListShown,
): TableBlocks {
  const rows = stacks.map((stack) => [
    printable(stack.name),
    stateWord(stack.status, display.style),
    reasonsText(stack.status) || '-',
    ofFleet ? '' : (fleetOf(stack.managedBy) ?? ''),
    printable(stack.target),
    shortRevision(stack.revision.applied, stack.versions),
    lastRunCell(stack, display),
    stack.displayName === stack.name ? '' : printable(stack.displayName),
    stack.sources.map((source) => printable(followText(source))).join(' '),
    printable(messageText(stack.status)),
    printable(nextCommand(stack)),
    ...(labels ? [labelsText(stack)] : []),
  ])
  const columns = labels ? [...stackColumns, 'LABELS'] : stackColumns
  return whole ? tableBlocks(columns, rows, display) : tableBlocks(...filledColumns(columns, rows), display)
}

/** Of a synced stack: its first warning. */
function messageText({ state, message, warnings }: StatusView): string {
  return state === 'Synced' ? (warnings[0]?.message ?? '') : message
}

function lastRunCell(stack: StackRow, display: Display): string {
  const run = stack.lastRun
  return run === null ? '-' : (endedMeanwhile(stack) ?? `${outcomeText(run, display.style)} ${runAge(run, display)}`)
}

/** Suspended stacks begin no run. */
function endedMeanwhile({ lastRun, suspended }: StackRow): string | undefined {
  return lastRun !== null && suspended !== null && lastRun.phase === 'queued' ? 'waits for resume' : undefined
}

/** `team=ops,tier=edge`: as a selector. */
export function labelsText({ labels }: Pick<StackRow, 'labels'>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
  return printable(pairs.toSorted().join(','))
}

const stackColumns: readonly TableColumn[] = [
  'NAME',
  'STATE',
  'REASON',
  'FLEET',
  'TARGET',
  'APPLIED',
  'LAST RUN',
  { heading: 'DISPLAY NAME', fit: 'cut' },
  { heading: 'FOLLOWS', fit: 'address' },
  { heading: 'MESSAGE', fit: 'end' },
  'NEXT',
]

/** The first step if it is a command; for a change outside of gitmoor, the command that explains it. */
function nextCommand({ name, status: { state, next, warnings } }: StackRow): string {
  if (state === 'Synced' && warnings.length > 0) return `gitmoor explain ${name}`
  if (state === 'Synced' || state === 'Running') return ''
  return next[0] === undefined || next[0].cli === '' ? `gitmoor explain ${name}` : next[0].cli
}

/** The state of a stack, with the reasons that say more: `Waiting (Window)`. */
export function stateText(status: StatusView, style: Style): string {
  const reasons = reasonsText(status)
  return `${stateWord(status, style)}${reasons === '' ? '' : ` (${reasons})`}`
}

/** The reason of the message, unless it is alone and the state says it; those of all other blockers; the warnings. */
function reasonsText({ state, reason, also, warnings }: StatusView): string {
  const isSaid = also.length === 0 && reason.toLowerCase() === state.replaceAll(' ', '').toLowerCase()
  const count = countProblems(warnings)
  const warned = count === 0 ? [] : [count === 1 ? '1 warning' : `${count} warnings`]
  return printable([...(isSaid ? [] : [reason]), ...also, ...warned].join(', '))
}

function stateWord({ state }: StatusView, style: Style): string {
  return stateColour(state, style)(printable(state))
}

function stateColour(state: string, style: Style): (text: string) => string {
  if (state === 'Synced') return style.green
  if (state === 'Failed') return style.red
  return ['Needs approval', 'Drifted', 'Degraded'].includes(state) ? style.yellow : (text) => text
}

function lastRunText(stack: StackRow, display: Display): string {
  const run = stack.lastRun
  if (run === null) return '-'
  const word = endedMeanwhile(stack) ?? `${outcomeText(run, display.style)} ${shortCounts(run.changes)}`
  return `${word} ${runAge(run, display)}`
}

export function stackLines(stack: StackView, display: Display): readonly string[] {
  const { style } = display
  const pairs: readonly (readonly [string, string])[] = [
    ['name', style.bold(printable(stack.name))],
    ['display name', stack.displayName === stack.name ? '' : printable(stack.displayName)],
    ['labels', labelsText(stack)],
    ['id', printable(stack.id)],
    ['managed by', fleetOf(stack.managedBy) === undefined ? stack.managedBy : `fleet ${fleetOf(stack.managedBy)}`],
    ...stack.sources.map((source) => ['follows', printable(followText(source))] as const),
    ['target', printable(stack.target)],
    ['state', stateText(stack.status, style)],
    ['since', stack.status.since === null ? '' : age(stack.status.since, display.now)],
    ['sync', stack.sync],
    ['health', stack.health],
    ...unhealthyTexts(stack).map((text) => ['unhealthy', text] as const),
    ['observed', shortRevision(stack.revision.observed, stack.versions)],
    ['applied', shortRevision(stack.revision.applied, stack.versions)],
    ['suspended', suspensionText(stack)],
    [
      'pinned',
      stack.pinned === null
        ? ''
        : printable(`to run ${stack.pinned.run} by ${stack.pinned.by}${reasonSuffix(stack.pinned.why)}`),
    ],
    ['last run', stack.lastRun === null ? '-' : `${printable(stack.lastRun.id)}: ${lastRunText(stack, display)}`],
    ['next poll', age(stack.nextPollAt, display.now)],
  ]
  return [...facts(pairs, display), ...statusLines(stack.status, style), ...resourceRows(stack, display)]
}

/** The named resources that do not work, and the number of the others. */
function unhealthyTexts({ unhealthy }: StackView): readonly string[] {
  if (unhealthy === null) return []
  const { count, first } = unhealthy
  const named = first.map(({ address, reason }) => printable(`${address}: ${reason}`))
  return count === first.length ? named : [...named, `… and ${count - first.length} more`]
}

function reasonSuffix(why: string): string {
  return why === '' ? '' : `: ${why}`
}

function suspensionText({ suspended }: StackView): string {
  if (suspended === null) return ''
  const until = suspended.until === null ? '' : `, until ${showTime(suspended.until)}`
  return `${printable(suspended.why)} (by ${printable(suspended.by)}${until})`
}

/** What the state means, and what to type; nothing for a synced stack. Then its warnings. */
export function statusLines(status: StatusView, style: Style): readonly string[] {
  const message = status.state === 'Synced' || status.message === '' ? [] : [printable(status.message)]
  return [...message, ...nextLines(status.next), ...warningLines(status, style)]
}

export function warningLines({ warnings }: StatusView, style: Style): readonly string[] {
  return warnings.flatMap((one) => problemLines(one, style))
}

function resourceRows(stack: StackView, display: Display): readonly string[] {
  if (stack.resources.length === 0) return []
  const rows = stack.resources.map(({ kind, name, displayName, id }) => [kind, name, displayName, id].map(printable))
  return section(table(['KIND', 'NAME', { heading: 'DISPLAY NAME', fit: 'cut' }, 'ID'], rows, display))
}
