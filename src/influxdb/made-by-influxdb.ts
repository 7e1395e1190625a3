// Resources that InfluxDB makes itself.
import type { ListedResource } from '../platform/platform.js'
import { systemResources } from './kinds/kinds.js'

/** See `Platform.madeByTarget`. */
export function madeByInfluxdb(listed: readonly ListedResource[]): ReadonlySet<string> {
  return systemResources(
    listed.map(({ family, observed: { identity, actual, readOnly } }) => {
      return { family, identity, state: { ...actual, ...readOnly } }
    }),
  )
}
