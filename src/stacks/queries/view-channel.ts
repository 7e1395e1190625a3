// Channels, moves and decisions as views.
import { isoTime } from '../../lib/text/time-text.js'
import type { Channel, ChannelMove, ChannelDecision, Authored, RefTipFacts } from '../../model/sources/channel.js'
import { readVersionRange } from '../../model/sources/ref.js'
import { printInterval } from '../../settings/schema/interval.js'
import type { ChannelPolicy } from '../../channel/channel-policy.js'
import { channelBlocker } from '../../channel/blocked-move.js'
import { channelName } from '../../model/sources/channel.js'
import { timeOrNull, viewBlocker } from './view-stack.js'
import type { ChannelView, DecisionView, MoveView, PolicyView } from '../../views/channel.js'
import type { AuthoredView, CommitView } from '../../views/commit.js'

/** `stacks`: names of its followers. */
export function viewChannel(channel: Channel, policy: ChannelPolicy, stacks: readonly string[]): ChannelView {
  const { remote, ref, tip, seenAt, move, released, pin } = channel
  const blocker = channelBlocker(channel, policy)
  return {
    name: channelName(channel),
    remote,
    ref,
    kind: refKind(channel),
    commit: tip?.commit ?? null,
    tag: tip?.tag ?? null,
    stacks,
    observedAt: isoTime(seenAt),
    released: released === null ? null : viewMove(released),
    newest: move === null ? null : viewMove(move),
    pin: pin && { commit: pin.commit, by: pin.by, why: pin.why, at: isoTime(pin.at) },
    policy: viewPolicy(policy),
    blocker: blocker === undefined ? null : viewBlocker(blocker),
  }
}

function refKind({ ref, move, released }: Channel): ChannelView['kind'] {
  if (readVersionRange(ref) !== undefined) return 'range'
  const { name } = move ?? released ?? { name: '' }
  return name.startsWith('refs/tags/') ? 'tag' : name.startsWith('refs/heads/') ? 'branch' : null
}

export function viewMove(move: ChannelMove): MoveView {
  const {
    id,
    remote,
    ref,
    from,
    to,
    seenAt,
    detectedBy,
    state,
    blockedBy,
    until,
    direction,
    releasedAt,
    decision,
    facts,
  } = move
  return {
    id,
    channel: channelName({ remote, ref }),
    from,
    to,
    observedAt: isoTime(seenAt),
    detectedBy,
    state,
    blockedBy,
    until: timeOrNull(until),
    direction,
    releasedAt: timeOrNull(releasedAt),
    decision: decision && { ...decision, at: isoTime(decision.at) },
    facts: facts && viewFacts(facts),
  }
}

export function viewDecision({ remote, ref, at, ...rest }: ChannelDecision): DecisionView {
  return { ...rest, channel: channelName({ remote, ref }), at: isoTime(at) }
}

function viewPolicy({ moves, minAgeMs, movesPerHour, signedBy }: ChannelPolicy): PolicyView {
  return { moves, minAge: printInterval(minAgeMs), movesPerHour: movesPerHour ?? null, signedBy: signedBy ?? null }
}

function viewFacts({ tag, commit, signature }: RefTipFacts): NonNullable<MoveView['facts']> {
  return { tag: tag && { ...viewAuthored(tag), tag: tag.tag }, commit: viewAuthored(commit), signature }
}

/** A commit of a history. */
export function viewCommit({ id, ...rest }: Authored & { readonly id: string }): CommitView {
  return { id, ...viewAuthored(rest) }
}

function viewAuthored({ name, email, at, message }: Authored): AuthoredView {
  return { name, email, at: timeOrNull(at), message }
}
