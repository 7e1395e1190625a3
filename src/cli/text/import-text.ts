import { compareText } from '../../lib/text/compare-text.js'
import { printable } from '../../lib/text/printable.js'
import { shellWord } from '../../lib/text/shell-word.js'
import type { Change } from '../../model/resources/change.js'
import type { ImportView } from '../../views/packages/import.js'
import { wrappedLines } from './next-lines.js'
import { numberOf } from './short-forms.js'
import { table, wrapped } from './table.js'
import type { Display } from './text.js'

/** What a new stack takes over, how its package differs, its first plan in counts, and what to do next. */
export function importLines(imported: ImportView, display: Display): readonly string[] {
  const { taken, stack, target, name } = imported
  const count = numberOf(taken.length, 'resource')
  const title =
    stack === null
      ? `Would take over ${count}${originText(imported)} on target ${printable(target)} as ${printable(name)}.`
      : `Took over ${count}${originText(imported)} on target ${printable(target)} as ${printable(name)}.`
  const about = [title, ...differences(imported), countsText(imported)]
  return [
    ...about.flatMap((text) => wrapped(text, display.width ?? Number.POSITIVE_INFINITY)),
    ...(taken.length === 0 ? [] : ['', ...takenTable(imported, display)]),
    ...(stack === null ? [] : nextSteps(imported, display)),
  ]
}

function originText({ from }: ImportView): string {
  if (from === null) return ''
  return ` of its stack ${printable(from.id)}${from.name === '' ? '' : ` (${printable(from.name)})`}`
}

function takenTable({ taken }: ImportView, display: Display): readonly string[] {
  return familyTable(
    taken.map(({ kind, displayName }) => [kind, displayName]),
    display,
  )
}

/** A line for each family: how many, and their names. `named`: family and name of each resource. */
function familyTable(named: readonly (readonly [string, string])[], display: Display): readonly string[] {
  const families = [...new Set(named.map(([family]) => family))].sort(compareText)
  const rows = families.map((family) => {
    const names = named.filter(([of]) => of === family).map(([, name]) => name)
    return [printable(family), String(names.length), printable(names.sort(compareText).join(', '))]
  })
  return table(['FAMILY', 'COUNT', { heading: 'NAMES', fit: 'wrap' }], rows, display)
}

/** What the record lists and the target no longer has, and how record and package differ. */
function differences({ leftOut, plan, from }: ImportView): readonly string[] {
  const isWhole = ({ partOf }: Change): boolean => partOf === undefined
  const beside = plan.changes.filter((one) => isWhole(one) && (one.action === 'create' || one.adopts === true))
  const dropped = plan.changes.filter((one) => isWhole(one) && (one.action === 'remove' || one.action === 'untrack'))
  const left = leftOut.map(({ kind, name, id, why }) => `${kind}/${name} (${id}${reasons[why]})`)
  const listed = from === null ? 'exists' : 'its stack lists'
  return [
    ...sentence(left, (names) => `Not taken over: ${names}.`),
    ...sentence(addresses(beside), (names) => `The package also declares, beside what ${listed}: ${names}.`),
    ...sentence(addresses(dropped), (names) => `The package does not declare: ${names}. The first plan drops them.`),
  ]
}

const reasons = {
  gone: ', no longer on the target',
  system: ', made by the target itself',
  'unknown-kind': ', unknown kind',
} as const

function addresses(changes: readonly Change[]): readonly string[] {
  return changes.map(({ address }) => address)
}

const mostNamed = 10

function sentence(names: readonly string[], text: (names: string) => string): readonly string[] {
  if (names.length === 0) return []
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
  return [text(`${names.slice(0, mostNamed).map(printable).join(', ')}${more}`)]
}

function countsText({ plan, held, stack, name }: ImportView): string {
  const { create, update, remove, unchanged } = plan.counts
  const counts = `First plan: ${create} to create, ${update} to update, ${remove} to remove, ${unchanged} unchanged.`
  if (!held) return counts
  return `${counts} ${printable(name)} ${stack === null ? 'would be' : 'is'} suspended until you resume it.`
}

function nextSteps({ name, held, plan }: ImportView, { width }: Display): readonly string[] {
  const word = shellWord(name)
  const steps = held
    ? [`See its first plan: gitmoor plan ${word}`, `Then apply it: gitmoor resume ${word}`]
    : plan.changes.length > 0
      ? [`See its first plan: gitmoor plan ${word}`]
      : [`See the stack: gitmoor stack get ${word}`]
  return steps.flatMap((step) => wrappedLines('  next: ', printable(step), width))
}
