// The conditions of a stack, for programs that know those of Kubernetes: Ready, Reconciling, Stalled; and Healthy.
import { timeText } from '../lib/text/time-text.js'
import type { RunBlocker } from '../model/stacks/blocker.js'
import { shortRevision } from '../model/sources/revision.js'
import { awaitsPackage, suspensionText, type Condition, type Stack } from '../model/stacks/stack.js'
import { currentFailure, isCancelled, needsApproval, runPhase, type StatusInput } from './axes.js'
import { awaitedPackageMessage } from './blockers.js'
import { unhealthyBlockers } from './unhealthy-blockers.js'

export function stackConditions(input: StatusInput): readonly Condition[] {
  return [ready(input), reconciling(input), stalled(input), healthy(input.stack)]
}

/** True if what should be applied is applied, as far as is known. */
export function ready(input: StatusInput): Condition {
  const { stack, last, blockedMoves } = input
  const failure = currentFailure(input)
  const not = (reason: string, message: string): Condition => ({ type: 'Ready', status: false, reason, message })
  if (stack.suspended !== null) return not('Suspended', `Suspended${suspensionText(stack.suspended)}`)
  if (failure !== undefined) return not(failure.reason, failure.message)
  if (needsApproval(input)) return not('NeedsApproval', 'The plan needs approval.')
  if (isCancelled(input)) return not('Cancelled', stack.failure?.message ?? '')
  if (awaitsPackage(stack)) return not('Waiting', awaitedPackageMessage)
  if (stack.observed === null && blockedMoves[0] !== undefined) return not('Waiting', blockedMoves[0].message)
  const blocker = runBlocker(input)
  if (blocker !== undefined) return not('Waiting', blocker.message)
  if (last !== undefined && last.outcome === null) return not('Progressing', `Run ${last.id} is ${runPhase(input)}.`)
  if (stack.applied === null) return not('Progressing', 'Nothing is applied yet.')
  return {
    type: 'Ready',
    status: true,
    reason: 'Applied',
    message: `${shortRevision(stack.applied.revision)} is applied.`,
  }
}

/** Why its queued run does not begin. */
function runBlocker({ last, inProgress, blockers }: StatusInput): RunBlocker | undefined {
  return last?.outcome === null && inProgress === undefined ? blockers[0] : undefined
}

function reconciling(input: StatusInput): Condition {
  const { stack, last, blockedMoves } = input
  const idle: Condition = { type: 'Reconciling', status: false, reason: 'Idle', message: 'No run is in progress.' }
  if (awaitsPackage(stack) && runPhase(input) === 'queued') return idle
  const blocker = runBlocker(input)
  if (blocker !== undefined)
    return { ...idle, reason: 'Waiting', message: `Run ${last!.id} is queued. ${blocker.message}` }
  const is = (reason: string, message: string): Condition => ({ type: 'Reconciling', status: true, reason, message })
  if (last !== undefined && last.outcome === null) {
    if (last.cause.kind === 'recovery') return is('Recovering', `Run ${last.id} recovers an interrupted run.`)
    if (last.cause.kind === 'retry' || stack.retryAt !== null) return is('Retrying', `Run ${last.id} is a retry.`)
    return is('Progressing', `Run ${last.id} is ${runPhase(input)}.`)
  }
  if (stack.retryAt !== null && stack.failure?.retry === 'soon' && currentFailure(input) === stack.failure)
    return is('Retrying', `The next retry is at ${timeText(stack.retryAt)}.`)
  const waiting = blockedMoves.find(({ reason }) => reason === 'MoveWaiting')
  return waiting === undefined ? idle : is(waiting.reason, waiting.message)
}

const stalledReasons: Readonly<Record<string, string>> = {
  PackageInvalid: 'PackageInvalid',
  Claimed: 'Claimed',
  Ambiguous: 'Ambiguous',
}

/** True if nothing goes on without a person, a new revision or a changed setting. */
function stalled(input: StatusInput): Condition {
  const failure = currentFailure(input)
  const stays = input.blockedMoves.find(({ reason }) => reason !== 'MoveWaiting' && reason !== 'ChannelPinned')
  if (failure === undefined && isCancelled(input))
    return { type: 'Stalled', status: true, reason: 'Cancelled', message: input.stack.failure?.hint ?? '' }
  if (failure === undefined && stays !== undefined)
    return { type: 'Stalled', status: true, reason: stays.reason, message: stays.message }
  if (failure === undefined)
    return { type: 'Stalled', status: false, reason: 'NotStalled', message: 'No failure or blocked move stops it.' }
  if (failure.retry === 'soon')
    return { type: 'Stalled', status: false, reason: 'Retrying', message: 'gitmoor retries after the failure.' }
  return {
    type: 'Stalled',
    status: true,
    reason: stalledReasons[failure.reason] ?? 'Rejected',
    message: failure.hint ?? failure.message,
  }
}

/** True if the last check found that all resources work. */
function healthy(stack: Stack): Condition {
  const is = (status: boolean, reason: string, message: string): Condition => ({
    type: 'Healthy',
    status,
    reason,
    message,
  })
  const [first] = unhealthyBlockers(stack)
  if (first !== undefined) return is(false, first.reason, first.message)
  if (stack.applied === null) return is(false, 'Missing', 'Nothing is applied yet.')
  if (stack.checkedAt === null) return is(false, 'Unknown', 'The resources were not checked yet.')
  return is(true, 'Healthy', 'The last check found no unhealthy resource.')
}
