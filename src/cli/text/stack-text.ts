import { printable } from '../../lib/printable.js'
import { sourcePath, type SourceSpec } from '../../model/source-spec.js'
import type { StackRow, StackView } from '../../views/stack.js'
import { outcomeText } from './run-text.js'
import { age, withTag, shortCounts, shortRevision, showTime } from './short-forms.js'
import type { Display, Style } from './text.js'
import { facts, table } from './table.js'

/** `filtered`: there may be others. */
export function stackListLines(stacks: readonly StackRow[], look: Display, filtered = false): readonly string[] {
  if (stacks.length === 0 && filtered) return ['No stack is like that. All of them: gitmoor stack list']
  if (stacks.length === 0) return ['No stacks yet. Make one: gitmoor stack create NAME --repo URL']
  const rows = stacks.map((stack) => [
    printable(stack.name),
    syncText(stack, look.style),
    stack.health,
    printable(stack.target),
    shortRevision(stack.revision.applied),
    stack.sources.map((source) => printable(sourceText(source))).join(' '),
    lastRunText(stack, look),
  ])
  return table(['NAME', 'SYNC', 'HEALTH', 'TARGET', 'APPLIED', 'FOLLOWS', 'LAST RUN'], rows, look.style)
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
    ...(stack.phase === 'done' ? [] : [isBlocked(stack) ? 'waiting' : stack.phase]),
    ...(stack.suspended === null ? [] : ['suspended']),
    ...(stack.pinned === null ? [] : ['pinned']),
  ]
  return marks.length === 0 ? word : `${word} (${marks.join(', ')})`
}

function isBlocked({ conditions }: StackRow): boolean {
  return conditions.some(({ type, reason }) => type === 'Ready' && reason === 'Waiting')
}

function lastRunText(stack: StackRow, look: Display): string {
  const run = stack.lastRun
  return run === null
    ? '-'
    : `${outcomeText(run, look.style)} ${shortCounts(run.changes)} ${age(run.finishedAt ?? run.createdAt, look.now)}`
}

export function stackLines(stack: StackView, look: Display): readonly string[] {
  const { style } = look
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
        : printable(`at run ${stack.pinned.run} by ${stack.pinned.by}${reasonSuffix(stack.pinned.why)}`),
    ],
    ['last run', stack.lastRun === null ? '-' : `${printable(stack.lastRun.id)}: ${lastRunText(stack, look)}`],
    ['next look', age(stack.nextPollAt, look.now)],
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
  return shown.map((condition) => {
    const name = condition.type === 'Ready' && !condition.status ? 'Not ready' : condition.type
    return `${style.dim(`${name}:`)} ${printable(condition.reason)}${condition.message === '' ? '' : `: ${printable(condition.message)}`}`
  })
}

function resourceRows(stack: StackView, style: Style): readonly string[] {
  if (stack.resources.length === 0) return []
  const rows = stack.resources.map((resource) =>
    [resource.kind, resource.name, resource.displayName, resource.id].map(printable),
  )
  return ['', ...table(['KIND', 'NAME', 'DISPLAY NAME', 'ID'], rows, style)]
}
