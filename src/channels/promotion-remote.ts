// Which repository a promotion is about: the one whose channels have both names.
import { Refused } from '../model/errors.js'
import { shellWord } from '../lib/text/shell-word.js'
import type { Channel } from '../model/sources/channel.js'
import type { Context } from '../stacks/context.js'
import { canonicalName, everyChannel } from '../stacks/queries/find-channel.js'

interface Names {
  readonly from: string
  readonly to: string
}

/** Repositories that an error names. */
const mostNamed = 5

/**
 * A full name (REMOTE#REF) names it. Otherwise it has the channel TO; if several have it, also FROM, as a channel or as
 * the commit of one. Errors: `Refused` not-found; usage, if several have both.
 */
export async function promotionRemote(context: Context, names: Names): Promise<string> {
  const { to, from } = await remotesByName(context, names)
  const isFull = names.from.includes('#') && !names.to.includes('#')
  const [first, second] = isFull && from.size > 0 ? [from, to] : [to, from]
  const both = [...first].filter((remote) => second.has(remote))
  const [all] = [first.size === 1 ? [...first] : both, [...first], [...second]].filter(({ length }) => length > 0)
  if (all === undefined) throw unknownRemote(names)
  if (all.length === 1) return all[0]!
  throw severalRemotes(names, all)
}

/** The remotes that have these names. */
async function remotesByName(
  { store: { channels } }: Context,
  { from, to }: Names,
): Promise<{ readonly from: ReadonlySet<string>; readonly to: ReadonlySet<string> }> {
  const remotes = { from: new Set<string>(), to: new Set<string>() }
  for await (const channel of everyChannel(channels)) {
    if (isNamed(channel, from)) remotes.from.add(channel.remote)
    if (isNamed(channel, to)) remotes.to.add(channel.remote)
  }
  return remotes
}

function isNamed(channel: Channel, name: string): boolean {
  const { remote, ref, tip, released } = channel
  if (canonicalName(name).startsWith(`${remote}#`)) return true
  return [ref, tip?.commit, released?.to?.commit].includes(name) || ref === `refs/tags/${name}`
}

function unknownRemote({ from, to }: Names): Refused {
  return new Refused(
    'not-found',
    `Neither ${from} nor ${to} is a channel that stacks follow, so the repository is unknown.`,
    { code: 'channels/unknown', hint: 'List the channels: gitmoor channel list' },
  )
}

function severalRemotes({ from, to }: Names, remotes: readonly string[]): Refused {
  const commands = remotes
    .slice(0, mostNamed)
    .map((remote) => `gitmoor channel promote ${shellWord(from)} ${shellWord(`${remote}#${to}`)} --why "REASON"`)
  return new Refused('usage', `Several repositories have the channels: ${remotes.join(', ')}.`, {
    hint: commands.map((one) => `Name the repository: ${one}`).join('\n'),
  })
}
