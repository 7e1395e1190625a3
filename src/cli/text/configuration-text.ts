import { countProblems, errorsOf, type Problem } from '../../model/problem.js'
import type { ConfigurationPage } from '../../views/configuration.js'
import { printable } from '../../lib/text/printable.js'
import { problemLines } from './problem-text.js'
import { age, numberOf } from './short-forms.js'
import { section, table } from './table.js'
import type { Display, Style } from './text.js'

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

/** What the agent read: the file, why the last reload was refused, and a table of values. */
export function configurationValueLines(
  { configuration, items }: Pick<ConfigurationPage, 'items'> & Partial<Pick<ConfigurationPage, 'configuration'>>,
  display: Display,
): readonly string[] {
  const rows = items.map(({ path, value, source, line }) => [
    printable(path),
    printable(typeof value === 'string' ? value : JSON.stringify(value)),
    line === null ? printable(source) : `line ${line}`,
  ])
  const columns = ['KEY', { heading: 'VALUE', fit: 'wrap' }, 'FROM'] as const
  const values = items.length === 0 ? ['No such section.'] : table(columns, rows, display)
  return [...(configuration === undefined ? [] : statusText(configuration, display)), ...section(values)]
}

function statusText(
  { file, loadedAt, refused, needsRestart }: ConfigurationPage['configuration'],
  { style, now }: Display,
): readonly string[] {
  const head = file === null ? 'No configuration file: all defaults.' : `${printable(file)}, read ${age(loadedAt, now)}`
  const restart =
    needsRestart.length === 0 ? [] : [`Takes effect at the next start: ${printable(needsRestart.join(', '))}`]
  const failure = refused === null ? [] : [style.red(`The reload ${age(refused.at, now)} was refused:`)]
  const problems = refused?.problems.flatMap((problem) => problemLines(problem, style)) ?? []
  return [head, ...restart, ...failure, ...problems]
}
