// The three axes of a stack's status: sync, health and phase, each from what is stored and what the process knows.
import { timeText } from '../lib/text/time-text.js'
import type { BlockedMove } from '../channel/blocked-move.js'
import type { ApprovalReason } from '../model/resources/change.js'
import type { NextStep, RunBlocker } from '../model/stacks/blocker.js'
import { sameRevision } from '../model/sources/revision.js'
import type { UnreadableInput } from '../model/resources/inputs.js'
import type { Problem } from '../model/problem.js'
import type { Phase, Run } from '../model/stacks/run.js'
import {
  awaitsPackage,
  isUninstalled,
  type Failure,
  type Health,
  type Stack,
  type SyncState,
} from '../model/stacks/stack.js'
import { hasMissingSecrets } from './run-warnings.js'

/** What a status is computed from. */
export interface StatusInput {
  readonly stack: Stack
  /** Its newest run; `plan` may be absent. */
  readonly last: Run | undefined
  /** Since when its desired revision is not applied; null, absent: it is, or no run was for it. */
  readonly behindSince?: number | null
  /** Why its newest plan needs approval, for lists, which do not read the plan itself. */
  readonly approvalReasons?: readonly ApprovalReason[]
  /** The phase of the run in progress; undefined: none is. */
  readonly inProgress: Phase | undefined
  /** Why the last poll did not find the stack's ref. */
  readonly pollFailure: Failure | undefined
  /** Why the queued run does not begin. */
  readonly blockers: readonly RunBlocker[]
  /** Newest moves of its channels that it does not follow. */
  readonly blockedMoves: readonly BlockedMove[]
  /** Secrets and values that its settings refer to, and that cannot be read now. */
  readonly unreadableInputs: readonly UnreadableInput[]
  /** Why the configuration file does not change it, as warnings. Absent: nothing is refused. */
  readonly refusedSettings?: readonly Problem[]
  /** After an uninstall: how other stacks stop depending on it. Absent: lists do not read them. */
  readonly dependencyRemovals?: readonly NextStep[]
}

/** What the axes need of it. The store keeps them by what is stored alone: without the last three. */
export interface AxesInput {
  readonly stack: Stack
  readonly last: Pick<Run, 'phase' | 'outcome' | 'problems'> | undefined
  readonly inProgress?: Phase | undefined
  readonly pollFailure?: Failure | undefined
  readonly unreadableInputs?: readonly UnreadableInput[]
}

/** What the state needs of it, and whether it needs a person. */
export interface StateInput extends AxesInput, Pick<StatusInput, 'blockers' | 'blockedMoves' | 'unreadableInputs'> {
  readonly unreadableInputs: readonly UnreadableInput[]
}

/**
 * Compares the applied revision with the observed and the pinned one, and then the resources with their desired state.
 * A cancelled run, and a plan that needs approval, may be for other settings of the applied revision.
 */
export function syncState(input: AxesInput): SyncState {
  const { applied, observed, pinned, drifted, checkedAt } = input.stack
  const isApplied = ({ revision }: { readonly revision: string }): boolean => sameRevision(applied?.revision, revision)
  if (isCancelled(input)) return 'OutOfSync'
  if (observed === null || observed.revision === '') return 'Unknown'
  if (!isApplied(observed) || (pinned !== null && !isApplied(pinned))) return 'OutOfSync'
  if (drifted > 0) return 'Drifted'
  if (needsApproval(input)) return 'OutOfSync'
  return checkedAt === null ? 'Unknown' : 'Synced'
}

export function runPhase(input: AxesInput): Phase {
  const { last, inProgress } = input
  if (last?.phase === 'needs-approval' && !needsApproval(input)) return 'done'
  return (last?.outcome === null ? inProgress : undefined) ?? last?.phase ?? 'done'
}

/** The newest plan needs approval, and nobody cancelled its run. */
export function needsApproval(input: Pick<AxesInput, 'stack' | 'last'>): boolean {
  return input.last?.outcome === 'needs-approval' && !isCancelled(input)
}

/** An uninstall needs approval: only an approval or a cancel ends it, not a run that nobody requested. */
export function awaitsUninstall(input: Pick<AxesInput, 'stack'> & { readonly last: Run | undefined }): boolean {
  return input.last !== undefined && input.last.intent !== 'sync' && needsApproval(input)
}

/** `2 resources differ on the target since 2026-01-01 00:05:00Z.` */
export function driftMessage({ drifted, driftedSince }: Pick<Stack, 'drifted' | 'driftedSince'>): string {
  const since = driftedSince === null ? '' : ` since ${timeText(driftedSince)}`
  return `${drifted} ${drifted === 1 ? 'resource differs' : 'resources differ'} on the target${since}.`
}

/** Moves that only a person, or another move, ends. */
const decidedByPerson: readonly string[] = ['MoveNeedsApproval', 'MoveRefused', 'MoveVetoed']

