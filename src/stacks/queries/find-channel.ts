import { channelName, type Channel, type ChannelMove } from '../../model/sources/channel.js'
import { Refused } from '../../model/errors.js'
import { shellWord } from '../../lib/text/shell-word.js'
import { correction } from '../../settings/did-you-mean.js'
import { normaliseAddress } from '../../settings/source-address.js'
import type { Store } from '../../store/store.js'

interface Stored {
  readonly store: Pick<Store, 'channels'>
}

const page = 500

/** Refs that a wrong name is compared with. */
const mostCompared = 2_000

/** Channels of a repository that an error names. */
const mostNamed = 5

/** The channel of this name: REMOTE#REF, or REF alone where it is unique. Errors: `Refused` not-found, usage. */
export async function findChannel({ store: { channels } }: Stored, name: string): Promise<Channel> {
  const full = canonicalName(name)
  const found: Channel[] = []
  const refs: string[] = []
  const ofRemote: string[] = []
  for await (const channel of everyChannel(channels)) {
    if (channelName(channel) === full || channel.ref === name) found.push(channel)
    if (refs.length < mostCompared) refs.push(channel.ref)
    if (channel.remote === full && ofRemote.length < mostNamed) ofRemote.push(channelName(channel))
  }
  if (found.length === 1) return found[0]!
  if (ofRemote.length > 0)
    throw new Refused('not-found', `${name} is a repository. A channel is one of its refs.`, {
      code: 'channels/unknown',
      hint: `Its channels: ${ofRemote.map(shellWord).join(' ')}`,
    })
  if (found.length === 0)
    throw new Refused('not-found', `No stack ever followed a channel named ${name}.`, {
      code: 'channels/unknown',
      ...correction(name, refs, 'List the channels: gitmoor channel list'),
    })
  throw new Refused('usage', `Several remotes have a channel ${name}.`, {
    hint: `Type the full name in quotes, for example "${channelName(found[0]!)}". All: ${found.map(channelName).join(', ')}`,
  })
}

export async function* everyChannel(channels: Store['channels']): AsyncGenerator<Channel> {
  for (let after: string | undefined; ;) {
    const some = await channels.list({ limit: page, after })
    yield* some
    if (some.length < page) return
    after = channelName(some.at(-1)!)
  }
}

/** REMOTE or REMOTE#REF with the address in the form in which channels are stored; anything else as it is. */
export function canonicalName(name: string): string {
  const [, address = '', ref = ''] = /^([^#]+)(#.*)?$/s.exec(name) ?? []
  try {
    return normaliseAddress(address) + ref
  } catch {
    return name
  }
}

/** Errors: `Refused` not-found. */
export async function findMove({ store: { channels } }: Stored, id: string): Promise<ChannelMove> {
  const move = /^[1-9]\d{0,14}$/.test(id) ? await channels.move(id) : undefined
  if (move !== undefined) return move
  throw new Refused('not-found', `There is no move ${id}.`, {
    code: 'channels/move-unknown',
    hint: 'List the moves of a channel: gitmoor channel log CHANNEL',
  })
}
