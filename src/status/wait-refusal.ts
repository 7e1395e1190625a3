import { Refused, type RefusedStatus } from '../model/errors.js'
import { sameRevision, revisionMatches } from '../model/revision.js'
import { awaitsPackage } from '../model/stack.js'
import { blockedMoveCode, type BlockedMove } from '../channel/blocked-move.js'
import { stackBlockers } from './blockers.js'
import { nextText } from '../model/blocker.js'
import { currentFailure, needsApproval, type StatusInput } from './axes.js'
import { unreadableInputReason } from './unreadable-inputs.js'

/**
 * Why waiting for a stack is pointless: no run is in progress, and none will begin by itself. undefined: it may still
 * be synced. `elsewhere`: the awaited revision was not observed yet; it may end an approval or a failure.
 */
export function waitRefusal(input: StatusInput, elsewhere: boolean): Refused | undefined {
  const { stack } = input
  const status = stack.suspended === null ? refusedStatus(input, elsewhere) : 'locked'
  const blockers = status === undefined ? [] : stackBlockers(input)
  const blocker = blockers.find(({ reason }) => !passive.has(reason)) ?? blockers[0]
  if (status === undefined || blocker === undefined) return undefined
  return new Refused(status, `${stack.spec.name} cannot sync: ${blocker.message}`, {
    code: blocker.reason === 'NeedsApproval' ? 'stacks/needs-approval' : `stacks/${blocker.reason.toLowerCase()}`,
    hint: nextText(blocker.next),
  })
}

/**
 * Why waiting is pointless if a channel blocks the awaited revision (absent: any revision), and the block does not end
 * by itself.
 */
export function blockedMoveRefusal(
  { stack, blockedMoves }: StatusInput,
  revision: string | undefined,
): Refused | undefined {
  const isAwaited = ({ commit }: BlockedMove): boolean =>
    revision === undefined ? stack.observed === null : commit !== null && revisionMatches(commit, revision)
  const blocker = blockedMoves.find((one) => one.reason !== 'MoveWaiting' && isAwaited(one))
  if (blocker === undefined) return undefined
  return new Refused('needs-approval', `${stack.spec.name} cannot sync: ${blocker.message}`, {
    code: blockedMoveCode,
    hint: nextText(blocker.next),
  })
}

/** Blockers that are named only if the stack has no other. */
const passive = new Set([
  'Pinned',
  'Drifted',
  unreadableInputReason,
  'ChannelPinned',
  'MoveWaiting',
  'MoveNeedsApproval',
  'MoveRefused',
  'MoveVetoed',
])

function refusedStatus(input: StatusInput, elsewhere: boolean): RefusedStatus | undefined {
  const { stack, last } = input
  if (elsewhere || last?.outcome === null) return undefined
  const failure = currentFailure(input)
  if (failure !== undefined && failure !== stack.failure) return failureStatus(input)
  if (stack.failure === null && awaitsPackage(stack)) return 'source'
  const desired = stack.pinned?.revision ?? stack.observed?.revision
  if (last !== undefined && last.revision !== '' && !sameRevision(last.revision, desired)) return undefined
  if (needsApproval(input) || staysAsItIs(input)) return 'needs-approval'
  return failureStatus(input)
}

/** The pinned revision is applied and the ref is at another one, or drift is only reported. */
function staysAsItIs(input: StatusInput): boolean {
  const { applied, observed, pinned, drifted, spec } = input.stack
  if (currentFailure(input) !== undefined || applied === null) return false
  if (sameRevision(applied.revision, observed?.revision)) return drifted > 0 && spec.drift === 'report'
  return pinned !== null && sameRevision(applied.revision, pinned.revision)
}

/** undefined: no failure, or one that is retried soon. */
function failureStatus(input: StatusInput): RefusedStatus | undefined {
  const failure = currentFailure(input)
  if (failure === undefined || failure.retry === 'soon') return undefined
  const room = failure.code.split('/')[0]!
  if (failure.code === 'run/cancelled') return 'cancelled'
  if (failure.reason === 'Claimed') return 'needs-approval'
  return roomStatus[room] ?? 'failed'
}

const roomStatus: Readonly<Record<string, RefusedStatus>> = {
  source: 'source',
  platform: 'target',
  engine: 'target',
  plan: 'needs-approval',
}
