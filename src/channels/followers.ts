// The stacks that follow channels, and their plans at another commit of them.
import { channelName, type Channel } from '../model/sources/channel.js'
import type { Stack } from '../model/stacks/stack.js'
import type { Context } from '../stacks/context.js'
import { previewCommit } from '../stacks/plans/preview.js'
import { everyStack } from '../stacks/stacks.js'
import type { StackPlanView } from '../views/channel.js'
import { followedChannels } from './channels.js'

/** The stacks that follow one of these channels. */
export async function followersOf(context: Context, channels: readonly Channel[]): Promise<readonly Stack[]> {
  const followed = new Set(channels.map(channelName))
  const found: Stack[] = []
  for await (const stack of everyStack(context.store))
    if (followedChannels(context, stack).some((name) => followed.has(name))) found.push(stack)
  return found
}

/** The most stacks that a preview plans. */
const mostPlanned = 10

/** The plans of the first stacks if these channels were at the commit. */
export async function planFollowers(
  context: Context,
  followers: readonly Stack[],
  { channels, commit }: { readonly channels: readonly Channel[]; readonly commit: string },
  signal: AbortSignal,
): Promise<readonly StackPlanView[]> {
  const plans: StackPlanView[] = []
  for (const stack of followers.slice(0, mostPlanned)) {
    const planned = await previewCommit(context, stack, { channels: channels.map(channelName), commit }, signal)
    plans.push({ stack: stack.spec.name, ...planned })
  }
  return plans
}
