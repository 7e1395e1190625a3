import type { Channel, ChannelMove } from '../../model/channel.js'
import type { Desk } from '../desk.js'

/** The other channels of the same ref of the same repository, whatever the spelling of the ref and of the address. */
export async function sameChannels({ remote, ref, name }: ChannelMove, desk: Desk): Promise<readonly Channel[]> {
  const remotes = [remote, ...desk.dispatch.channels.otherAddresses(remote)]
  const channels = await Promise.all(remotes.map((one) => desk.store.channels.of(one)))
  return channels
    .flatMap((some) => [...some.values()])
    .filter((one) => one.move?.name === name && !(one.remote === remote && one.ref === ref))
}

/** The vetoed move of this ref to a commit, whatever the spelling of the ref and of the address. */
export async function vetoedMoveTo(channel: Channel, commit: string, desk: Desk): Promise<ChannelMove | undefined> {
  const others = channel.move === null ? [] : await sameChannels(channel.move, desk)
  for (const { remote, ref } of [channel, ...others]) {
    const known = await desk.store.channels.moveTo(remote, ref, commit)
    if (known?.state === 'vetoed') return known
  }
  return undefined
}
