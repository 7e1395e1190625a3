import { channelName, type Channel, type ChannelMove } from '../model/sources/channel.js'
import { Refused } from '../model/errors.js'
import { didYouMean } from '../settings/did-you-mean.js'
import type { Store } from '../store/store.js'

interface Stored {
  readonly store: Pick<Store, 'channels'>
}

const page = 500

/** Refs that a wrong name is compared with. */
const mostCompared = 2_000

/** The channel of this name: REMOTE#REF, or REF alone where it is unique. Errors: `Refused` not-found, usage. */
export async function findChannel({ store: { channels } }: Stored, name: string): Promise<Channel> {
  const found: Channel[] = []
  const refs: string[] = []
  for (let after: string | undefined; ;) {
    const some = await channels.list({ limit: page, after })
    found.push(...some.filter((channel) => channelName(channel) === name || channel.ref === name))
    if (refs.length < mostCompared) refs.push(...some.map(({ ref }) => ref))
    if (some.length < page) break
    after = channelName(some.at(-1)!)
  }
  if (found.length === 1) return found[0]!
  if (found.length === 0)
    throw new Refused('not-found', `No stack ever followed a channel named ${name}.`, {
      hint: didYouMean(name, refs) ?? 'List the channels: gitmoor channel list',
    })
  throw new Refused('usage', `Several remotes have a channel ${name}.`, {
    hint: `Type the full name in quotes, for example "${channelName(found[0]!)}". All: ${found.map(channelName).join(', ')}`,
  })
}

/** Errors: `Refused` not-found. */
export async function findMove({ store: { channels } }: Stored, id: string): Promise<ChannelMove> {
  const move = /^[1-9]\d{0,14}$/.test(id) ? await channels.move(id) : undefined
  if (move !== undefined) return move
  throw new Refused('not-found', `There is no move ${id}.`, {
    hint: 'List the moves of a channel: gitmoor channel log CHANNEL',
  })
}
