import type { GivenValue, Skip } from '../../model/resources/inputs.js'

/** `path`: relative to the package, with slashes. */
export interface PushedFile {
  readonly path: string
  readonly text: string
}

/**
 * A push to a stack with an inline source. All but `secrets` is part of the revision, so drift checks and rollbacks use
 * the same inputs.
 */
export interface PushedPackage {
  readonly files: readonly PushedFile[]
  /** URLs of packages that the agent fetches once, for this push. */
  readonly urls?: readonly string[]
  /** By env key. Stored sealed. */
  readonly values?: Readonly<Record<string, GivenValue>>
  /** By key of the target's secret store. Kept in memory only, until they are applied. */
  readonly secrets?: Readonly<Record<string, string>>
  /** `family`: a kind skips its whole family. */
  readonly skips?: readonly Skip[]
  /** Where the files came from, as the client says. Absent: unknown. Not part of the revision. */
  readonly sources?: readonly string[]
  readonly allowEmpty?: boolean
}
