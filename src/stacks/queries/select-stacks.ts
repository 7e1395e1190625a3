// A page of the stacks of a list. The state of a stack, and whether it needs a person, depend on its run in progress,
// its blockers, its channels and other stacks, which the status table does not have. The states that the process knows
// are given to the store. With `needs`, the store gives the stacks of which it may be true, in their order; those of
// which it is not are left out here.
import type { FollowedRef } from '../../model/stacks/stack.js'
import type { SelectedStack, SelectedStacks, StackQuery } from '../../store/stack-table.js'
import { findChannel } from './find-channel.js'
import type { Context } from '../context.js'
import { remoteOf } from '../load-package/remotes.js'
import type { StackListing } from '../paging.js'
import { needsPerson } from '../../status/axes.js'
import { awaitsBroken, sharedReads } from '../status/awaited-stacks.js'
import { liveRows, liveStacks, statesOf } from '../status/row-states.js'
import { statusInput } from '../status/status-input.js'

/** Stacks that are read together. */
const readAtOnce = 500

/** A page is never empty if there is a next one. `total` is null with `needs`. Errors: those of `findChannel`. */
export async function selectStacks(
  context: Context,
  { limit = 100, after, sort, states, needs, channel, ...filter }: StackListing,
): Promise<SelectedStacks> {
  const { store, scheduler } = context
  const follows = channel === undefined ? {} : { follows: await followedRef(context, channel) }
  const needsStates = states !== undefined || sort?.endsWith('needs') === true
  const stored = {
    live: liveStacks(context),
    states,
    needsPerson: needs && true,
    ...(needsStates ? { liveStates: statesOf(await liveRows(context)) } : {}),
  }
  const query: StackQuery = { limit, sort, filter: { ...filter, ...follows }, liveStatus: scheduler.live, stored }
  if (needs === undefined) return store.stacks.select({ ...query, counted: true, after })
  return selectBlocked(context, { ...query, after })
}

/** Those that continue only after a person acts, and those that wait for such a stack. */
async function selectBlocked(context: Context, { limit, after, ...query }: StackQuery): Promise<SelectedStacks> {
  const found: SelectedStack[] = []
  const reads = sharedReads(context)
  let several = Math.min(limit, readAtOnce) // most of them are listed
  for (let from = after; ; several = readAtOnce) {
    const page = await context.store.stacks.select({ ...query, limit: several, after: from })
    for (const one of page.found) {
      const input = statusInput(context, one.stack, one.last)
      if (!needsPerson(input) && !(await awaitsBroken(input, reads))) continue
      found.push(one)
      if (found.length === limit) return { found, next: one.cursor, total: null }
    }
    if (page.next === null) return { found, next: null, total: null }
    from = page.next
  }
}

/** The ref of a channel, under each address with which stacks declare its repository. */
async function followedRef(context: Context, channel: string): Promise<FollowedRef> {
  const { remote, ref } = await findChannel(context, channel)
  const urls = await context.store.stacks.gitUrls(ref)
  const source = (url: string): Parameters<typeof remoteOf>[1] => ({ kind: 'git', url, ref, path: '' })
  return { ref, urls: urls.filter((url) => remoteOf(context, source(url), '') === remote) }
}
