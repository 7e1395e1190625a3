import { callDriver } from '../platform/call-driver.js'
import type { Listing } from '../platform/platform.js'
import type { Reached } from './targets.js'

const pageSize = 500

/**
 * What is on a target, by family and identity, at most 500 at a time. `family`: begins there. Errors: those of the
 * target.
 */
export async function* pagesOfListings(
  { connection, calling }: Reached,
  signal: AbortSignal,
  family?: string,
): AsyncGenerator<readonly Listing[]> {
  for (let after = family === undefined ? undefined : `${family}/`; ;) {
    const options = { limit: pageSize, ...(after === undefined ? {} : { after }) }
    const page = await callDriver('list', calling, (inner) => connection.list(options, inner), signal)
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    after = `${last.family}/${last.observed.identity}`
  }
}
