// What a veto would do. It is quick: a veto stops runs in progress, so its preview neither waits for them nor plans.
import type { Context } from '../stacks/context.js'
import { viewMove } from '../stacks/queries/view-channel.js'
import type { VetoPreview } from '../views/channel.js'
import { refuseVeto } from './decide-channels.js'
import { findMove } from './find-channel.js'
import { followersOf } from './followers.js'
import { sameChannels } from './same-channels.js'

/** Errors: those of the veto. */
export async function previewVeto(context: Context, id: string): Promise<VetoPreview> {
  const { channels } = context.store
  const move = await findMove(context, id)
  const channel = (await channels.of(move.remote)).get(move.ref)
  if (channel !== undefined) refuseVeto(channel, move)
  const all = [...(channel === undefined ? [] : [channel]), ...(await sameChannels(context, move))]
  const released = all.filter((one) => one.pin === null && one.released?.to?.commit === move.to?.commit)
  const before = released.length === 0 ? null : await channels.releasedBefore(move)
  const followers = await followersOf(context, released)
  return { move: viewMove(move), commit: before?.to?.commit ?? null, stacks: followers.map(({ spec }) => spec.name) }
}
