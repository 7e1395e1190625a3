// A request for a dry run or an apply in the form of the InfluxDB API (docs/reference/influxdb-api.md).
import type { Skip } from '../../model/inputs.js'
import type { PushedPackage } from '../inputs/pushed-package.js'

/** One package as text. `sources`: its origins, as the client names them. */
export interface GivenPackage {
  readonly contentType?: string
  readonly sources: readonly string[]
  readonly text: string
}

/** A package that the agent fetches. */
export interface PackageUrl {
  readonly url: string
  readonly contentType?: string
}

/** Packages are in the order in which they are combined; a stack's own URLs come after them. */
export interface TemplateRequest {
  readonly orgID: string
  readonly stackID?: string
  readonly remotes: readonly PackageUrl[]
  readonly packages: readonly GivenPackage[]
  /** The content type of the request, if it describes the texts. */
  readonly contentType?: string
  /** By env key. */
  readonly values: NonNullable<PushedPackage['values']>
  readonly secrets: Readonly<Record<string, string>>
  /** `family`: a kind skips its whole family. */
  readonly skips: readonly Skip[]
  /** Absent: as the stack's `dataLoss` says. */
  readonly allowDataLoss?: boolean
  readonly allowEmpty: boolean
  /** The reason to apply during a closed sync window. */
  readonly overrideWindow?: string
}
