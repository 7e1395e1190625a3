import type { StackFilter, StackSort } from '../model/stack-query.js'

export interface Paging {
  /** At most 500, default 100. */
  readonly limit?: number
  readonly after?: string
}

/** Default sort: by name. `after` continues a list with the same sort and filter. */
export interface StackListing extends Paging, StackFilter {
  readonly sort?: StackSort
}
