import { countProblems, errorsOf, type Problem } from '../../model/problem.js'
import { printable } from '../../lib/text/printable.js'
import { problemLines } from './problem-text.js'
import { numberOf } from './short-forms.js'
import type { Style } from './text.js'

/** The problems of a configuration file. `declares`: the count of each kind of entry; empty if there are errors. */
export interface ConfigurationResult {
  readonly path: string
  readonly valid: boolean
  readonly declares: Readonly<Record<string, number>>
  readonly problems: readonly Problem[]
}

/** The problems of a configuration file, and the verdict. */
export function configurationLines({ path, declares, problems }: ConfigurationResult, style: Style): readonly string[] {
  const errors = countProblems(errorsOf(problems))
  const counts = Object.entries(declares).map(([name, count]) => numberOf(count, name.slice(0, -1)))
  const verdict =
    errors > 0
      ? style.red(`configuration file with ${numberOf(errors, 'error')}`)
      : `${style.green('valid')} configuration file${counts.length === 0 ? '' : `: ${counts.join(', ')}`}`
  return [...problems.flatMap((problem) => problemLines(problem, style)), `${style.bold(printable(path))}: ${verdict}`]
}
