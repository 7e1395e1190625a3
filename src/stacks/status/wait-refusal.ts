import { Refused, type RefusedStatus } from '../../model/errors.js'
import { sameRevision, revisionMatches } from '../../model/revision.js'
import { awaitsPackage } from '../../model/stack.js'
import { blockedMoveCode, type BlockedMove } from '../../channel/blocked-move.js'
import { stackBlockers } from './blockers.js'
import { currentFailure, needsApproval, type StatusInput } from './status.js'

/**
 * Why waiting for a stack is in vain: nothing is under way, and nothing goes on by itself. undefined: it may still get
 * there. `elsewhere`: a revision is waited for that is not there yet, which may free what is held or failed.
 */
export function waitRefusal(situation: StatusInput, elsewhere: boolean): Refused | undefined {
  const { stack } = situation
  const status = stack.suspended === null ? refusedStatus(situation, elsewhere) : 'locked'
  const holds = status === undefined ? [] : stackBlockers(situation)
  const hold = holds.find(({ reason }) => !passive.has(reason)) ?? holds[0]
  if (status === undefined || hold === undefined) return undefined
  return new Refused(status, `${stack.spec.name} does not become synced: ${hold.message}`, {
    code: `stacks/${hold.reason.toLowerCase()}`,
    hint: hold.next,
  })
}

/**
 * The same where what is waited for (`revision`; absent: anything at all) is held back by a channel, and no time lets
 * it go.
 */
export function blockedMoveRefusal(
  { stack, blockedMoves }: StatusInput,
  revision: string | undefined,
): Refused | undefined {
  const isMeant = ({ commit }: BlockedMove): boolean =>
    revision === undefined ? stack.observed === null : commit !== null && revisionMatches(commit, revision)
  const hold = blockedMoves.find((one) => one.reason !== 'MoveWaiting' && isMeant(one))
  if (hold === undefined) return undefined
  return new Refused('held', `${stack.spec.name} does not become synced: ${hold.message}`, {
    code: blockedMoveCode,
    hint: hold.next,
  })
}

/** What holds a stack as it is, but is not why it does not become synced where there is something else. */
const passive = new Set(['Pinned', 'Drifted', 'ChannelPinned', 'MoveWaiting', 'MoveHeld', 'MoveRefused', 'MoveVetoed'])

function refusedStatus(situation: StatusInput, elsewhere: boolean): RefusedStatus | undefined {
  const { stack, last } = situation
  if (elsewhere || last?.outcome === null) return undefined
  if (stack.failure === null && situation.pollFailure !== undefined) return failureStatus(situation)
  if (stack.failure === null && awaitsPackage(stack)) return 'source'
  const desired = stack.pinned?.revision ?? stack.observed?.revision
  if (last !== undefined && last.revision !== '' && !sameRevision(last.revision, desired)) return undefined
  if (needsApproval(situation) || staysAsItIs(situation)) return 'held'
  return failureStatus(situation)
}

/** What it is pinned to is applied, though its ref shows something else; or what drifted is only reported. */
function staysAsItIs(situation: StatusInput): boolean {
  const { applied, observed, pinned, drifted, spec } = situation.stack
  if (currentFailure(situation) !== undefined || applied === null) return false
  if (sameRevision(applied.revision, observed?.revision)) return drifted > 0 && spec.drift === 'report'
  return pinned !== null && sameRevision(applied.revision, pinned.revision)
}

/** What is tried again soon may still come right. */
function failureStatus(situation: StatusInput): RefusedStatus | undefined {
  const failure = currentFailure(situation)
  if (failure === undefined || failure.retry === 'soon') return undefined
  const room = failure.code.split('/')[0]!
  if (failure.code === 'run/cancelled') return 'cancelled'
  if (failure.reason === 'Claimed') return 'held'
  return roomStatus[room] ?? 'failed'
}

const roomStatus: Readonly<Record<string, RefusedStatus>> = {
  source: 'source',
  platform: 'target',
  engine: 'target',
  plan: 'held',
}
