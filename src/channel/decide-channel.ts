// People's decisions about channels. Pure: returns the changed channel; `nextChannel` decides what follows.
import type { Channel, ChannelChange, ChannelMove, Decision, NamedRefTip } from '../model/sources/channel.js'

/** Blocks the move's commit. If it is released, the channel moves back to `before`. */
export function vetoMove(
  channel: Channel,
  move: ChannelMove,
  decision: Decision,
  before: ChannelMove | null,
): ChannelChange {
  const isReleased = channel.released?.to?.commit === move.to?.commit
  const vetoed: ChannelMove = { ...move, state: 'vetoed', blockedBy: null, until: null, decision }
  return decisionAboutMove({ ...channel, released: isReleased ? before : channel.released }, vetoed, decision)
}

/** Releases the move at once, unless a required signature is missing. Ends a veto. */
export function approveMove(channel: Channel, move: ChannelMove, decision: Decision): ChannelChange {
  return decisionAboutMove(
    channel,
    { ...move, state: 'blocked', blockedBy: 'approval', until: null, decision },
    decision,
  )
}

export function pinChannel(channel: Channel, { name, commit, object }: NamedRefTip, decision: Decision): ChannelChange {
  const { by, why, at } = decision
  return {
    channel: { ...channel, pin: { name, commit, object, by, why, at } },
    moves: [],
    decision: { ...decision, move: null, commit },
  }
}

export function unpinChannel(channel: Channel, decision: Decision): ChannelChange {
  return { channel: { ...channel, pin: null }, moves: [], decision: { ...decision, move: null, commit: null } }
}

function decisionAboutMove(channel: Channel, move: ChannelMove, decision: Decision): ChannelChange {
  const isNewest = channel.move?.id === move.id
  return {
    channel: isNewest ? { ...channel, move } : channel,
    moves: [move],
    decision: { ...decision, move: move.id, commit: null },
  }
}
