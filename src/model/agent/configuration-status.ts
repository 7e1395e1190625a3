import type { Problem } from '../problem.js'

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
}

export const noConfigurationFile: ConfigurationStatus = {
  file: null,
  loadedAt: 0,
  refused: null,
  needsRestart: [],
  refusedStacks: [],
}
