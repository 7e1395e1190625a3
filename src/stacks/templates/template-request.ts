// What a person hands over to look at or to apply in the reference's wire format (packages 8.3), as it was read from a request.
import type { Skip } from '../../model/supplied.js'
import type { PushedPackage } from '../pushed-package.js'

/** One package as text. `sources`: where it came from, as its sender says. */
export interface PackageGiven {
  readonly contentType?: string
  readonly sources: readonly string[]
  readonly text: string
}

/** A package that the agent fetches. */
export interface RemoteGiven {
  readonly url: string
  readonly contentType?: string
}

/** Packages stand in the order in which they are combined (packages 2.3), a stack's own URLs after them. */
export interface TemplateRequest {
  readonly orgID: string
  readonly stackID?: string
  readonly remotes: readonly RemoteGiven[]
  readonly packages: readonly PackageGiven[]
  /** Of the request itself, where that tells something of texts in it. */
  readonly contentType?: string
  /** By env key. */
  readonly values: NonNullable<PushedPackage['values']>
  readonly secrets: Readonly<Record<string, string>>
  /** `family`: a kind stands for its family (packages 4.7). */
  readonly skips: readonly Skip[]
  /** Absent: as the stack says (`dataLoss`). */
  readonly allowDataLoss?: boolean
  readonly allowEmpty: boolean
  /** Why it writes though a sync window is closed. */
  readonly overrideWindow?: string
}
