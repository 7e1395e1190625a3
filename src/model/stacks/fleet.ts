import type { Problem } from '../problem.js'
import type { StackSpec } from './stack.js'

/** Directories of a git repository, one stack for each. */
export interface FleetDirectories {
  readonly repo: string
  readonly ref: string
  /** Patterns of paths from the root, such as `teams/*`. */
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  /** The names of the stacks: a text with `{path}`, `{path.basename}` and `{path[0]}`, the first folder of the path. */
  readonly name: string
}

/** The settings that all stacks of a fleet have. */
export type FleetTemplate = Omit<StackSpec, 'name' | 'sources'>

/** The declaration of a fleet: its document with all defaults. */
export interface FleetSpec {
  readonly name: string
  readonly directories: FleetDirectories
  readonly template: FleetTemplate
  /** A listing with more directories changes nothing. */
  readonly maxStacks: number
}

/** What the last listing found, and why it changed nothing. */
export interface FleetListing {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** null: the ref could not be read. */
  readonly revision: string | null
  /** The number of directories that match. */
  readonly directories: number
  readonly problems: readonly Problem[]
}

/** A stored fleet. */
export interface Fleet {
  readonly spec: FleetSpec
  readonly managedBy: 'api' | 'file'
  /** False: the configuration file declared it, and no longer does. */
  readonly declared: boolean
  readonly createdAt: number
  /** null: not listed yet. */
  readonly listing: FleetListing | null
}
