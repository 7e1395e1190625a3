// Why resources are in their state: a table, and all facts of one resource.
import { printable } from '../../lib/text/printable.js'
import type { Page } from '../../views/page.js'
import type { ResourceDetail, ResourceDrift, ResourceExplanation } from '../../views/explanation.js'
import { nextLines } from './next-lines.js'
import { showValue } from './plan/field-text.js'
import { changeDetailLines, reasonText } from './plan/plan-text.js'
import { age, numberOf, showTime } from './short-forms.js'
import { facts, section, table } from './table.js'
import { isShortened, type Display } from './text.js'

const pathsShown = 3

/** Fields of the drift on a terminal. */
const driftShown = 12

/** A table of resources with their last change, in the order given. */
export function resourceExplanationLines(
  { items, next }: Page<ResourceExplanation>,
  display: Display,
): readonly string[] {
  if (items.length === 0) return []
  const rows = items.map((one) => [
    printable(one.address),
    age(one.lastChange?.at ?? null, display.now),
    one.lastChange?.run ?? '-',
    whyText(one),
  ])
  const more = next === null ? [] : [display.style.dim('… more: --limit N, or --json for all')]
  return section([...table(['RESOURCE', 'CHANGED', 'RUN', { heading: 'WHY', fit: 'wrap' }], rows, display), ...more])
}

function whyText({ lastChange, shared, adopted, protected: kept }: ResourceExplanation): string {
  const notes = [
    lastChange === null ? 'unknown: applied by an older version' : changeText(lastChange),
    ...(adopted && lastChange?.adopts !== true ? ['adopted'] : []),
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
    ...(adopts === true ? [fields === 0 ? 'adopted unchanged' : 'adopted'] : []),
    ...(from === undefined ? [] : [`renamed from ${printable(from)}`]),
    ...(action === 'update' && fields === 0 && adopts !== true ? ['only ownership changed'] : []),
  ]
  return [`${reasonText({ reason, action })}${at}`, ...notes].join(', ')
}

/** `seeAll`: how to see what a terminal shortens. */
export function resourceDetailLines(detail: ResourceDetail, display: Display, seeAll: string): readonly string[] {
  const { style } = display
  const { lastChange, owner } = detail
  const listed = (addresses: readonly string[]): string => addresses.map(printable).join(', ')
  const pairs = facts(
    [
      ['display name', detail.displayName === '' ? '' : printable(detail.displayName)],
      ['kind', printable(detail.kind)],
      ['id', printable(detail.id)],
      ['why', whyText(detail)],
      ['run', lastChange === null ? '' : runText(lastChange, display.now)],
      ['cause', printable(lastChange?.cause ?? '')],
      ['part of', printable(detail.partOf ?? '')],
      ['parts', listed(detail.parts)],
      ['needs', listed(detail.edges?.map(({ to, text }) => `${to} (${text})`) ?? detail.needs)],
      ['needed by', listed(detail.neededBy)],
      ['owned by', owner === null ? '' : printable(`stack ${owner.stack} as ${owner.address}`)],
      ['shared by', listed(detail.sharers)],
      ['ignored', listed(detail.ignored)],
      ['health', healthText(detail)],
      ...driftTexts(detail, display).map((text) => ['drift', text] as const),
    ],
    display,
  )
  const change = detail.change === null ? [] : changeDetailLines(detail.change, display, seeAll)
  const blockers = detail.blockers.flatMap(({ message, next }) => [`Stack: ${printable(message)}`, ...nextLines(next)])
  return [style.bold(printable(detail.address)), ...pairs, ...section(change), ...section(blockers)]
}

/** '': its kind does not say. */
function healthText({ unhealthy }: ResourceDetail): string {
  if (unhealthy === undefined) return ''
  return unhealthy === null ? 'healthy' : printable(`unhealthy: ${unhealthy}`)
}

/** How the resource differs on its target; none: it is as applied. */
function driftTexts({ drift, driftUnknown = '' }: ResourceDetail, display: Display): readonly string[] {
  if (drift === undefined) return [printable(`not compared: its target could not be read. ${driftUnknown}`.trimEnd())]
  if (drift.gone) return ['it is gone from the target']
  const shown = isShortened(display) ? drift.fields.slice(0, driftShown) : drift.fields
  const rest = drift.fields.length - shown.length
  return [
    ...shown.map((field) => driftText(field, display)),
    ...(rest === 0 ? [] : [`… and ${numberOf(rest, 'more field')}`]),
  ]
}

function driftText({ path, applied, actual }: ResourceDrift['fields'][number], display: Display): string {
  const room = Math.floor(((display.width ?? 0) - path.length) / 2)
  const [before, after] = [applied, actual].map((value) => showValue(value, display, room))
  return `${printable(path)}: ${before} → ${after} on the target`
}

function runText({ run, at }: NonNullable<ResourceDetail['lastChange']>, now: number): string {
  return `${printable(run)}, ${showTime(at)} (${age(at, now)})`
}
