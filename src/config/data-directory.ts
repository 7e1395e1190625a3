// The data directory has one name: a variable of the shell must not silently lead to another database than the one of
// the configuration file.
import { resolve } from 'node:path'
import { asMap } from './entry-problems.js'
import { readEnvironment } from './environment.js'
import { printable } from '../lib/text/printable.js'
import type { Problem } from '../model/problem.js'
import type { YamlFile } from '../settings/schema/read-yaml.js'

/**
 * An error if `data` of the file and GITMOOR_DATA name different directories; a warning if `--data` overrides `data`.
 * `directory`: the base of relative paths.
 */
export function dataDirectoryProblems(
  file: YamlFile,
  option: string | undefined,
  directory: string,
): readonly Problem[] {
  const inFile = asMap(file.value)['data']
  if (typeof inFile !== 'string') return []
  const shown = (path: string): string => printable(resolve(directory, path))
  const other = option ?? readEnvironment().data
  if (other === undefined || resolve(directory, other) === resolve(directory, inFile)) return []
  if (option !== undefined) {
    const message = `--data takes precedence: the data directory is ${shown(option)}, not ${shown(inFile)}.`
    return [{ ...file.problem('config/data-overridden', ['data'], message), severity: 'warning' }]
  }
  const message = `The data directory has two names: ${shown(inFile)} here, and ${shown(other)} in GITMOOR_DATA.`
  const hint = `Unset GITMOOR_DATA, remove \`data\` here, or choose one: --data ${shown(inFile)}`
  return [file.problem('config/data-conflict', ['data'], message, hint)]
}
