import type { StackFilter, StackSort } from '../model/stacks/stack.js'
import type { State } from '../status/status.js'

export interface Paging {
  /** At most 500, default 100. */
  readonly limit?: number
  readonly after?: string | undefined
}

/** Default sort: by name. `after` continues a list with the same sort and filter. */
export interface StackListing extends Paging, Omit<StackFilter, 'follows'> {
  /** Only stacks in one of these states. */
  readonly states?: readonly State[]
  /** Only stacks that continue only after a person acts, or a new revision or another setting is there. */
  readonly needs?: 'person'
  /** Only stacks that follow this channel: `REMOTE#REF`, or `REF` if it is unique. */
  readonly channel?: string
  readonly sort?: StackSort
}

/** The `after` of the next page; null: the items are all there are, fewer than the limit. */
export function nextCursor<Item>(items: readonly Item[], limit: number, cursor: (last: Item) => string): string | null {
  const last = items.at(-1)
  return last === undefined || items.length < limit ? null : cursor(last)
}
