import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { isConfiguration, readConfiguration, type Configuration } from '../../../config/config.js'
import { withoutUndefined } from '../../../lib/without-undefined.js'
import { errorsOf } from '../../../model/problem.js'
import type { PlatformDescription } from '../../../platform/platform.js'
import { UsageError } from '../../errors/cli-error.js'
import { readInputFile } from '../../files/input-file.js'
import type { ConfigurationResult } from '../../text/configuration-text.js'

export interface CheckOptions {
  /** Relative paths start here. */
  readonly cwd: string
  readonly platforms: readonly PlatformDescription[]
  readonly data?: string | undefined
  /** The text of the file, if it is standard input. */
  readonly text?: string | undefined
  /** Accepts environment variables and files that do not exist here. */
  readonly ignoreMissing?: boolean | undefined
}

/** Checks a configuration file as the agent does at its start. Errors: `UsageError` for a file that cannot be read. */
export function checkConfiguration(
  path: string,
  { cwd, platforms, data, text, ignoreMissing = false }: CheckOptions,
): ConfigurationResult {
  const options = { platforms, isCheck: true, ...withoutUndefined({ data, text }) }
  const { value, problems: found } = readConfiguration(path, options, cwd)
  const unread = found.find(({ code }) => code === 'config/unreadable')
  if (unread !== undefined) throw new UsageError(unread.message, unread.hint, { code: 'cli/unreadable-file' })
  const problems = ignoreMissing ? found.filter(({ code }) => code !== 'config/unresolved') : found
  return {
    path,
    valid: errorsOf(problems).length === 0,
    declares: value === undefined ? {} : countEntries(value),
    problems,
  }
}

/** True for a YAML file that has a key of the configuration file, and none of a package. */
export function isConfigurationFile(path: string, cwd: string): boolean {
  const file = resolve(cwd, path)
  if (!/\.ya?ml$/i.test(path) || statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false
  return isConfiguration(readInputFile(file, path, largestFile).toString('utf8'))
}

/** Of a package file, which may be larger than a configuration file. */
export const largestFile = 4 * 1024 * 1024

/** Only kinds of entries that the file has. */
function countEntries(configuration: Configuration): Readonly<Record<string, number>> {
  const { stacks, fleets, declaredTargets: targets, channels, credentials, connections, keys, webhooks } = configuration
  const receivers = [...configuration.receivers.notifications, ...configuration.receivers.statuses]
  const lists = { stacks, fleets, targets, channels, credentials, connections, keys, webhooks, receivers }
  const counts = Object.entries(lists).map(([name, list]) => [name, list.length] as const)
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}
