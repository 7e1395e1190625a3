// A page of the stacks of a list. The state of a stack, and whether it needs a person, depend on its run in progress,
// its blockers, its channels and other stacks, which the status table does not have: with such a filter, the store
// gives its stacks in their order, and the others are left out.
import { stackStatus } from '../../status/status.js'
import type { SelectedStack, SelectedStacks } from '../../store/stack-table.js'
import type { Context } from '../context.js'
import type { StackListing } from '../paging.js'
import { needsPerson } from '../../status/axes.js'
import { awaitsBroken, sharedReads } from '../status/awaited-stacks.js'
import { statusInput } from '../status/status-input.js'

/** Stacks that are read together. */
const readAtOnce = 500

/** A page is never empty if there is a next one. */
export async function selectStacks(
  context: Context,
  { limit = 100, after, sort, states, needs, ...filter }: StackListing,
): Promise<SelectedStacks> {
  const { store, scheduler } = context
  const query = { sort, filter, liveStatus: scheduler.live }
  if (states === undefined && needs === undefined) return store.stacks.select({ ...query, limit, after })
  const found: SelectedStack[] = []
  const reads = sharedReads(context)
  for (let from = after; ;) {
    const page = await store.stacks.select({ ...query, limit: readAtOnce, after: from })
    for (const one of page.found) {
      const input = statusInput(context, one.stack, one.last)
      if (states?.includes(stackStatus(input).state) === false) continue
      if (needs !== undefined && !needsPerson(input) && !(await awaitsBroken(input, reads))) continue
      found.push(one)
      if (found.length === limit) return { found, next: one.cursor }
    }
    if (page.next === null) return { found, next: null }
    from = page.next
  }
}
