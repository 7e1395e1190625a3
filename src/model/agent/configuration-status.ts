import type { Json } from '../json.js'
import type { Problem } from '../problem.js'

/**
 * One value of the configuration, without secrets. `path`: `limits.concurrency`; `secret`: `value` shows only the
 * references in it; `line`: of the file; null: the file does not have it. `source`: `option` is the command line or the
 * environment.
 */
export interface ConfigurationValue {
  readonly path: string
  readonly value: Json
  readonly secret?: true
  readonly source: 'file' | 'default' | 'option'
  readonly line: number | null
}

/**
 * How the agent uses its configuration file: what of it is in force, and what is not. Lists only the first problems.
 */
export interface ConfigurationStatus {
  /** Absolute; null: the agent was started without a configuration file. */
  readonly file: string | null
  /** When the configuration in force was read, in milliseconds since the epoch. */
  readonly loadedAt: number
  /** The last reload, if it was refused: the former configuration is in force. null: accepted, or there was none. */
  readonly refused: { readonly at: number; readonly problems: readonly Problem[] } | null
  /** Changed keys of the file that take effect only at the next start. */
  readonly needsRestart: readonly string[]
  /** Why stacks of the file are not declared. */
  readonly refusedStacks: readonly Problem[]
  /** Of the file that was accepted last; those of `needsRestart` are not in force yet. */
  readonly values: readonly ConfigurationValue[]
}

export const noConfigurationFile: ConfigurationStatus = {
  file: null,
  loadedAt: 0,
  refused: null,
  needsRestart: [],
  refusedStacks: [],
  values: [],
}
