import { compareText } from '../../lib/compare-text.js'
import { printable, quoted } from '../../lib/printable.js'
import { countProblems } from '../../model/problem.js'
import type { ClashView, DiscoveredPackage, DiscoveryView } from '../../views/discovery.js'
import { problemLines } from './problem-text.js'
import type { Display } from './text.js'
import { table } from './table.js'

/** A line for each package; then what is wrong, and what several declare under one name. */
export function discoveryLines({ packages, clashes }: DiscoveryView, look: Display): readonly string[] {
  if (packages.length === 0)
    return ['There is no package: no folder has a package file whose documents have an apiVersion and a kind.']
  const rows = packages.map((one) => [
    pathText(one.path),
    kindsText(one),
    skipReason(one) ?? `new: ${printable(one.name)}`,
  ])
  const problems = packages.flatMap((one) => one.problems.flatMap((problem) => problemLines(problem, look.style)))
  const named = clashes.map(clashLine)
  return [...table(['PATH', 'DECLARES', 'STACK'], rows, look.style), ...section(problems), ...section(named)]
}

/** Why no stack is made of it; undefined: one can be. */
export function skipReason({ stack, problems, includes }: DiscoveredPackage): string | undefined {
  if (stack !== null) return `left: ${printable(stack)} reads it`
  const errors = countProblems(problems)
  if (errors > 0) return errors === 1 ? 'left: 1 error' : `left: ${errors} errors`
  return includes.length === 0
    ? undefined
    : `left: takes in ${includes.map(pathText).join(', ')} (list it in .gitmoorignore)`
}

function kindsText({ kinds }: DiscoveredPackage): string {
  return Object.entries(kinds)
    .sort(([a], [b]) => compareText(a, b))
    .map(([kind, count]) => `${count} ${printable(kind)}`)
    .join(', ')
}

function clashLine({ family, name, paths, alike }: ClashView): string {
  const what = `${printable(family)} ${quoted(name)} is declared by ${paths.map(pathText).join(', ')}`
  return alike
    ? `${what}, alike: the first stack owns it, the others share it.`
    : `${what}, not alike: all stacks but the first are refused.`
}

function pathText(path: string): string {
  return path === '' ? '.' : printable(path)
}

function section(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', ...lines]
}
