import { printable } from '../../lib/printable.js'
import type { Problem } from '../../model/problem.js'
import { problemLines } from './problem-text.js'
import type { Style } from './text.js'

/** What was found in one package. `resources`: how many of each kind, parts not counted. */
export interface PackageResult {
  readonly path: string
  readonly valid: boolean
  readonly resources: Readonly<Record<string, number>>
  readonly problems: readonly Problem[]
}

export function resultLines(result: PackageResult, style: Style): readonly string[] {
  const errors = result.problems.filter((problem) => problem.severity === 'error').length
  const kinds = Object.entries(result.resources).map(([kind, count]) => `${count} ${printable(kind)}`)
  const verdict =
    errors > 0
      ? style.red(`${errors} ${errors === 1 ? 'error' : 'errors'}`)
      : `${style.green('valid')}: ${kinds.join(', ')}`
  return [
    ...result.problems.flatMap((problem) => problemLines(problem, style)),
    `${style.bold(printable(result.path))}: ${verdict}`,
  ]
}
