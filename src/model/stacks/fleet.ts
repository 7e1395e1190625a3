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

/** Targets, one stack for each: by their names, or all whose labels match a selector such as `env=prod`. */
export type FleetTargets = { readonly names: readonly string[] } | { readonly selector: string }

interface FleetBase {
  readonly name: string
  /** A listing that finds more changes nothing. */
  readonly maxStacks: number
}

/** A stack for each directory. `template`: the settings that all of them have. */
export interface DirectoryFleet extends FleetBase {
  readonly directories: FleetDirectories
  readonly template: Omit<StackSpec, 'name' | 'sources'>
}

/** A stack for each target, `FLEET.TARGET`, all of the same sources. */
export interface TargetFleet extends FleetBase {
  readonly targets: FleetTargets
  readonly template: Omit<StackSpec, 'name' | 'target'>
}

/** The declaration of a fleet: its document with all defaults. It has exactly one of `directories` and `targets`. */
export type FleetSpec = DirectoryFleet | TargetFleet

/**
 * The number of directories that match at a revision, or of targets. `revision` null: the ref could not be read.
 */
export type FleetFound =
  | { readonly revision: string | null; readonly directories: number }
  | { readonly targets: number }

/** What the last listing found, and why it changed nothing. `at`: milliseconds since the epoch. */
export type FleetListing = FleetFound & { readonly at: number; readonly problems: readonly Problem[] }

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
