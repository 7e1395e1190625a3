import type { ChannelChange } from '../../src/model/sources/channel.js'
import { releaseAtOnce } from '../../src/channel/channel-policy.js'
import { newChannel, nextChannel } from '../../src/channel/channel.js'
import type { Store } from '../../src/store/store.js'

/** The change to store if a poll finds a channel at a commit. */
export async function movedTo(
  { channels }: Pick<Store, 'channels'>,
  { remote, ref }: { readonly remote: string; readonly ref: string },
  commit: string,
  now: number,
): Promise<ChannelChange> {
  const before = (await channels.of(remote)).get(ref) ?? newChannel(remote, ref)
  const tip = { commit, object: commit, name: `refs/heads/${ref}` }
  const next = nextChannel(before, { tip, detectedBy: 'poll' }, releaseAtOnce, now)
  if ('needs' in next) throw new Error(`A free policy asks for ${next.needs}.`)
  return next
}
