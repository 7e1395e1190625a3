// What a decision about a channel would do. Decides nothing.
import { channelBlocker } from '../channel/blocked-move.js'
import { refusedBy } from '../channel/channel-policy.js'
import { unpinChannel as withoutPin } from '../channel/decide-channel.js'
import { channelName, followedTip, type Channel, type ChannelMove } from '../model/sources/channel.js'
import type { Context } from '../stacks/context.js'
import type { ApprovalPreview, PinPreview, UnpinPreview, VetoPreview } from '../views/channel.js'
import { findChannel, findMove } from '../stacks/queries/find-channel.js'
import { followersOf, planFollowers, vetoEffect } from './followers.js'
import { pinTarget } from './pin-target.js'
import { sameChannels } from './same-channels.js'
import { viewBlocker } from '../stacks/queries/view-stack.js'
import { viewMove } from '../stacks/queries/view-channel.js'
import { policyOf } from '../stacks/status/status-input.js'
import { refuseApproval, refuseRefused, refuseUnpinned, refuseVeto, sameVeto } from './decide-channels.js'

/** Where the followers of a pinned channel stay. `plans`: plans them there. Errors: those of the pin. */
export async function previewPin(
  context: Context,
  name: string,
  { at, plans }: { readonly at?: string; readonly plans: boolean },
  signal: AbortSignal,
): Promise<PinPreview> {
  const channel = await findChannel(context, name)
  const { commit } = await pinTarget(context, channel, at, signal)
  const followers = await followersOf(context, [channel])
  const preview = { channel: channelName(channel), commit, stacks: followers.map(({ spec }) => spec.name) }
  if (!plans) return preview
  return { ...preview, plans: await planFollowers(context, followers, { channels: [channel], commit }, signal) }
}

/** What the stacks of a pinned channel would follow. Errors: those of the end of the pin. */
export async function previewUnpin(context: Context, name: string, signal: AbortSignal): Promise<UnpinPreview> {
  const channel = await findChannel(context, name)
  const { commit: pinned } = refuseUnpinned(channel)
  const now = context.clock.now()
  const decided = withoutPin(channel, { kind: 'unpin', by: '', why: '', at: now })
  const after = await context.scheduler.channels.after(decided, signal)
  const blocker = channelBlocker(after, policyOf(context, after))
  const followers = await followersOf(context, [channel])
  return {
    channel: channelName(channel),
    pinned,
    commit: after.tip === null ? null : (followedTip(after)?.commit ?? null),
    stacks: followers.map(({ spec }) => spec.name),
    blocker: blocker === undefined ? null : viewBlocker(blocker),
  }
}

/**
 * Which stacks a veto moves back, and to which commit. A veto stops runs in progress at once, so its preview neither
 * waits for them nor plans. Errors: those of the veto.
 */
export async function previewVeto(context: Context, id: string): Promise<VetoPreview> {
  const move = await findMove(context, id)
  const channel = (await context.store.channels.of(move.remote)).get(move.ref)
  if (channel !== undefined) refuseVeto(channel, move)
  return { move: viewMove(move), ...(await vetoEffect(context, move)) }
}

/**
 * Which stacks an approval moves to the commit of the move. `plans`: plans them there. Errors: those of the approval;
 * those of reading the facts that a policy needs about a vetoed move.
 */
export async function previewApproval(
  context: Context,
  id: string,
  { plans }: { readonly plans: boolean },
  signal: AbortSignal,
): Promise<ApprovalPreview> {
  const move = await findMove(context, id)
  const channels = await approvedChannels(context, move, signal)
  const followers = await followersOf(context, channels)
  const preview = { move: viewMove(move), stacks: followers.map(({ spec }) => spec.name) }
  if (!plans || move.to === null) return preview
  return { ...preview, plans: await planFollowers(context, followers, { channels, commit: move.to.commit }, signal) }
}

/** The channels that an approval of the move releases. A deleted ref releases nothing. */
async function approvedChannels(context: Context, move: ChannelMove, signal: AbortSignal): Promise<readonly Channel[]> {
  const own = (await context.store.channels.of(move.remote)).get(move.ref)
  if (own === undefined) return []
  refuseApproval(context, own, move)
  if (own.tip === null) return []
  if (move.state !== 'vetoed') return [own]
  await refusePolicy(context, own, move, signal)
  const others = await sameChannels(context, move)
  const ended = others.filter((one) => one.pin === null && one.tip !== null && sameVeto(one, move.to) !== undefined)
  return [own, ...ended]
}

/** A vetoed move is judged only when its veto ends. The package of a commit that must be signed is not read before. */
async function refusePolicy(context: Context, channel: Channel, move: ChannelMove, signal: AbortSignal): Promise<void> {
  const judged = await withPolicyFacts(context, channel, move, signal)
  const blockedBy = refusedBy(policyOf(context, channel), channel, judged)
  if (blockedBy === undefined) return
  refuseRefused(context, { ...channel, move: { ...judged, state: 'refused', blockedBy } }, move)
}

/** The move with the facts that its policy needs, as they are now. */
async function withPolicyFacts(
  context: Context,
  channel: Channel,
  move: ChannelMove,
  signal: AbortSignal,
): Promise<ChannelMove> {
  const { remote, to, name } = move
  const { tips } = context.sync
  if (to === null) return move
  const { moves, signedBy } = policyOf(context, channel)
  const from = channel.released?.to?.commit
  const facts = signedBy === undefined ? move.facts : await tips.describe(remote, { ...to, ref: name }, signal)
  if (moves !== 'forward-only' || from === undefined || from === to.commit) return { ...move, facts }
  return { ...move, facts, direction: await tips.direction(remote, { from, to: to.commit }, signal) }
}
