// Why things are as they are: a line for each, and all of one.
import { printable } from '../../lib/printable.js'
import type { Page } from '../../views/page.js'
import type { ResourceDetail, ResourceExplanation } from '../../views/explanation.js'
import { fieldLines, reasonText } from './plan-text.js'
import { age, showTime } from './short-forms.js'
import type { Display } from './text.js'
import { facts, table } from './table.js'

const pathsShown = 3

/** The newest changes first, as they come. */
export function resourceExplanationLines({ items, next }: Page<ResourceExplanation>, look: Display): readonly string[] {
  if (items.length === 0) return []
  const rows = items.map((one) => [
    printable(one.address),
    age(one.lastChange?.at ?? null, look.now),
    one.lastChange?.run ?? '-',
    whyText(one),
  ])
  const more = next === null ? [] : [look.style.dim('… and more: --limit N, or all with --json')]
  return ['', ...table(['RESOURCE', 'CHANGED', 'RUN', 'WHY'], rows, look.style), ...more]
}

function whyText({ lastChange, shared, adopted, protected: kept }: ResourceExplanation): string {
  const notes = [
    lastChange === null ? 'not known: applied by an older version' : changeText(lastChange),
    ...(adopted && lastChange?.adopts !== true ? ['taken over'] : []),
    ...(shared ? ['shared'] : []),
    ...(kept ? ['protected'] : []),
  ]
  return notes.join(', ')
}

function changeText({
  reason,
  action,
  adopts,
  from,
  paths,
  fields,
}: NonNullable<ResourceExplanation['lastChange']>): string {
  const shown = paths.slice(0, pathsShown).map(printable).join(', ')
  const at = paths.length === 0 ? '' : ` at ${shown}${fields > pathsShown ? ` and ${fields - pathsShown} more` : ''}`
  const notes = [
    ...(adopts === true ? ['taken over as it was found'] : []),
    ...(from === undefined ? [] : [`was ${printable(from)}`]),
    ...(action === 'update' && fields === 0 && adopts !== true ? ['only the record changed'] : []),
  ]
  return [`${reasonText(reason)}${at}`, ...notes].join(', ')
}

export function resourceDetailLines(detail: ResourceDetail, look: Display): readonly string[] {
  const { style } = look
  const { lastChange, owner } = detail
  const listed = (addresses: readonly string[]): string => addresses.map(printable).join(', ')
  const pairs = facts(
    [
      ['display name', detail.displayName === '' ? '' : printable(detail.displayName)],
      ['kind', printable(detail.kind)],
      ['id', printable(detail.id)],
      ['why', whyText(detail)],
      [
        'run',
        lastChange === null
          ? ''
          : `${printable(lastChange.run)}, ${showTime(lastChange.at)} (${age(lastChange.at, look.now)})`,
      ],
      ['because', printable(lastChange?.cause ?? '')],
      ['part of', printable(detail.partOf ?? '')],
      ['parts', listed(detail.parts)],
      ['needs', listed(detail.needs)],
      ['needed by', listed(detail.neededBy)],
      ['owned by', owner === null ? '' : printable(`stack ${owner.stack} as ${owner.address}`)],
      ['shared by', listed(detail.sharers)],
      ['ignored', listed(detail.ignored)],
    ],
    style,
  )
  const fields = (detail.changes ?? []).flatMap((field) => fieldLines(field, lastChange?.action ?? 'update', look))
  const holds = detail.blockers.flatMap(({ message, next }) => [
    `Its stack: ${printable(message)}`,
    `  ${style.dim(printable(next))}`,
  ])
  return [style.bold(printable(detail.address)), ...pairs, ...section(fields), ...section(holds)]
}

/** Below an empty line, if there is anything. */
function section(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', ...lines]
}
