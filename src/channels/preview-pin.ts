// What a pin would do: the commit of its followers, and their plans there.
import { channelName } from '../model/sources/channel.js'
import type { Context } from '../stacks/context.js'
import type { PinPreview } from '../views/channel.js'
import { findChannel } from './find-channel.js'
import { followersOf, planFollowers } from './followers.js'
import { pinTarget } from './pin-target.js'

/** `plans`: plans the stacks that follow the channel. Errors: those of the pin. */
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
