import type { Command } from 'commander'
import { exitCode } from '../exit-code.js'
import type { Declare } from '../invocation.js'

export function addValidateVerb(program: Command, declare: Declare): void {
  const validate = {
    usage: 'validate PATH...',
    summary: 'check packages offline, as the agent would read them',
    example: 'validate ./dashboards',
    notes: 'Each PATH is one package: a folder, or a single file. Exit code 1 where one has errors.',
  }
  declare(program, validate, async (at, paths) => {
    const { validatePackages } = await import('./validate-packages.js')
    const { resultLines } = await import('../text/validate-text.js')
    const results = await validatePackages(paths, at.cwd)
    at.out.answer({ packages: results }, ({ style }) => results.flatMap((result) => resultLines(result, style)))
    return results.every((result) => result.valid) ? exitCode.ok : exitCode.error
  })
}
