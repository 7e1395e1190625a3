// What a decision about a channel would do. Decides nothing.
import { channelName } from '../model/sources/channel.js'
import type { Context } from '../stacks/context.js'
import type { PinPreview, VetoPreview } from '../views/channel.js'
import { findChannel, findMove } from './find-channel.js'
import { followersOf, planFollowers, vetoEffect } from './followers.js'
import { pinTarget } from './pin-target.js'
import { viewMove } from '../stacks/queries/view-channel.js'
import { refuseVeto } from './decide-channels.js'

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
