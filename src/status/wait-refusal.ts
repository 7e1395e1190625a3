import { Refused, type RefusedStatus } from '../model/errors.js'
import { revisionMatches, sameRevision, shortRevision } from '../model/sources/revision.js'
import { awaitsPackage } from '../model/stacks/stack.js'
import { blockedMoveCode, movesBeyond, type BlockedMove } from '../channel/blocked-move.js'
import { hintOf, type Blocker } from '../model/stacks/blocker.js'
import { currentFailure, currentFailures, isCancelled, isRefusal, needsApproval, type StatusInput } from './axes.js'
import { isSynced, stackBlockers } from './status.js'
import { unhealthyReason } from './unhealthy-blockers.js'
import { unreadableInputReason } from './unreadable-inputs.js'

/**
 * Why waiting for a stack that is not synced is pointless: no run is in progress, and none will begin by itself, or a
 * channel blocks what it waits for. undefined: it may still be synced. `revision`: the awaited commit; absent: the
 * newest one.
 */
export function waitRefusal(input: StatusInput, revision?: string): Refused | undefined {
  const { stack } = input
  const { name } = stack.spec
  const move = awaitedMove(input, revision)
  if (move !== undefined) {
    const what = stack.applied === null ? 'cannot sync' : `stays at ${shortRevision(stack.applied.revision)}`
    return refusal('needs-approval', `${name} ${what}`, move, blockedMoveCode)
  }
  const closed = closedForGood(input)
  if (closed !== undefined) return refusal('needs-approval', `${name} cannot sync`, closed, 'stacks/window')
  // A revision that was not observed yet may end an approval or a failure.
  const isElsewhere = revision !== undefined && !revisionMatches(stack.observed?.revision ?? null, revision)
  const status = waitStatus(input, isElsewhere)
  const blockers = status === undefined ? [] : stackBlockers(input)
  // `locked` says that the stack is suspended, whatever else blocks it.
  const suspension = status === 'locked' ? blockers.find(({ reason }) => reason === 'Suspended') : undefined
  const blocker = suspension ?? blockers.find(({ reason }) => !passive.has(reason)) ?? blockers[0]
  if (status === undefined || blocker === undefined) return undefined
  const code = blocker.reason === 'NeedsApproval' ? 'stacks/needs-approval' : `stacks/${blocker.reason.toLowerCase()}`
  return refusal(status, `${name} cannot sync`, blocker, code)
}

function refusal(status: RefusedStatus, what: string, { message, next }: Blocker, code: string): Refused {
  return new Refused(status, `${what}: ${message}`, { code, hint: hintOf(next) })
}

/** The move that a channel blocks until a person or another move ends that, if nothing else is to be done before. */
function awaitedMove(input: StatusInput, revision: string | undefined): BlockedMove | undefined {
  const { stack, blockedMoves } = input
  const newest = isSynced({ ...input, blockedMoves: [] })
    ? movesBeyond(blockedMoves, stack.applied?.revision)
    : blockedMoves.filter(({ blocksRuns }) => blocksRuns && input.last?.revision === '')
  const awaited =
    revision === undefined
      ? newest
      : blockedMoves.filter(({ commit }) => commit !== null && revisionMatches(commit, revision))
  return awaited.find(({ reason }) => reason !== 'MoveWaiting')
}

/** The window that blocks the queued run, if none opens later. */
function closedForGood({ stack, last, inProgress, blockers }: StatusInput): Blocker | undefined {
  if (stack.suspended !== null || last?.outcome !== null || inProgress !== undefined) return undefined
  return blockers.find(({ reason, until }) => reason === 'Window' && until === null)
}

/** Blockers that are named only if the stack has no other. */
const passive = new Set([
  'Pinned',
  'Drifted',
  unreadableInputReason,
  unhealthyReason,
  'ChannelPinned',
  'MoveWaiting',
  'MoveNeedsApproval',
  'MoveRefused',
  'MoveVetoed',
])

/** undefined: the stack may still be synced. */
function waitStatus(input: StatusInput, isElsewhere: boolean): RefusedStatus | undefined {
  if (currentFailures(input).some(isRefusal)) return failureStatus(input)
  return input.stack.suspended === null ? refusedStatus(input, isElsewhere) : 'locked'
}

function refusedStatus(input: StatusInput, elsewhere: boolean): RefusedStatus | undefined {
  const { stack, last, pollFailure } = input
  if (elsewhere) return undefined
  if (currentFailure(input) === undefined && awaitsPackage(stack)) return 'source'
  if (last?.outcome === null) return undefined
  // The remote may have a newer revision.
  if (pollFailure?.retry === 'soon') return undefined
  const failure = currentFailure(input)
  if (failure !== undefined && failure !== stack.failure) return failureStatus(input)
  const desired = stack.pinned?.revision ?? stack.observed?.revision
  if (last !== undefined && last.revision !== '' && !sameRevision(last.revision, desired)) return undefined
  if (isCancelled(input)) return 'cancelled'
  if (needsApproval(input) || staysAsItIs(input)) return 'needs-approval'
  return failureStatus(input)
}

/** The pinned revision is applied and the ref is at another one, or drift is not corrected. */
function staysAsItIs(input: StatusInput): boolean {
  const { applied, observed, pinned, drifted, spec } = input.stack
  if (currentFailure(input) !== undefined || applied === null) return false
  if (sameRevision(applied.revision, observed?.revision)) return drifted > 0 && spec.drift !== 'correct'
  return pinned !== null && sameRevision(applied.revision, pinned.revision)
}

/** undefined: no failure, or one that is retried soon. */
function failureStatus(input: StatusInput): RefusedStatus | undefined {
  const failure = currentFailure(input)
  if (failure === undefined || failure.retry === 'soon') return undefined
  const room = failure.code.split('/')[0]!
  if (failure.reason === 'Claimed') return 'needs-approval'
  return roomStatus[room] ?? 'failed'
}

const roomStatus: Readonly<Record<string, RefusedStatus>> = {
  source: 'source',
  platform: 'target',
  engine: 'target',
  plan: 'needs-approval',
}
