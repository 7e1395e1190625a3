// Channels: refs that stacks follow, how they moved, and what people decided about them.
import type { Channel } from '../model/sources/channel.js'
import { sourceRef } from '../model/sources/source-spec.js'
import type { Stack } from '../model/stacks/stack.js'
import type { ChannelView, DecisionView, MoveView } from '../views/channel.js'
import type { Page } from '../views/page.js'
import type { Context } from '../stacks/context.js'
import { everyStack } from '../stacks/stacks.js'
import { remoteOf } from '../stacks/load-package/remotes.js'
import { nextCursor, type Paging } from '../stacks/paging.js'
import { policyOf } from '../stacks/status/status-input.js'
import { channelName } from '../model/sources/channel.js'
import { findChannel } from '../stacks/queries/find-channel.js'
import { linksOf } from '../stacks/queries/commit-links.js'
import { viewChannel, viewDecision, viewMove } from '../stacks/queries/view-channel.js'

export async function listChannels(context: Context, { limit = 100, after }: Paging): Promise<Page<ChannelView>> {
  const channels = await context.store.channels.list({ limit, after })
  const followers = await followersByChannel(context)
  const items = channels.map((channel) => viewFollowed(context, channel, followers))
  return { items, next: nextCursor(items, limit, ({ name }) => name) }
}

/** `channel`: undefined: the moves of all. */
export async function listMoves(
  context: Context,
  channel: string | undefined,
  { limit = 100, after }: Paging,
): Promise<Page<MoveView>> {
  const { channels } = context.store
  const found = channel === undefined ? undefined : await findChannel(context, channel)
  const page = { limit, after }
  const moves =
    found === undefined ? await channels.allMoves(page) : await channels.moves(found.remote, found.ref, page)
  return { items: moves.map(viewMove), next: nextCursor(moves, limit, ({ id }) => id) }
}

/** `channel`: undefined: the decisions about all. */
export async function listDecisions(
  context: Context,
  channel: string | undefined,
  { limit = 100, after }: Paging,
): Promise<Page<DecisionView>> {
  const { channels } = context.store
  const found = channel === undefined ? undefined : await findChannel(context, channel)
  const page = { limit, after }
  const decisions =
    found === undefined ? await channels.allDecisions(page) : await channels.decisions(found.remote, found.ref, page)
  return { items: decisions.map(viewDecision), next: nextCursor(decisions, limit, ({ id }) => id) }
}

/** The channel as it is stored now. */
export async function viewStoredChannel(context: Context, { remote, ref }: Channel): Promise<ChannelView> {
  const channel = (await context.store.channels.of(remote)).get(ref)!
  return viewFollowed(context, channel, await followersByChannel(context))
}

function viewFollowed(
  context: Context,
  channel: Channel,
  followers: ReadonlyMap<string, readonly string[]>,
): ChannelView {
  const view = viewChannel(channel, policyOf(context, channel), followers.get(channelName(channel)) ?? [])
  return { ...view, ...linksOf(context, channel.remote) }
}

async function followersByChannel(context: Context): Promise<ReadonlyMap<string, string[]>> {
  const followers = new Map<string, string[]>()
  for await (const stack of everyStack(context.store))
    for (const name of new Set(followedChannels(context, stack))) {
      const names = followers.get(name) ?? []
      names.push(stack.spec.name)
      followers.set(name, names)
    }
  return followers
}

/** Names of the channels that the stack follows. */
export function followedChannels(context: Context, { spec }: Stack): readonly string[] {
  return spec.sources
    .filter(({ kind }) => kind === 'git')
    .map((one) => channelName({ remote: remoteOf(context, one, spec.name), ref: sourceRef(one) }))
}