/**
 * The stack continues only after a person acts, or a new revision or another setting is there. A stack that waits for
 * others has no reason of its own. A pin works as a person wants it.
 */
export function awaitsPerson(input: StateInput): boolean {
  const { stack, blockedMoves, blockers } = input
  const { suspended, drifted, spec } = stack
  return (
    (suspended !== null && suspended.until === null && !isUninstalled(stack)) ||
    blockedMoves.some(({ reason }) => decidedByPerson.includes(reason)) ||
    needsApproval(input) ||
    isCancelled(input) ||
    (currentFailure(input)?.retry ?? 'soon') !== 'soon' ||
    lacksInputs(input) ||
    blockers.some(({ reason, until }) => reason === 'Window' && until === null) ||
    awaitsPackage(stack) ||
    (drifted > 0 && spec.drift !== 'correct')
  )
}

/** A person must act: the stack does not continue by itself, or a resource does not work. */
export function needsPerson(input: StateInput): boolean {
  return input.stack.unhealthy !== null || awaitsPerson(input)
}

export function stackHealth(input: AxesInput): Health {
  const { stack, last, unreadableInputs = [] } = input
  if (currentFailure(input) !== undefined || lacksInputs({ last, unreadableInputs })) return 'Degraded'
  if (last !== undefined && last.outcome === null && stack.suspended === null) return 'Progressing'
  if (stack.applied === null) return stack.observed === null ? 'Unknown' : 'Missing'
  if (stack.drifted > 0 || stack.unhealthy !== null) return 'Degraded'
  return stack.checkedAt === null ? 'Unknown' : 'Healthy'
}

/** A secret or a value cannot be read, or the last run found that a secret is missing. */
export function lacksInputs({
  last,
  unreadableInputs,
}: Pick<StatusInput, 'unreadableInputs'> & Pick<AxesInput, 'last'>): boolean {
  return unreadableInputs.length > 0 || hasMissingSecrets(last)
}

/** True if gitmoor does nothing for the stack, whatever became of its last run. */
export function isRefusal({ reason }: Failure): boolean {
  return reason === 'ConfigurationMissing' || reason === 'TargetMissing'
}

type FailureInput = Pick<AxesInput, 'stack' | 'last' | 'pollFailure'>

/**
 * The failures of its last run and of the last poll. A refusal comes first: it is what blocks the stack now. So does a
 * failed poll that gitmoor does not expect to end, such as a missing directory: nothing new comes before it ends. A
 * cancelled run is no failure, nor is that of a run before the one that a suspended stack begins when it is resumed.
 */
export function currentFailures({ stack, last, pollFailure }: FailureInput): readonly Failure[] {
  const failure = wasCancelled(stack) || isReplaced(stack, last) ? null : ofUndo(stack.failure, last)
  if (failure === null) return pollFailure === undefined ? [] : [pollFailure]
  if (pollFailure === undefined || (pollFailure.code === failure.code && !isRefusal(pollFailure))) return [failure]
  if (isRefusal(failure)) return [isRefusal(pollFailure) ? pollFailure : failure]
  return mayEndByItself(pollFailure) ? [failure, pollFailure] : [pollFailure, failure]
}

/** The reason is stored when the undo begins. */
function ofUndo(failure: Failure | null, last: FailureInput['last']): Failure | null {
  return failure?.reason === 'Undone' && last?.phase === 'undoing' ? { ...failure, reason: 'Undoing' } : failure
}

/** A newer run than the failed one is queued, and begins when the stack is resumed. */
function isReplaced({ suspended, failure }: Stack, last: FailureInput['last']): boolean {
  return suspended !== null && last?.phase === 'queued' && failure !== null && !isRefusal(failure)
}

/** A missing directory is polled again soon, but like a missing ref it is the work of a person. */
function mayEndByItself({ retry, code }: Failure): boolean {
  return retry === 'soon' && code !== 'source/directory-missing'
}

/** The first of them. */
export function currentFailure(input: FailureInput): Failure | undefined {
  return currentFailures(input)[0]
}

const cancelledReason = 'Cancelled'

/** Stored in the place of a failure if a run is cancelled: like a rejected revision, its revision is not retried. */
export function cancelledFailure({ spec }: Stack, message: string): Failure {
  return {
    reason: cancelledReason,
    code: 'run/cancelled',
    message,
    retry: 'change',
    hint: `Push a new revision, or sync again: gitmoor sync ${spec.name}`,
  }
}

function wasCancelled({ failure }: Pick<Stack, 'failure'>): boolean {
  return failure?.reason === cancelledReason
}

/** Its newest run was cancelled: gitmoor waits for a new revision, another setting or a person. */
export function isCancelled({ stack, last }: Pick<AxesInput, 'stack' | 'last'>): boolean {
  return last?.outcome !== null && wasCancelled(stack)
}
