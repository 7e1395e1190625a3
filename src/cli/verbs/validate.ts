import type { Command } from 'commander'
import { printable } from '../../lib/printable.js'
import { countProblems, errorsOf } from '../../model/problem.js'
import { exitCode } from '../exit-code.js'
import type { Declare } from '../invocation.js'
import { problemLines } from '../text/problem-text.js'
import type { Style } from '../text/text.js'
import type { PackageResult } from './validate-packages.js'

export function addValidateVerb(program: Command, declare: Declare): void {
  const validate = {
    usage: 'validate PATH...',
    summary: 'check packages without an agent',
    example: 'validate ./dashboards',
    notes: 'Each PATH is one package: a directory or a single file. Exit code 1 if a package has errors.',
  }
  declare(program, validate, async (cli, paths) => {
    const { validatePackages } = await import('./validate-packages.js')
    const results = await validatePackages(paths, cli.cwd)
    cli.out.answer({ packages: results }, ({ style }) => results.flatMap((result) => resultLines(result, style)))
    return results.every((result) => result.valid) ? exitCode.ok : exitCode.error
  })
}

function resultLines(result: PackageResult, style: Style): readonly string[] {
  const errors = countProblems(errorsOf(result.problems))
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
