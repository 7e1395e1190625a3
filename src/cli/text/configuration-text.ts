import { countProblems, errorsOf } from '../../model/problem.js'
import { printable } from '../../lib/printable.js'
import type { ConfigurationResult } from '../verbs/check-configuration.js'
import { problemLines } from './problem-text.js'
import type { Style } from './text.js'

/** The problems of a configuration file, and the verdict. */
export function configurationLines({ path, declares, problems }: ConfigurationResult, style: Style): readonly string[] {
  const errors = countProblems(errorsOf(problems))
  const counts = Object.entries(declares).map(([name, count]) => `${count} ${count === 1 ? name.slice(0, -1) : name}`)
  const verdict =
    errors > 0
      ? style.red(`configuration file with ${errors} ${errors === 1 ? 'error' : 'errors'}`)
      : `${style.green('valid')} configuration file${counts.length === 0 ? '' : `: ${counts.join(', ')}`}`
  return [...problems.flatMap((problem) => problemLines(problem, style)), `${style.bold(printable(path))}: ${verdict}`]
}
