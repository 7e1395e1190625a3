// status: what is said about a stack. Takes what is stored of it and what the process knows; gives one state word, its
// reason, and what comes next. Promises: pure; the list, explain, wait, the doctor, conditions and metrics all read it;
// a status is never better than what is known.
import type { MoveBlockerReason } from '../channel/blocked-move.js'
import type { NextStep } from '../model/blocker.js'
import { awaitsPackage } from '../model/stack.js'
import { currentFailure, needsApproval, syncState, type StatusInput } from './axes.js'
import { stackBlockers } from './blockers.js'

/** In the order in which they are tried: a stack has the first that applies. */
export const states = [
  'Failed',
  'Needs approval',
  'Running',
  'Drifted',
  'Degraded',
  'Suspended',
  'Unknown',
  'Pinned',
  'Waiting',
  'Behind',
  'Synced',
] as const

export type State = (typeof states)[number]

/** `since`: milliseconds since the epoch; null: unknown. `next`: what to type, empty if nothing is to be done. */
export interface StackStatus {
  readonly state: State
  /** `ApplyFailed`, `Window`, `MoveWaiting`, …: the blocker's, else the state in one word. */
  readonly reason: string
  /** One sentence. */
  readonly message: string
  readonly since: number | null
  readonly next: readonly NextStep[]
}

export function stackStatus(input: StatusInput): StackStatus {
  const state = stackState(input)
  const blocker = stackBlockers(input).find(({ reason }) => stateOfBlocker(reason) === state)
  if (blocker !== undefined) {
    const { reason, message, since, next } = blocker
    return { state, reason, message, since, next }
  }
  return { state, reason: state.replaceAll(' ', ''), ...summary(state, input), next: [] }
}

/** The first state of `states` that applies. Kinds report no health yet, so nothing is Degraded that is not Drifted. */
function stackState(input: StatusInput): State {
  const { stack, last, blockers, blockedMoves } = input
  const isBlockedBy = (...reasons: readonly MoveBlockerReason[]): boolean =>
    blockedMoves.some(({ reason }) => reasons.includes(reason))
  if (currentFailure(input) !== undefined) return 'Failed'
  if (needsApproval(input) || isBlockedBy('MoveNeedsApproval')) return 'Needs approval'
  if (isRunning(input)) return 'Running'
  if (stack.drifted > 0) return 'Drifted'
  if (stack.suspended !== null) return 'Suspended'
  const isWaiting = last?.outcome === null || awaitsPackage(stack) || blockers.length > 0 || isBlockedBy('MoveWaiting')
  const sync = syncState(stack)
  if (sync === 'Unknown' && !isWaiting) return 'Unknown'
  if (stack.pinned !== null || isBlockedBy('ChannelPinned')) return 'Pinned'
  if (isWaiting) return 'Waiting'
  return sync === 'OutOfSync' || isBlockedBy('MoveRefused', 'MoveVetoed') ? 'Behind' : 'Synced'
}

/** A run is in progress, or queued and nothing blocks it. */
function isRunning({ stack, last, inProgress, blockers }: StatusInput): boolean {
  if (last === undefined || last.outcome !== null) return false
  if (inProgress !== undefined) return true
  return stack.suspended === null && blockers.length === 0 && !awaitsPackage(stack)
}

/** The state that a blocker of this reason explains. */
function stateOfBlocker(reason: string): State {
  switch (reason) {
    case 'Suspended':
      return 'Suspended'
    case 'Pinned':
    case 'ChannelPinned':
      return 'Pinned'
    case 'NeedsApproval':
    case 'MoveNeedsApproval':
      return 'Needs approval'
    case 'MoveRefused':
    case 'MoveVetoed':
      return 'Behind'
    case 'Window':
    case 'Dependencies':
    case 'Channel':
    case 'MoveWaiting':
    case 'Waiting':
      return 'Waiting'
    case 'Drifted':
      return 'Drifted'
    default:
      return 'Failed'
  }
}

function summary(state: State, { stack, last, inProgress }: StatusInput): Pick<StackStatus, 'message' | 'since'> {
  const { applied, observed, checkedAt, drifted } = stack
  switch (state) {
    case 'Running':
      return { message: `Run ${last!.id} is ${inProgress ?? last!.phase}.`, since: last!.startedAt ?? last!.createdAt }
    case 'Drifted':
      return {
        message: `${drifted} ${drifted === 1 ? 'resource differs' : 'resources differ'} on the target.`,
        since: checkedAt,
      }
    case 'Unknown':
      return applied === null
        ? { message: 'No revision was observed yet.', since: stack.createdAt }
        : { message: 'The target was not compared with the applied revision yet.', since: null }
    case 'Behind':
      return {
        message: `${observed?.revision ?? 'The desired revision'} is not applied.`,
        since: last?.createdAt ?? null,
      }
    case 'Waiting':
      return { message: 'A run is queued.', since: last?.createdAt ?? null }
    case 'Synced':
      return { message: `${applied?.revision ?? ''} is applied.`, since: last?.finishedAt ?? null }
    case 'Failed':
    case 'Needs approval':
    case 'Degraded':
    case 'Suspended':
    case 'Pinned':
      return { message: '', since: null }
  }
}
