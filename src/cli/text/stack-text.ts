import { printable } from '../../lib/printable.js'
import { sourcePath, type SourceSpec } from '../../model/source-spec.js'
import type { StackRow, StackView } from '../../views/stack.js'
import type { StatusView } from '../../views/status.js'
import { nextLines } from './next-lines.js'
import { outcomeText } from './run-text.js'
import { age, shortCounts, shortRevision, showTime, withTag } from './short-forms.js'
import { facts, section, table } from './table.js'
import type { Display, Style } from './text.js'

/** A table of stacks. `filtered`: the list may omit stacks. */
export function stackListLines(stacks: readonly StackRow[], display: Display, filtered = false): readonly string[] {
  if (stacks.length === 0 && filtered) return ['No matching stacks. List all: gitmoor stack list']
  if (stacks.length === 0) return ['No stacks yet. Create one: gitmoor stack create NAME --repo URL']
  const rows = stacks.map((stack) => [
    printable(stack.name),
    stateText(stack.status, display.style),
    printable(stack.target),
    shortRevision(stack.revision.applied),
    stack.sources.map((source) => printable(sourceText(source))).join(' '),
    lastRunText(stack, display),
  ])
  return table(['NAME', 'STATE', 'TARGET', 'APPLIED', 'FOLLOWS', 'LAST RUN'], rows, display.style)
}

function sourceText(source: SourceSpec): string {
  switch (source.kind) {
    case 'git':
      return `${source.url}#${source.ref}`
    case 'url':
      return source.url
    case 'directory':
      return source.directory
    case 'inline':
      return 'inline'
  }
}

/** The state of a stack, with the reason if it says more: `Waiting (Window)`. */
export function stateText({ state, reason }: StatusView, style: Style): string {
  const shown = reason === state.replaceAll(' ', '') ? '' : ` (${printable(reason)})`
  return `${stateColour(state, style)(printable(state))}${shown}`
}

function stateColour(state: string, style: Style): (text: string) => string {
  if (state === 'Synced') return style.green
  if (state === 'Failed') return style.red
  return ['Needs approval', 'Drifted', 'Degraded'].includes(state) ? style.yellow : (text) => text
}

function lastRunText(stack: StackRow, display: Display): string {
  const run = stack.lastRun
  if (run === null) return '-'
  const when = age(run.finishedAt ?? run.createdAt, display.now)
  return `${outcomeText(run, display.style)} ${shortCounts(run.changes)} ${when}`
}

export function stackLines(stack: StackView, display: Display): readonly string[] {
  const { style } = display
  const pairs: readonly (readonly [string, string])[] = [
    ['name', style.bold(printable(stack.name))],
    ['display name', stack.displayName === stack.name ? '' : printable(stack.displayName)],
    ['id', printable(stack.id)],
    ['managed by', stack.managedBy],
    ...stack.sources.map(
      (source) =>
        [
          'follows',
          printable(
            withTag(`${sourceText(source)}${sourcePath(source) === '' ? '' : ` in ${sourcePath(source)}`}`, source.tag),
          ),
        ] as const,
    ),
    ['target', printable(stack.target)],
    ['state', stateText(stack.status, style)],
    ['since', stack.status.since === null ? '' : age(stack.status.since, display.now)],
    ['sync, health', `${stack.sync}, ${stack.health}`],
    ['observed', shortRevision(stack.revision.observed)],
    ['applied', shortRevision(stack.revision.applied)],
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
  return [...facts(pairs, style), ...statusLines(stack), ...resourceRows(stack, style)]
}

function reasonSuffix(why: string): string {
  return why === '' ? '' : `: ${why}`
}

function suspensionText({ suspended }: StackView): string {
  if (suspended === null) return ''
  const until = suspended.until === null ? '' : `, until ${showTime(suspended.until)}`
  return `${printable(suspended.reason)} (by ${printable(suspended.by)}${until})`
}

function statusLines({ status }: StackView): readonly string[] {
  const message = status.state === 'Synced' || status.message === '' ? [] : [printable(status.message)]
  return [...message, ...nextLines(status.next)]
}

function resourceRows(stack: StackView, style: Style): readonly string[] {
  if (stack.resources.length === 0) return []
  const rows = stack.resources.map(({ kind, name, displayName, id }) => [kind, name, displayName, id].map(printable))
  return section(table(['KIND', 'NAME', 'DISPLAY NAME', 'ID'], rows, style))
}
