import { printable } from '../../lib/text/printable.js'
import { shellWord } from '../../lib/text/shell-word.js'
import type { TargetTestView, TargetView } from '../../views/target.js'
import { wrappedLines } from './next-lines.js'
import { problemLines } from './problem-text.js'
import { labelsText } from './stack-text.js'
import { facts, section, table, type TableColumn } from './table.js'
import type { Display, Style } from './text.js'

/** `selector`: that the list was filtered by. */
export function targetListLines(
  targets: readonly TargetView[],
  display: Display,
  selector?: string,
): readonly string[] {
  if (targets.length === 0)
    return selector === undefined
      ? ['No targets. Declare them under "targets" in the configuration file.']
      : [`No target has the labels ${printable(selector)}. List all: gitmoor target list`]
  const rows = targets.map((target) => [
    printable(target.name),
    printable(target.platform),
    stateText(target, display.style),
    String(target.stacks),
    labelsText(target),
    printable(target.refused?.message ?? ''),
  ])
  return table(columns, rows, display)
}

const columns: readonly TableColumn[] = [
  'NAME',
  'PLATFORM',
  'STATE',
  'STACKS',
  'LABELS',
  { heading: 'MESSAGE', fit: 'wrap' },
]

/** A target, its settings, and why it is refused. */
export function targetLines(target: TargetView, display: Display): readonly string[] {
  const { name, refused } = target
  const pairs: readonly (readonly [string, string])[] = [
    ['name', display.style.bold(printable(name))],
    ['platform', printable(target.platform)],
    ['labels', labelsText(target)],
    ['state', stateText(target, display.style)],
    ['stacks', String(target.stacks)],
    ...valuePairs(settingsOf(target)),
  ]
  const next = `Test the connection: gitmoor target test ${shellWord(name)}`
  return [
    ...facts(pairs, display),
    ...section(refused === null ? [] : problemLines({ severity: 'error', ...refused }, display.style)),
    ...(refused === null ? nextLine(next, display) : []),
  ]
}

/** The answer of a target, or its failure, and what to do next. */
export function targetTestLines(tested: TargetTestView, display: Display): readonly string[] {
  const { ms, about, warnings, problem } = tested
  const name = printable(tested.name)
  const word = shellWord(tested.name)
  if (problem !== null)
    return [
      `Target ${name} (${printable(tested.platform)}) failed after ${ms} ms.`,
      ...problemLines({ severity: 'error', ...problem }, display.style),
      ...nextLine(`Then test it again: gitmoor target test ${word}`, display),
    ]
  const next =
    warnings.length === 0
      ? `Apply a package to it: gitmoor stack create NAME --repo URL --target ${word}`
      : `Test it again: gitmoor target test ${word}`
  return [
    `Target ${name} (${printable(tested.platform)}) answered in ${ms} ms.`,
    ...facts(valuePairs(about), display),
    ...warnings.flatMap((one) => problemLines({ severity: 'warning', ...one }, display.style)),
    ...nextLine(next, display),
  ]
}

/** As `targets` of a configuration file. */
export function declaredTargets(targets: readonly TargetView[]): Readonly<Record<string, object>> {
  return Object.fromEntries(
    targets.map((target) => {
      const { name, platform, labels } = target
      return [name, { platform, ...(Object.keys(labels).length === 0 ? {} : { labels }), ...settingsOf(target) }]
    }),
  )
}

/** Fields of a target that are no setting of its platform. */
const ownFields: readonly string[] = ['name', 'platform', 'labels', 'stacks', 'refused'] satisfies (keyof TargetView)[]

function settingsOf(target: TargetView): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(target).filter(([key]) => !ownFields.includes(key)))
}

function valuePairs(values: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  return Object.entries(values).map(([key, value]) => [printable(key), printable(valueText(value))])
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function stateText({ refused }: TargetView, style: Style): string {
  return refused === null ? 'Declared' : style.red('Refused')
}

function nextLine(text: string, { width }: Display): readonly string[] {
  return wrappedLines('  next: ', printable(text), width)
}
