// How commands name a channel (`stable`, `./boards#stable`) and a move of it: `12`, `stable@12`, `stable@latest`, or
// `stable` and `12` or `latest`.
import { shellWord } from '../../../lib/text/shell-word.js'
import type { ChannelView, MoveView } from '../../../views/channel.js'
import { maximumListItems, readPages } from '../../client/all-pages.js'
import type { UsageError } from '../../errors/cli-error.js'
import { moveErrors } from '../../errors/selection-errors.js'
import { usageErrors } from '../../errors/usage-errors.js'
import type { Invocation } from '../../invocation.js'
import { repositoryAddress } from '../stack/stack-options.js'

/** For the help of a command. */
export const moveNote =
  'CHANNEL MOVE: a channel, and the number of one of its moves or `latest`.\n' +
  'One word is enough, too: NUMBER, CHANNEL@NUMBER or CHANNEL@latest. `gitmoor channel log CHANNEL` lists the numbers.'

/** `stable@12` */
const ofChannel = /^(.+)@(\d+|latest)$/

/** Moves that are searched for the newest one that is not a deletion. */
const movesSearched = 20

/**
 * A channel as the agent has it. Its repository may be named as in `--repo`: a local directory becomes a `file:` URL. A
 * ref alone stays.
 */
export async function channelAddress(channel: string, cwd: string): Promise<string> {
  const [, repo, ref = ''] = /^([^#]+)(#.*)?$/s.exec(channel) ?? []
  const hasRepository = ref !== '' || /^\.{0,2}\//.test(channel)
  if (repo === undefined || !hasRepository) return channel
  return (await repositoryAddress(repo, cwd)) + ref
}

/** The number of the move that one or two words name. `commandFor`: the same command for another channel and move. */
export async function readMove(
  cli: Invocation,
  [first, second = '']: readonly [first: string, second?: string],
  commandFor: (words: string) => string,
): Promise<string> {
  const word = await channelAddress(first, cli.cwd)
  if (second !== '') return moveOf(cli, word, second)
  if (/^\d+$/.test(word)) return word
  const [, channel, which] = ofChannel.exec(word) ?? []
  if (channel === undefined || which === undefined) throw await noMove(cli, word, commandFor)
  return moveOf(cli, channel, which)
}

/** `word`: a channel without a move, or `latest` without a channel. */
async function noMove(cli: Invocation, word: string, commandFor: (words: string) => string): Promise<UsageError> {
  const latestOf = (channel: string): string => commandFor(`${channel} latest`)
  if (word !== 'latest') {
    await cli.client.request('GET', '/api/v1/channels/moves', { query: { channel: word, limit: 1 } }) // that it exists
    return usageErrors.noMove(word, latestOf(shellWord(word)))
  }
  const { items } = await readPages<ChannelView>(cli.client, '/api/v1/channels', {}, maximumListItems)
  if (items.some(({ ref }) => ref === word)) return usageErrors.noMove(word, latestOf(word))
  const only = items.length === 1 ? items[0] : undefined
  return usageErrors.noChannel(latestOf(only === undefined ? 'CHANNEL' : shellWord(only.ref)), only !== undefined)
}

/** Where to pin a channel: the number of a move, or the text as it is. */
export async function readPlace(cli: Invocation, channel: string, place: string): Promise<string> {
  if (place === 'latest') return moveOf(cli, channel, place)
  const [, of, which] = ofChannel.exec(await channelAddress(place, cli.cwd)) ?? []
  return of === undefined || which === undefined ? place : moveOf(cli, of, which)
}

/** `which`: `latest`, or the number of a move of this channel. */
async function moveOf(cli: Invocation, channel: string, which: string): Promise<string> {
  const isLatest = which === 'latest'
  if (!isLatest && !/^[1-9]\d{0,14}$/.test(which)) throw moveErrors.noSuchMove(channel, which)
  const most = isLatest ? movesSearched : maximumListItems
  const { items } = await readPages<MoveView>(cli.client, '/api/v1/channels/moves', { channel }, most)
  const found = items.find(({ id, to }) => (isLatest ? to !== null : id === which))
  if (found === undefined) throw moveErrors.noSuchMove(channel, which)
  return found.id
}
