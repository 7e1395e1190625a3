import type { GivenValue, Skip } from '../model/supplied.js'

/** `path`: relative to the package, with slashes. */
export interface PushedFile {
  readonly path: string
  readonly text: string
}

/** What is handed over to a stack that has an inline source. All but `secrets` is part of the revision: drift checks and roll backs see the same. */
export interface PushedPackage {
  readonly files: readonly PushedFile[]
  /** Packages that the agent fetches once, for this push (packages 8.4). */
  readonly urls?: readonly string[]
  /** By env key (packages 1.13). Sealed where they are kept. */
  readonly values?: Readonly<Record<string, GivenValue>>
  /** By key of the target's secret store (packages 5.3). Kept in memory only, until they are applied. */
  readonly secrets?: Readonly<Record<string, string>>
  /** `family`: a kind stands for its family (packages 4.7). */
  readonly skips?: readonly Skip[]
  /** Where the files came from, for the stack's record (packages 2.2). Absent: nobody says. Not part of the revision. */
  readonly sources?: readonly string[]
  readonly allowEmpty?: boolean
}
