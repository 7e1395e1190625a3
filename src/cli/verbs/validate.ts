import type { Command } from 'commander'
import { printable } from '../../lib/printable.js'
import { countProblems, errorsOf } from '../../model/problem.js'
import { exitCode } from '../exit-code.js'
import type { Declare } from '../invocation.js'
import { configurationLines } from '../text/configuration-text.js'
import { problemLines } from '../text/problem-text.js'
import { numberOf } from '../text/short-forms.js'
import type { Style } from '../text/text.js'
import type { PackageResult } from './validate-packages.js'

export function addValidateVerb(program: Command, declare: Declare): void {
  const validate = {
    usage: 'validate PATH...',
    summary: 'check packages without an agent',
    example: 'validate ./dashboards',
    notes:
      'Each PATH is one package: a directory or a single file. A configuration file of the agent is checked as ' +
      '`gitmoor config check FILE` does. Exit code 1 if there are errors.',
  }
  declare(program, validate, async (cli, paths) => {
    const { checkConfiguration, isConfigurationFile } = await import('./check-configuration.js')
    const { validatePackages } = await import('./validate-packages.js')
    const files = paths.filter((path) => isConfigurationFile(path, cli.cwd))
    const platforms = await cli.platforms()
    const packages = await validatePackages(
      paths.filter((path) => !files.includes(path)),
      { cwd: cli.cwd, platforms },
    )
    const configurations = files.map((path) =>
      checkConfiguration(path, { cwd: cli.cwd, platforms, data: cli.address.data }),
    )
    const answer = { packages, ...(configurations.length === 0 ? {} : { configurations }) }
    cli.out.answer(answer, ({ style }) => [
      ...packages.flatMap((result) => resultLines(result, style)),
      ...configurations.flatMap((result) => configurationLines(result, style)),
    ])
    return [...packages, ...configurations].every(({ valid }) => valid) ? exitCode.ok : exitCode.error
  })
}

function resultLines(result: PackageResult, style: Style): readonly string[] {
  const errors = countProblems(errorsOf(result.problems))
  const kinds = Object.entries(result.resources).map(([kind, count]) => `${count} ${printable(kind)}`)
  const verdict = errors > 0 ? style.red(numberOf(errors, 'error')) : `${style.green('valid')}: ${kinds.join(', ')}`
  return [
    ...result.problems.flatMap((problem) => problemLines(problem, style)),
    `${style.bold(printable(result.path))}: ${verdict}`,
  ]
}
