// How people and command lines name a channel, if several repositories have a ref of the same name.
import { repositoryName, shellWord } from '../lib/text.js'
import type { ChannelView } from './types.js'

type NamedChannel = Pick<ChannelView, 'name' | 'ref' | 'remote'>

/** As many as the page reads: there may be more. */
const mostChannels = 100

const sameRef = ({ ref }: NamedChannel, all: readonly NamedChannel[]): readonly NamedChannel[] =>
  all.filter((one) => one.ref === ref)

/** Which repository the ref is in, if another one has a ref of this name: short, or its address; else undefined. */
export function repositoryOf(channel: NamedChannel, all: readonly NamedChannel[]): string | undefined {
  const same = sameRef(channel, all)
  if (same.length < 2) return undefined
  const repository = repositoryName(channel.remote)
  return same.filter(({ remote }) => repositoryName(remote) === repository).length > 1 ? channel.remote : repository
}

/** `stable`, or `stable of fleet`. */
export function channelLabel(channel: NamedChannel, all: readonly NamedChannel[]): string {
  const repository = repositoryOf(channel, all)
  return repository === undefined ? channel.ref : `${channel.ref} of ${repository}`
}

/** The word of a command line: the ref, or the full name if the ref is not unique. */
export function channelWord(channel: NamedChannel, all: readonly NamedChannel[]): string {
  const isUnique = all.length < mostChannels && sameRef(channel, all).length < 2
  return shellWord(isUnique ? channel.ref : channel.name)
}
