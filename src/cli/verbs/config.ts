import type { Command } from 'commander'
import { exitCode } from '../exit-code.js'
import type { Declare } from '../invocation.js'
import { configurationLines } from '../text/configuration-text.js'

/** config check. */
export function addConfigVerbs(program: Command, declare: Declare): void {
  const config = program.command('config').description('check the configuration file of the agent')
  const check = {
    usage: 'check FILE',
    summary: 'check a configuration file without an agent',
    example: 'config check config/gitmoor.yaml',
    notes:
      'Checks what the agent checks at its start, and contacts nothing. Relative paths start at the current ' +
      'directory: run it in the working directory of the agent. Exit code 1 if the file has errors, 3 if it cannot ' +
      'be read. `gitmoor agent` ends with 3 in both cases.\n' +
      'FILE can be - for standard input.',
    options: [['--ignore-missing', 'accept environment variables and files that do not exist here, as in CI']] as const,
  }
  declare<{ ignoreMissing?: boolean }>(config, check, async (cli, [file = ''], { ignoreMissing }) => {
    const { checkConfiguration, largestFile } = await import('./validate/check-configuration.js')
    const { readInput, stdinPath } = await import('../files/input-file.js')
    const text = file === stdinPath ? (await readInput(file, cli, largestFile)).toString('utf8') : undefined
    const platforms = await cli.platforms()
    const result = checkConfiguration(file, { cwd: cli.cwd, platforms, data: cli.address.data, text, ignoreMissing })
    cli.out.answer(result, ({ style }) => configurationLines(result, style))
    return result.valid ? exitCode.ok : exitCode.error
  })
}
