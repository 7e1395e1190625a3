// What holds a move of a channel back, and what would let it go. Pure.
import { Refused } from '../model/errors.js'
import type { Channel, ChannelMove, Signature } from '../model/channel.js'
import type { Stack } from '../model/stack.js'
import type { Blocker } from '../model/blocker.js'
import type { ChannelPolicy } from './channel-policy.js'
import { printInterval } from '../settings/interval.js'

/** `reason`: of the stacks' holds. */
export interface MoveBlocker {
  readonly reason: 'ChannelPinned' | 'MoveWaiting' | 'MoveHeld' | 'MoveRefused' | 'MoveVetoed'
  readonly message: string
  readonly next: string
}

/** With the commit that is held back. */
export interface BlockedMove extends MoveBlocker {
  readonly commit: string | null
}

/** undefined: stacks follow its newest move. */
export function channelBlocker(channel: Channel, policy: ChannelPolicy): MoveBlocker | undefined {
  const { remote, ref, move, pin } = channel
  if (pin !== null)
    return {
      reason: 'ChannelPinned',
      message: `The channel ${ref} is pinned at ${pin.commit.slice(0, 7)} by ${pin.by}${because(pin.why)}.`,
      next: `Follow it again: gitmoor channel unpin ${remote}#${ref}`,
    }
  return move === null ? undefined : moveBlocker(move, policy)
}

/** What a stack waits for that follows a channel of which nothing is released. */
export function notReleased(channel: Channel, policy: ChannelPolicy): Refused {
  const { message, next } = channelBlocker(channel, policy) ?? { message: 'Nothing was seen of it yet.', next: '' }
  return new Refused('held', `Nothing of ${channel.ref} is released: ${message}`, { code: blockedMoveCode, hint: next })
}

/** What the first run of a stack waits for: until something is released, it has nothing to apply. */
export function channelBlockers(
  { observed }: Pick<Stack, 'observed'>,
  heldBack: readonly BlockedMove[],
): readonly Blocker[] {
  if (observed !== null) return []
  return heldBack.map(({ message, next }) => ({ reason: 'Channel', message, next, until: null }))
}

export const blockedMoveCode = 'source/held-back'

function moveBlocker(move: ChannelMove, policy: ChannelPolicy): MoveBlocker | undefined {
  const { id, ref, to, state, blockedBy, until, decision } = move
  const what = `Move ${id} of ${ref} to ${to?.commit.slice(0, 7) ?? ''}`
  const approve = `gitmoor channel approve ${id} --why TEXT`
  const veto = `Never: gitmoor channel veto ${id} --why TEXT`
  switch (state) {
    case 'waiting':
      return {
        reason: 'MoveWaiting',
        message: `${what} waits until ${new Date(until ?? 0).toISOString()}: ${waitText(move, policy)}.`,
        next: `Now: ${approve}. ${veto}`,
      }
    case 'held':
      return {
        reason: 'MoveHeld',
        message: `${what} does not go forward from what is released, and waits for a person.`,
        next: `Release it: ${approve}. ${veto}`,
      }
    case 'refused':
      return blockedBy === 'signedBy' ? unsigned(what, move, policy) : backward(what)
    case 'vetoed':
      return {
        reason: 'MoveVetoed',
        message: `${what} was vetoed by ${decision?.by ?? 'a person'}${because(decision?.why ?? '')}.`,
        next: `It ends when another commit is released, or with: ${approve}`,
      }
    case 'released':
    case 'superseded':
    case 'gone':
      return undefined
  }
}

function waitText({ blockedBy }: ChannelMove, { minAgeMs, movesPerHour }: ChannelPolicy): string {
  if (blockedBy === 'minAge') return `it is released once it stood for ${printInterval(minAgeMs)} (minAge)`
  return `no more than ${movesPerHour ?? 0} moves are released within an hour (movesPerHour)`
}

function backward(what: string): MoveBlocker {
  const message = `${what} is refused: it is not proven to go forward from what is released (moves: forward-only).`
  return {
    reason: 'MoveRefused',
    message,
    next: 'Move the ref to a descendant of what is released, or change the policy in the configuration file.',
  }
}

function unsigned(what: string, { facts }: ChannelMove, { signedBy = [] }: ChannelPolicy): MoveBlocker {
  const message = `${what} is refused: ${signatureText(facts?.signature)} (signedBy).`
  return {
    reason: 'MoveRefused',
    message,
    next: `Sign it by ${signedBy.join(' or ')}; keys stand under "keys" in the configuration file.`,
  }
}

function signatureText(signature: Signature | undefined): string {
  switch (signature?.state) {
    case 'good':
      return `it is signed by ${signature.by}, whose signature is not asked for`
    case 'unknown-key':
      return `it is signed by a key that is not known, ${signature.key}`
    case 'bad':
      return `its signature is bad: ${signature.why.replace(/\.$/, '')}`
    case 'none':
    case undefined:
      return 'it is not signed'
  }
}

function because(why: string): string {
  return why === '' ? '' : `: ${why.replace(/\.$/, '')}`
}
