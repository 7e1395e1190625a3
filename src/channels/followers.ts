// The stacks that follow channels, and their plans at another commit of them.
import { Semaphore } from '../lib/async/semaphore.js'
import { withoutUndefined } from '../lib/without-undefined.js'
import { channelName, type Channel, type ChannelMove } from '../model/sources/channel.js'
import type { Stack } from '../model/stacks/stack.js'
import { directoryFleetOf } from '../model/stacks/stack-owner.js'
import type { Context } from '../stacks/context.js'
import { previewCommit } from '../stacks/plans/preview.js'
import { everyStack } from '../stacks/stacks.js'
import type { PlannedStackView, StackPlanView } from '../views/channel.js'
import { followedChannels } from './channels.js'
import { sameChannels } from './same-channels.js'

/** The stacks that follow one of these channels. */
export async function followersOf(context: Context, channels: readonly Channel[]): Promise<readonly Stack[]> {
  const followed = new Set(channels.map(channelName))
  const found: Stack[] = []
  for await (const stack of everyStack(context.store))
    if (followedChannels(context, stack).some((name) => followed.has(name))) found.push(stack)
  return found
}

/** The stacks at the commit of a move, and what a veto makes them go back to. null: no commit was released before. */
export async function vetoEffect(
  context: Context,
  move: ChannelMove,
): Promise<{ readonly commit: string | null; readonly stacks: readonly string[] }> {
  const { channels } = context.store
  const own = (await channels.of(move.remote)).get(move.ref)
  const all = [...(own === undefined ? [] : [own]), ...(await sameChannels(context, move))]
  const released = all.filter((one) => one.pin === null && one.released?.to?.commit === move.to?.commit)
  const before = released.length === 0 ? null : await channels.releasedBefore(move)
  const followers = await followersOf(context, released)
  return { commit: before?.to?.commit ?? null, stacks: followers.map(({ spec }) => spec.name) }
}

/** The most stacks that a preview plans. */
const mostPlanned = 100

/** The most stacks whose plans a preview has. Of the others it only has why one cannot be planned. */
const mostShown = 10

const plannedAtOnce = 4

/** The plans of the stacks if these channels were at the commit. */
export async function planFollowers(
  context: Context,
  followers: readonly Stack[],
  { channels, commit }: { readonly channels: readonly Channel[]; readonly commit: string },
  signal: AbortSignal,
): Promise<readonly StackPlanView[]> {
  return planStacks(context, followers.slice(0, mostPlanned), { channels, commit, most: mostShown }, signal)
}

/** Plans these stacks. `most`: how many of the plans are kept; default: all. */
export async function planStacks(
  context: Context,
  stacks: readonly Stack[],
  {
    channels,
    commit,
    most = stacks.length,
  }: { readonly channels: readonly Channel[]; readonly commit: string; readonly most?: number },
  signal: AbortSignal,
): Promise<readonly PlannedStackView[]> {
  const at = { channels: channels.map(channelName), commit }
  const planning = new Semaphore(plannedAtOnce)
  const planned = stacks.map(async (stack, index): Promise<PlannedStackView> => {
    const { plan, error } = await planning.run(() => previewCommit(context, stack, at, signal))
    const fleet = error?.code === 'source/path-missing' ? directoryFleetOf(stack) : undefined
    const found = fleet === undefined ? { plan: index < most ? plan : undefined, error } : { leaves: fleet }
    return { stack: stack.spec.name, ...withoutUndefined(found) }
  })
  return Promise.all(planned)
}
