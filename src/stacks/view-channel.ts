// Nouns of channels as the doors show them.
import type { Channel, ChannelMove, DecisionRow } from '../model/channel.js'
import type { Authored, TipFacts } from '../model/tip-facts.js'
import { printInterval } from '../settings/interval.js'
import type { ChannelPolicy } from '../source/channel/channel-policy.js'
import { holdOfChannel } from './channel-holds.js'
import { nameOf } from './channel-names.js'
import { time, timeOrNull } from './view-stack.js'
import type { AuthoredView, ChannelView, DecisionView, MoveView, PolicyView } from './channel-views.js'

/** `stacks`: names of those that follow it. */
export function viewChannel(channel: Channel, policy: ChannelPolicy, stacks: readonly string[]): ChannelView {
  const { remote, ref, tip, seenAt, move, released, pin } = channel
  return {
    name: nameOf(channel),
    remote,
    ref,
    commit: tip?.commit ?? null,
    tag: tip?.tag ?? null,
    stacks,
    seenAt: time(seenAt),
    released: released === null ? null : viewMove(released),
    newest: move === null ? null : viewMove(move),
    pin: pin && { commit: pin.commit, by: pin.by, why: pin.why, at: time(pin.at) },
    policy: viewPolicy(policy),
    hold: holdOfChannel(channel, policy) ?? null,
  }
}

export function viewMove(move: ChannelMove): MoveView {
  const { id, remote, ref, from, to, seenAt, learnt, state, why, until, forward, releasedAt, decision, facts } = move
  return {
    id,
    channel: nameOf({ remote, ref }),
    from,
    to,
    seenAt: time(seenAt),
    learnt,
    state,
    why,
    until: timeOrNull(until),
    forward,
    releasedAt: timeOrNull(releasedAt),
    decision: decision && { ...decision, at: time(decision.at) },
    facts: facts && viewFacts(facts),
  }
}

export function viewDecision({ at, ...rest }: DecisionRow): DecisionView {
  return { ...rest, at: time(at) }
}

function viewPolicy({ moves, minAgeMs, movesPerHour, signedBy }: ChannelPolicy): PolicyView {
  return { moves, minAge: printInterval(minAgeMs), movesPerHour: movesPerHour ?? null, signedBy: signedBy ?? null }
}

function viewFacts({ tag, commit, signature }: TipFacts): NonNullable<MoveView['facts']> {
  return { tag: tag && { ...viewAuthored(tag), tag: tag.tag }, commit: viewAuthored(commit), signature }
}

function viewAuthored({ name, email, at, message }: Authored): AuthoredView {
  return { name, email, at: timeOrNull(at), message }
}
