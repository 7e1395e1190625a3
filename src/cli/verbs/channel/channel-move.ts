// How commands name a move of a channel: `12`, `stable@12`, `stable@latest`, or `stable` and `12` or `latest`.
import type { MoveView } from '../../../views/channel.js'
import { maximumListItems, readPages } from '../../client/all-pages.js'
import { moveErrors, usageErrors } from '../../cli-errors.js'
import type { Invocation } from '../../invocation.js'

/** For the help of a command. */
export const moveNote =
  'CHANNEL MOVE: a channel, and the number of one of its moves or `latest`.\n' +
  'One word is enough, too: NUMBER, CHANNEL@NUMBER or CHANNEL@latest. `gitmoor channel log CHANNEL` lists the numbers.'

/** Moves that are searched for the newest one that is not a deletion. */
const movesSearched = 20

/** The number of the move that one or two words name. */
export async function readMove(cli: Invocation, first: string, second: string): Promise<string> {
  if (second !== '') return moveOf(cli, first, second)
  if (/^\d+$/.test(first)) return first
  const [, channel, which] = /^(.+)@(\d+|latest)$/.exec(first) ?? []
  if (channel === undefined || which === undefined) throw usageErrors.noMove(first)
  return moveOf(cli, channel, which)
}

/** Where to pin a channel: the number of a move, or the text as it is. */
export async function readPlace(cli: Invocation, channel: string, place: string): Promise<string> {
  if (place === 'latest') return moveOf(cli, channel, place)
  return /@(\d+|latest)$/.test(place) ? readMove(cli, place, '') : place
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
