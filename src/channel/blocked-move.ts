// Why stacks do not follow the newest move of a channel, and what ends that.
import { timeText } from '../lib/text/time-text.js'
import { Refused } from '../model/errors.js'
import { directionText, type Channel, type ChannelMove, type Signature } from '../model/sources/channel.js'
import { revisionMatches } from '../model/sources/revision.js'
import type { Run } from '../model/stacks/run.js'
import { command, edit, hintOf, type Blocker, type NextStep, type RunBlocker } from '../model/stacks/blocker.js'
import { refusedBy, type ChannelPolicy } from './channel-policy.js'
import { printInterval } from '../settings/schema/interval.js'

export type MoveBlockerReason = 'ChannelPinned' | 'MoveWaiting' | 'MoveNeedsApproval' | 'MoveRefused' | 'MoveVetoed'

export type MoveBlocker = Blocker<MoveBlockerReason>

/** `commit`: of the blocked move; null: the ref was deleted. */
export interface BlockedMove extends MoveBlocker {
  readonly commit: string | null
  /** Its channel releases no commit, so no run begins that waits for one. */
  readonly blocksRuns: boolean
}

/** undefined: stacks follow its newest move. */
export function channelBlocker(channel: Channel, policy: ChannelPolicy): MoveBlocker | undefined {
  const { remote, ref, move, pin } = channel
  if (pin !== null)
    return {
      reason: 'ChannelPinned',
      message: `The channel ${ref} is pinned at ${pin.commit.slice(0, 7)} by ${pin.by}${because(pin.why)}.`,
      since: pin.at,
      until: null,
      next: [channelCommand('Follow it again', 'unpin', { channel: `${remote}#${ref}` })],
    }
  return move === null ? undefined : moveBlocker(channel, move, policy)
}

/** The moves to other commits than those of a revision. A channel that is pinned at its newest commit has none. */
export function movesBeyond(moves: readonly BlockedMove[], revision: string | undefined): readonly BlockedMove[] {
  return moves.filter(({ commit }) => commit === null || !revisionMatches(revision ?? null, commit))
}

/** The error of a stack that follows a channel which released nothing yet. */
export function notReleased(channel: Channel, policy: ChannelPolicy): Refused {
  const { message, next } = channelBlocker(channel, policy) ?? { message: 'It was not polled yet.', next: [] }
  return new Refused('needs-approval', `Nothing of ${channel.ref} is released: ${message}`, {
    code: blockedMoveCode,
    hint: hintOf(next),
  })
}

/** What blocks a queued run that waits for a commit: channels of its stack that release none. */
export function channelBlockers(
  { revision }: Pick<Run, 'revision'>,
  blockedMoves: readonly BlockedMove[],
): readonly RunBlocker[] {
  const blocking = revision === '' ? blockedMoves.filter(({ blocksRuns }) => blocksRuns) : []
  return blocking.map(({ message, since, until, next }) => ({ reason: 'Channel', message, since, until, next }))
}

export const blockedMoveCode = 'source/not-released'

function moveBlocker(channel: Channel, move: ChannelMove, policy: ChannelPolicy): MoveBlocker | undefined {
  const { id, remote, ref, to, state, blockedBy, until, direction, decision, seenAt: since } = move
  const goes = directionText(direction ?? 'unknown', 'the released commit')
  const isStored = id !== ''
  const what = `${isStored ? `Move ${id}` : 'The newest move'} of ${ref} to ${to?.commit.slice(0, 7) ?? ''}`
  const args = { move: isStored ? id : `${remote}#${ref}@latest` }
  const approve = (purpose: string): NextStep => channelCommand(purpose, 'approve', args, ' --why "REASON"')
  const veto = channelCommand('Never release it', 'veto', args, ' --why "REASON"')
  switch (state) {
    case 'waiting':
      return {
        reason: 'MoveWaiting',
        message: `${what} waits until ${timeText(until ?? 0)}: ${waitText(move, policy)}.`,
        since,
        until,
        next: [approve('Release it now'), veto],
      }
    case 'blocked':
      return {
        reason: 'MoveNeedsApproval',
        message: `${what} ${goes}, and needs approval.`,
        since,
        until: null,
        next: [approve('Release it'), veto],
      }
    case 'refused':
      return {
        reason: 'MoveRefused',
        message: `${what} is refused: ${refusalText(move, goes)}.`,
        since,
        until: null,
        next: [
          channelCommand('See its moves', 'log', { channel: `${remote}#${ref}` }),
          edit(blockedBy === 'signedBy' ? signHint(policy) : forwardHint),
        ],
      }
    case 'vetoed':
      return {
        reason: 'MoveVetoed',
        message: `${what} was vetoed by ${decision?.by ?? 'a person'}${because(decision?.why ?? '')}.`,
        since: decision?.at ?? since,
        until: null,
        next: [
          edit(`Move ${ref} to another commit: its release ends the veto`),
          ...(refusedBy(policy, channel, move) === undefined ? [approve('Or release this commit after all')] : []),
        ],
      }
    case 'released':
    case 'superseded':
    case 'gone':
      return undefined
  }
}

function waitText({ blockedBy }: ChannelMove, { minAgeMs, movesPerHour }: ChannelPolicy): string {
  if (blockedBy === 'minAge') return `it is released after ${printInterval(minAgeMs)} without another move (minAge)`
  return `at most ${movesPerHour ?? 0} moves are released per hour (movesPerHour)`
}

function refusalText({ blockedBy, facts }: ChannelMove, goes: string): string {
  return blockedBy === 'signedBy' ? `${signatureText(facts?.signature)} (signedBy)` : `it ${goes} (moves: forward-only)`
}

const forwardHint =
  'Move the ref to a descendant of the released commit, or change the policy in the configuration file'

function signHint({ signedBy = [] }: ChannelPolicy): string {
  return `Let ${signedBy.join(' or ')} sign the commit or its tag (see "keys" in the configuration file)`
}

function signatureText(signature: Signature | undefined): string {
  switch (signature?.state) {
    case 'good':
      return `it is signed by ${signature.by}, who is not in the list`
    case 'unknown-key':
      return `it is signed by the unknown key ${signature.key}`
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

function channelCommand(purpose: string, verb: string, args: NextStep['args'], more = ''): NextStep {
  return command(purpose, `channel ${verb}`, args, `gitmoor channel ${verb} ${Object.values(args).join(' ')}${more}`)
}
