import type { Channel, ChannelMove } from '../model/sources/channel.js'
import type { Context } from '../stacks/context.js'
import { vetoedRefusal } from '../stacks/pins/vetoes.js'

/** The other channels of the same ref of the same repository, under other names of the ref and other addresses. */
export async function sameChannels(context: Context, { remote, ref, name }: ChannelMove): Promise<readonly Channel[]> {
  const remotes = [remote, ...context.scheduler.channels.otherAddresses(remote)]
  const channels = await Promise.all(remotes.map((one) => context.store.channels.of(one)))
  return channels
    .flatMap((some) => [...some.values()])
    .filter((one) => one.move?.name === name && !(one.remote === remote && one.ref === ref))
}

/** Errors: `Refused`, if this ref's move to the commit was vetoed, under any name of the ref and any address. */
export async function refuseVetoed(context: Context, channel: Channel, commit: string): Promise<void> {
  const others = channel.move === null ? [] : await sameChannels(context, channel.move)
  for (const { remote, ref } of [channel, ...others]) {
    const known = await context.store.channels.moveTo(remote, ref, commit)
    if (known?.state === 'vetoed') throw vetoedRefusal(known)
  }
}
