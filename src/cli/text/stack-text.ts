import { printable } from '../../lib/printable.js'
import { sourcePath, type SourceSpec } from '../../model/source-spec.js'
import type { StackRow, StackView } from '../../views/stack.js'
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
    syncText(stack, display.style),
    stack.health,
    printable(stack.target),
    shortRevision(stack.revision.applied),
    stack.sources.map((source) => printable(sourceText(source))).join(' '),
    lastRunText(stack, display),
  ])
  return table(['NAME', 'SYNC', 'HEALTH', 'TARGET', 'APPLIED', 'FOLLOWS', 'LAST RUN'], rows, display.style)
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

function syncText(stack: StackRow, style: Style): string {
  const word =
    stack.sync === 'Synced' ? style.green(stack.sync) : stack.sync === 'Unknown' ? stack.sync : style.yellow(stack.sync)
  const marks = [
    ...(stack.phase === 'done' ? [] : [phaseText(stack)]),
    ...(stack.suspended === null ? [] : ['suspended']),
    ...(stack.pinned === null ? [] : ['pinned']),
  ]
  return marks.length === 0 ? word : `${word} (${marks.join(', ')})`
}

function phaseText({ phase, conditions }: StackRow): string {
  if (conditions.some(({ type, reason }) => type === 'Ready' && reason === 'Waiting')) return 'waiting'
  return phase === 'needs-approval' ? 'needs approval' : phase
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
    ['sync', syncText(stack, style)],
    ['health', stack.health],
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
  return [...facts(pairs, style), ...conditionLines(stack, style), ...resourceRows(stack, style)]
}

function reasonSuffix(why: string): string {
  return why === '' ? '' : `: ${why}`
}

function suspensionText({ suspended }: StackView): string {
  if (suspended === null) return ''
  const until = suspended.until === null ? '' : `, until ${showTime(suspended.until)}`
  return `${printable(suspended.reason)} (by ${printable(suspended.by)}${until})`
}

function conditionLines(stack: StackView, style: Style): readonly string[] {
  const shown = stack.conditions.filter((condition) => condition.status || condition.type === 'Ready')
  return shown.map(({ type, status, reason, message }) => {
    const name = type === 'Ready' && !status ? 'Not ready' : type
    return `${style.dim(`${name}:`)} ${printable(reason)}${message === '' ? '' : `: ${printable(message)}`}`
  })
}

function resourceRows(stack: StackView, style: Style): readonly string[] {
  if (stack.resources.length === 0) return []
  const rows = stack.resources.map(({ kind, name, displayName, id }) => [kind, name, displayName, id].map(printable))
  return section(table(['KIND', 'NAME', 'DISPLAY NAME', 'ID'], rows, style))
}
