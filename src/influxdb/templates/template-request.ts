// A request for a dry run or an apply in the form of the InfluxDB API (docs/reference/influxdb-api.md).
import type { Skip } from '../../model/resources/inputs.js'
import type { RequestedPackages } from '../../stacks/inputs/gather-package.js'
import type { PushedPackage } from '../../stacks/inputs/pushed-package.js'

/** The stack's own URLs come after the packages of the request. */
export interface TemplateRequest extends RequestedPackages {
  readonly orgID: string
  readonly stackID?: string
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
