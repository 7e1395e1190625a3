// Where a channel shall be pinned: what it is at, a move, or a commit of its remote.
import { followedTip, type Channel, type NamedRefTip } from '../../model/channel.js'
import { Refused } from '../../model/errors.js'
import { isSignedBy } from '../../channel/channel-policy.js'
import { channelName } from './find-channel.js'
import type { Desk } from '../desk.js'
import { vetoedMoveTo } from './same-channels.js'
import { vetoedRefusal } from '../pins/vetoes.js'

const movesAsked = 500

/**
 * `at`: id of a move, or a commit (7 digits of one that it was at, else 40); absent: what stacks are at. Checked: it
 * can be had, is not vetoed, and is signed where it has to be.
 */
export async function pinTarget(
  channel: Channel,
  at: string | undefined,
  desk: Desk,
  signal: AbortSignal,
): Promise<NamedRefTip> {
  const place = at === undefined ? followedTip(channel) : await namedTarget(channel, at, desk)
  if (place === null)
    throw new Refused('conflict', `Nothing of ${channelName(channel)} is released: there is nothing to stay at.`, {
      hint: `Name a commit: gitmoor channel pin ${channelName(channel)} COMMIT --why TEXT`,
    })
  const vetoed = await vetoedMoveTo(channel, place.commit, desk)
  if (vetoed !== undefined) throw vetoedRefusal(vetoed)
  const known = await desk.store.channels.moveTo(channel.remote, channel.ref, place.commit)
  await desk.sync.source.fetch(channel.remote, `sha1:${place.commit}`, signal)
  if (known?.state !== 'released') await refuseUnsigned(channel, place, desk, signal)
  return place
}

async function namedTarget(channel: Channel, at: string, { store }: Desk): Promise<NamedRefTip> {
  const moves = await store.channels.moves(channel.remote, channel.ref, { limit: movesAsked })
  const tips = moves.flatMap(({ id, to, name }) => (to === null ? [] : [{ id, tip: { ...to, name } }]))
  const move = tips.find(({ id }) => id === at)
  if (move !== undefined) return move.tip
  const digits = at.toLowerCase()
  const found = new Map(
    /^[0-9a-f]{7,40}$/.test(digits)
      ? tips.filter(({ tip }) => tip.commit.startsWith(digits)).map(({ tip }) => [tip.commit, tip])
      : [],
  )
  if (found.size === 1) return [...found.values()][0]!
  if (/^[0-9a-f]{40}$/.test(digits)) return { name: digits, commit: digits, object: digits }
  throw new Refused('usage', `${at} is neither a move of ${channelName(channel)} nor a commit that it was at.`, {
    hint: `See its moves: gitmoor channel log ${channelName(channel)}. Another commit is named by all its 40 digits.`,
  })
}

/** A commit that was never released is not trusted because a person names it. */
async function refuseUnsigned(channel: Channel, place: NamedRefTip, desk: Desk, signal: AbortSignal): Promise<void> {
  const { signedBy } = desk.policyOf(channel)
  if (signedBy === undefined) return
  const { name, ...tip } = place
  const { signature } = await desk.sync.tips.describe(channel.remote, { ...tip, ref: name }, signal)
  if (isSignedBy(signature, signedBy)) return
  throw new Refused('needs-approval', `Commit ${place.commit.slice(0, 7)} is not signed by ${signedBy.join(' or ')}.`, {
    code: 'stacks/unsigned',
    hint: 'Pin a commit that was released, or one that is signed.',
  })
}
