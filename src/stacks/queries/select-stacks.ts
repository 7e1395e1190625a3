// A page of the stacks of a list. The state of a stack, and whether it needs a person, depend on its run in progress,
// its blockers, its channels and other stacks, which the status table does not have. With such a filter, the store
// gives the stacks of which it may be true, in their order; those of which it is not are left out here.
import { stateOf } from '../../status/status.js'
import type { SelectedStack, SelectedStacks, LiveStacks } from '../../store/stack-table.js'
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
  const stored = { states, needsPerson: needs && true, live: liveStacks(context) }
  const found: SelectedStack[] = []
  const reads = sharedReads(context)
  let several = Math.min(limit, readAtOnce) // most of them are listed
  for (let from = after; ; several = readAtOnce) {
    const page = await store.stacks.select({ ...query, stored, limit: several, after: from })
    for (const one of page.found) {
      const input = statusInput(context, one.stack, one.last)
      if (states?.includes(stateOf(input)) === false) continue
      if (needs !== undefined && !needsPerson(input) && !(await awaitsBroken(input, reads))) continue
      found.push(one)
      if (found.length === limit) return { found, next: one.cursor }
    }
    if (page.next === null) return { found, next: null }
    from = page.next
  }
}

/** Without the configuration file, gitmoor may do nothing for stacks that it or a fleet declares. */
function liveStacks({ sync, scheduler, configuration }: Context): LiveStacks {
  const { channels, polls } = scheduler
  const followers = [...channels.blockedRemotes].map((remote) => [...(polls.followers.get(remote) ?? [])])
  return {
    stacks: followers.flat(),
    exceptTargets: sync.targets.names,
    exceptManagedBy: configuration().file === null ? 'api' : undefined,
  }
}
