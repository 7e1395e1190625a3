// The commit to which a channel is pinned: its released commit, a move, or another commit of its remote.
import { followedTip, tipsBeginning, type Channel, type NamedRefTip } from '../model/sources/channel.js'
import { Refused } from '../model/errors.js'
import { isSignedBy } from '../channel/channel-policy.js'
import { channelName } from '../model/sources/channel.js'
import { refuseVetoed } from './same-channels.js'
import type { Context } from '../stacks/context.js'
import { policyOf } from '../stacks/status/status-input.js'

const movesAsked = 500

/**
 * `at`: the id of a move, or a commit (7 digits if the channel pointed to it, else 40); absent: the released commit.
 * Errors: `Refused`, if the commit is vetoed or not signed; those of fetching it.
 */
export async function pinTarget(
  context: Context,
  channel: Channel,
  at: string | undefined,
  signal: AbortSignal,
): Promise<NamedRefTip> {
  const place = at === undefined ? followedTip(channel) : await namedTarget(context, channel, at)
  if (place === null)
    throw new Refused('conflict', `Cannot pin ${channelName(channel)}: it has no released commit.`, {
      hint: `Name a commit: gitmoor channel pin ${channelName(channel)} COMMIT --why "REASON"`,
    })
  await refuseVetoed(context, channel, place.commit)
  const known = await context.store.channels.moveTo(channel.remote, channel.ref, place.commit)
  await context.sync.source.fetch(channel.remote, `sha1:${place.commit}`, signal)
  if (known?.state !== 'released') await refuseUnsigned(context, channel, place, signal)
  return place
}

async function namedTarget({ store }: Context, channel: Channel, at: string): Promise<NamedRefTip> {
  const moves = await store.channels.moves(channel.remote, channel.ref, { limit: movesAsked })
  const move = moves.find(({ id, to }) => id === at && to !== null)
  if (move !== undefined) return { ...move.to!, name: move.name }
  const digits = at.toLowerCase()
  const found = tipsBeginning(digits, moves)
  if (found.length === 1) return found[0]!
  if (/^[0-9a-f]{40}$/.test(digits)) return { name: digits, commit: digits, object: digits }
  throw new Refused('usage', `${at} is neither a move of ${channelName(channel)} nor one commit that it pointed to.`, {
    hint: `List its moves: gitmoor channel log ${channelName(channel)}. Write another commit with all 40 digits.`,
  })
}

/** A commit that was never released must be signed, even if a person names it. */
async function refuseUnsigned(
  context: Context,
  channel: Channel,
  place: NamedRefTip,
  signal: AbortSignal,
): Promise<void> {
  const { signedBy } = policyOf(context, channel)
  if (signedBy === undefined) return
  const { name, ...tip } = place
  const { signature } = await context.sync.tips.describe(channel.remote, { ...tip, ref: name }, signal)
  if (isSignedBy(signature, signedBy)) return
  throw new Refused('needs-approval', `Commit ${place.commit.slice(0, 7)} is not signed by ${signedBy.join(' or ')}.`, {
    code: 'stacks/unsigned',
    hint: 'Pin a commit that was released, or one that is signed.',
  })
}
