import { quoted } from '../lib/printable.js'
import { Refused } from '../model/errors.js'
import type { StackFilter, StackSort } from '../model/stack.js'

export interface Paging {
  /** At most 500, default 100. */
  readonly limit?: number
  readonly after?: string
}

/** Default sort: by name. `after` continues a list with the same sort and filter. */
export interface StackListing extends Paging, StackFilter {
  readonly sort?: StackSort
}

/** The error for an `after` that the list did not give. */
export function invalidCursor(after: string): Refused {
  return new Refused('usage', `Invalid cursor ${quoted(after)}.`, {
    code: 'stacks/invalid-cursor',
    hint: 'Use `next` of the previous page, with the same filters and sort.',
  })
}
