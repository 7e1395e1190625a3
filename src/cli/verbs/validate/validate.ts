import type { Command } from 'commander'
import { printable } from '../../../lib/text/printable.js'
import { countProblems, errorsOf } from '../../../model/problem.js'
import { exitCode, worstExitCode } from '../../exit-code.js'
import { readInput, stdinPath } from '../../files/input-file.js'
import type { Declare, Invocation } from '../../invocation.js'
import { configurationLines } from '../../text/configuration-text.js'
import { problemLines } from '../../text/problem-text.js'
import { numberOf } from '../../text/short-forms.js'
import type { Style } from '../../text/text.js'
import type { PackageResult } from './validate-packages.js'

export function addValidateVerb(program: Command, declare: Declare): void {
  const validate = {
    usage: 'validate PATH...',
    summary: 'check packages without an agent',
    example: 'validate ./dashboards',
    notes:
      'Each PATH is one package: a directory, a single file, or - for standard input. A configuration file of the agent is checked as ' +
      '`gitmoor config check FILE` does. Exit code 1 if there are errors.',
    options: [['--strict', 'exit code 1 also after warnings, such as an unknown field']],
  } as const
  declare<{ strict?: true }>(program, validate, async (cli, paths, { strict = false }) => {
    const { checkConfiguration, isConfigurationFile } = await import('./check-configuration.js')
    const { isConfiguration } = await import('../../../config/config.js')
    const { validatePackages } = await import('./validate-packages.js')
    const text = paths.includes(stdinPath) ? await readText(cli) : ''
    const files = paths.filter((path) =>
      path === stdinPath ? isConfiguration(text) : isConfigurationFile(path, cli.cwd),
    )
    const platforms = await cli.platforms()
    const { packages, refused } = await validatePackages(
      paths.filter((path) => !files.includes(path)),
      { cwd: cli.cwd, platforms, stdin: text },
    )
    if (paths.length === 1 && refused[0] !== undefined) throw refused[0]
    const configurations = files.map((path) =>
      checkConfiguration(path, {
        cwd: cli.cwd,
        platforms,
        data: cli.address.data,
        ...(path === stdinPath ? { text } : {}),
      }),
    )
    const answer = { packages, ...(configurations.length === 0 ? {} : { configurations }) }
    cli.out.answer(answer, ({ style }) => [
      ...packages.flatMap((result) => resultLines(result, strict, style)),
      ...configurations.flatMap((result) => configurationLines(result, style)),
    ])
    const invalid = [...packages, ...configurations].filter(
      ({ valid, problems }) => !valid || (strict && problems.length > 0),
    )
    const codes = refused.map(({ exit }) => exit)
    return worstExitCode(invalid.length > refused.length ? [...codes, exitCode.error] : codes)
  })
}

/** The limit is that of a package file. */
async function readText(cli: Invocation): Promise<string> {
  const { largestFile } = await import('./check-configuration.js')
  const { decodeUtf8 } = await import('../../files/package-texts.js')
  return decodeUtf8('Standard input', await readInput(stdinPath, cli, largestFile))
}

function resultLines(result: PackageResult, strict: boolean, style: Style): readonly string[] {
  const errors = countProblems(errorsOf(result.problems))
  const refused = errors === 0 && strict ? countProblems(result.problems) : 0
  const kinds = Object.entries(result.resources).map(([kind, count]) => `${count} ${printable(kind)}`)
  const valid = `${style.green('valid')}: ${kinds.join(', ')}`
  const warned = refused > 0 ? style.red(`${numberOf(refused, 'warning')}, refused by --strict`) : valid
  const verdict = errors > 0 ? style.red(numberOf(errors, 'error')) : warned
  return [
    ...result.problems.flatMap((problem) => problemLines(problem, style)),
    `${style.bold(printable(result.path))}: ${verdict}`,
  ]
}
