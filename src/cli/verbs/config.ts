import type { Command } from 'commander'
import { exitCode } from '../exit-code.js'
import type { Declare } from '../invocation.js'
import type { ConfigurationPage, ConfigurationValueView } from '../../views/configuration.js'
import { maximumListItems, readPages } from '../client/all-pages.js'
import { configurationLines, configurationValueLines } from '../text/configuration-text.js'

/** config check and show. */
export function addConfigVerbs(program: Command, declare: Declare): void {
  const config = program.command('config').description('check the configuration file, or show what the agent read')
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
  const show = {
    usage: 'show [SECTION]',
    summary: 'show the configuration as the agent read it, each value with its line',
    example: 'config show limits',
    notes:
      'SECTION is a key of the file, such as limits. Of secrets it shows only the references, such as ${env:TOKEN}.\n' +
      'If the last reload was refused, it says why.',
  } as const
  declare(config, show, async (cli, [section = '']) => {
    const query = section === '' ? {} : { section }
    const found = await readPages<ConfigurationValueView, Pick<ConfigurationPage, 'configuration'>>(
      cli.client,
      '/api/v1/configuration',
      query,
      maximumListItems,
    )
    cli.out.answer(found, (display) => configurationValueLines(found, display))
    return exitCode.ok
  })
}
