// A page of the stacks of a list. The state of a stack depends on its run in progress, its blockers and its channels,
// which the store does not have: with states, the store gives its stacks in their order, and those in another state are
// left out.
import { stackStatus } from '../../status/status.js'
import type { SelectedStack, SelectedStacks } from '../../store/stack-table.js'
import type { Context } from '../context.js'
import type { StackListing } from '../paging.js'
import { statusInput } from '../status/status-input.js'

/** Stacks that are read together. */
const readAtOnce = 500

/** A page is never empty if there is a next one. */
export async function selectStacks(
  context: Context,
  { limit = 100, after, sort, states, ...filter }: StackListing,
): Promise<SelectedStacks> {
  const { store, scheduler } = context
  const query = { sort, filter, liveStatus: scheduler.live }
  if (states === undefined) return store.stacks.select({ ...query, limit, after })
  const found: SelectedStack[] = []
  for (let from = after; ;) {
    const page = await store.stacks.select({ ...query, limit: readAtOnce, after: from })
    for (const one of page.found) {
      if (!states.includes(stackStatus(statusInput(context, one.stack, one.last)).state)) continue
      found.push(one)
      if (found.length === limit) return { found, next: one.cursor }
    }
    if (page.next === null) return { found, next: null }
    from = page.next
  }
}
