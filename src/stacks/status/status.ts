// What is said of a stack: sync, health, phase, conditions. Pure, from what is remembered.
import { sameRevision } from '../../model/revision.js'
import type { Phase, Run } from '../../model/run.js'
import {
  awaitsPackage,
  type Condition,
  type Failure,
  type Health,
  type Stack,
  type SyncState,
} from '../../model/stack.js'
import type { Blocker } from '../../model/blocker.js'
import type { BlockedMove } from '../../channel/blocked-move.js'

export interface StatusInput {
  readonly stack: Stack
  readonly last: Run | undefined
  /** The phase of the run in hand; undefined: none is. */
  readonly inProgress: Phase | undefined
  /** Why the last look did not see the stack's ref. */
  readonly pollFailure: Failure | undefined
  /** Why what it has to do waits; none: it does not. */
  readonly blockers: readonly Blocker[]
  /** Of channels that it follows: what holds their newest moves back. */
  readonly blockedMoves: readonly BlockedMove[]
}

/** Compares the applied revision with the observed one, and then the resources with their desired state. */
export function syncState({ applied, observed, drifted, checkedAt }: Stack): SyncState {
  if (observed === null || observed.revision === '') return 'Unknown'
  if (!sameRevision(applied?.revision, observed.revision)) return 'OutOfSync'
  if (drifted > 0) return 'Drifted'
  return checkedAt === null ? 'Unknown' : 'Synced'
}

export function phaseOf(situation: StatusInput): Phase {
  const { last, inProgress } = situation
  if (last?.phase === 'held' && !needsApproval(situation)) return 'done'
  return (last?.outcome === null ? inProgress : undefined) ?? last?.phase ?? 'done'
}

/** A plan waits for a person, who did not cancel it. */
export function needsApproval({ stack, last }: Pick<StatusInput, 'stack' | 'last'>): boolean {
  return last?.outcome === 'held' && !isCancelled(stack)
}

/**
 * Nothing goes on by itself: a plan is held, or what went wrong waits for a new revision, another setting or a person.
 */
export function needsPerson(situation: StatusInput): boolean {
  return needsApproval(situation) || (currentFailure(situation)?.retry ?? 'soon') !== 'soon'
}

export function healthOf(situation: StatusInput): Health {
  const { stack, last } = situation
  if (currentFailure(situation) !== undefined) return 'Degraded'
  if (last !== undefined && last.outcome === null && stack.suspended === null) return 'Progressing'
  if (stack.applied === null) return stack.observed === null ? 'Unknown' : 'Missing'
  if (stack.drifted > 0) return 'Degraded'
  return stack.checkedAt === null ? 'Unknown' : 'Healthy'
}

export function conditionsOf(situation: StatusInput): readonly Condition[] {
  return [ready(situation), reconciling(situation), stalled(situation)]
}

/** What went wrong last, a look at the source included. */
export function currentFailure({ stack, pollFailure }: StatusInput): Failure | undefined {
  return stack.failure ?? pollFailure
}

/** Of a stack to which nothing was pushed. */
export const awaitedPackage = 'No pushed package is stored: it waits for its package.'

function ready(situation: StatusInput): Condition {
  const { stack, last, blockedMoves } = situation
  const failure = currentFailure(situation)
  const not = (reason: string, message: string): Condition => ({ type: 'Ready', status: false, reason, message })
  if (stack.suspended !== null) return not('Suspended', `Suspended by ${stack.suspended.by}: ${stack.suspended.reason}`)
  if (failure !== undefined) return not(failure.reason, failure.message)
  if (needsApproval(situation)) return not('Held', 'The plan waits for a person.')
  if (awaitsPackage(stack)) return not('Waiting', awaitedPackage)
  if (stack.observed === null && blockedMoves[0] !== undefined) return not('Waiting', blockedMoves[0].message)
  const wait = runBlocker(situation)
  if (wait !== undefined) return not('Waiting', wait.message)
  if (last !== undefined && last.outcome === null) return not('Progressing', `Run ${last.id} is ${phaseOf(situation)}.`)
  if (stack.applied === null) return not('Progressing', 'Nothing is applied yet.')
  return { type: 'Ready', status: true, reason: 'Applied', message: `${stack.applied.revision} is applied.` }
}

/** Why its run does not begin. */
function runBlocker({ last, inProgress, blockers }: StatusInput): Blocker | undefined {
  return last?.outcome === null && inProgress === undefined ? blockers[0] : undefined
}

function reconciling(situation: StatusInput): Condition {
  const { stack, last, blockedMoves } = situation
  const idle: Condition = { type: 'Reconciling', status: false, reason: 'Idle', message: 'Nothing is under way.' }
  if (awaitsPackage(stack) && phaseOf(situation) === 'queued') return idle
  const wait = runBlocker(situation)
  if (wait !== undefined)
    return { ...idle, reason: 'Waiting', message: `Run ${situation.last!.id} is queued. ${wait.message}` }
  const is = (reason: string, message: string): Condition => ({ type: 'Reconciling', status: true, reason, message })
  if (last !== undefined && last.outcome === null) {
    if (last.cause.kind === 'recovery')
      return is('Recovering', `Run ${last.id} goes on from what an interrupted run left.`)
    if (last.cause.kind === 'retry' || stack.retryAt !== null) return is('Retrying', `Run ${last.id} tries again.`)
    return is('Progressing', `Run ${last.id} is ${phaseOf(situation)}.`)
  }
  if (stack.retryAt !== null && stack.failure?.retry === 'soon')
    return is('Retrying', `Tried again at ${new Date(stack.retryAt).toISOString()}.`)
  const waits = blockedMoves.find(({ reason }) => reason === 'MoveWaiting')
  if (waits !== undefined) return is(waits.reason, waits.message)
  return idle
}

const stalledReasons: Readonly<Record<string, string>> = {
  PackageInvalid: 'PackageInvalid',
  Claimed: 'Claimed',
  Ambiguous: 'Ambiguous',
}

function stalled({ stack, pollFailure, blockedMoves }: StatusInput): Condition {
  const failure = stack.failure ?? pollFailure
  const stays = blockedMoves.find(({ reason }) => reason !== 'MoveWaiting' && reason !== 'ChannelPinned')
  if (failure === undefined && stays !== undefined)
    return { type: 'Stalled', status: true, reason: stays.reason, message: stays.message }
  if (failure === undefined || failure.retry === 'soon')
    return { type: 'Stalled', status: false, reason: 'No', message: '' }
  return {
    type: 'Stalled',
    status: true,
    reason: stalledReasons[failure.reason] ?? 'Rejected',
    message: failure.hint ?? failure.message,
  }
}

const cancelledReason = 'Cancelled'

/** The failure of a stack whose run was cancelled. Like a rejected revision, its revision is not retried. */
export function cancelledFailure({ spec }: Stack, message: string): Failure {
  return {
    reason: cancelledReason,
    code: 'run/cancelled',
    message,
    retry: 'change',
    hint: `It waits for a new revision, or: gitmoor sync ${spec.name}`,
  }
}

export function isCancelled({ failure }: Stack): boolean {
  return failure?.reason === cancelledReason
}
