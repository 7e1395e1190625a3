import { compareText } from '../../lib/text/compare-text.js'
import { printable, quoted } from '../../lib/text/printable.js'
import { countProblems } from '../../model/problem.js'
import type { ClashView, DiscoveredPackage, DiscoveryView } from '../../views/packages/discovery.js'
import { problemLines } from './problem-text.js'
import { numberOf } from './short-forms.js'
import { section, table } from './table.js'
import type { Display } from './text.js'

/** A line for each package, then their problems, then names that several packages declare. */
export function discoveryLines({ packages, clashes }: DiscoveryView, display: Display): readonly string[] {
  if (packages.length === 0)
    return ['No packages found: no directory has a package file with documents that have apiVersion and kind.']
  const rows = packages.map((one) => [
    pathText(one.path),
    kindsText(one),
    skipReason(one) ?? `new: ${printable(one.name)}`,
  ])
  const problems = packages.flatMap((one) => one.problems.flatMap((problem) => problemLines(problem, display.style)))
  return [
    ...table(['PATH', { heading: 'DECLARES', fit: 'wrap' }, { heading: 'STACK', fit: 'wrap' }], rows, display),
    ...section(problems),
    ...section(clashes.map(clashLine)),
  ]
}

/** Why `--create` skips a package; undefined: it creates a stack. */
export function skipReason({ stack, problems, includes }: DiscoveredPackage): string | undefined {
  if (stack !== null) return `skipped: ${printable(stack)} already reads it`
  const errors = countProblems(problems)
  if (errors > 0) return `skipped: ${numberOf(errors, 'error')}`
  return includes.length === 0
    ? undefined
    : `skipped: includes ${includes.map(pathText).join(', ')} (list it in .gitmoorignore)`
}

function kindsText({ kinds }: DiscoveredPackage): string {
  return Object.entries(kinds)
    .sort(([a], [b]) => compareText(a, b))
    .map(([kind, count]) => `${count} ${printable(kind)}`)
    .join(', ')
}

function clashLine({ family, name, paths, alike }: ClashView): string {
  const resource = `${printable(family)} ${quoted(name)}`
  const shown = paths.map(pathText).join(', ')
  return alike
    ? `${shown} declare ${resource} identically: the first stack owns it, the others share it.`
    : `${shown} declare ${resource} differently: only the first stack can sync.`
}

function pathText(path: string): string {
  return path === '' ? '.' : printable(path)
}
