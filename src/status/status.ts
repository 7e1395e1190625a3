// status: what is said about a stack. Takes what is stored of it and what the process knows; gives one state word, its
// reason, its blockers, and what comes next. Promises: pure; the list, explain, wait, the doctor, conditions and
// metrics all read it; a status is never better than what is known.
import { movesBeyond, type BlockedMove, type MoveBlockerReason } from '../channel/blocked-move.js'
import { stackCommand, type Blocker, type NextStep } from '../model/stacks/blocker.js'
import { firstProblems, isAdvice, type Problem } from '../model/problem.js'
import { revisionMatches, shortRevision } from '../model/sources/revision.js'
import { awaitsPackage, type Stack, type SyncState } from '../model/stacks/stack.js'
import {
  currentFailure,
  currentFailures,
  driftMessage,
  isRefusal,
  lacksInputs,
  needsApproval,
  syncState,
  type StateInput,
  type StatusInput,
} from './axes.js'
import { everyBlocker } from './blockers.js'
import { soleBlocker } from './failure-blockers.js'
import { runWarnings } from './run-warnings.js'
import { unhealthyReason } from './unhealthy-blockers.js'
import { unreadableInputReason } from './unreadable-inputs.js'

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

/** A person should see to stacks in these states. */
export const attentionStates = ['Failed', 'Needs approval', 'Drifted', 'Degraded'] as const satisfies readonly State[]

/** States as people type them: separated by commas, in any case, with `-` for a space. */
export function parseStates(text: string): { readonly known: readonly State[]; readonly unknown: readonly string[] } {
  const words = text.split(',').map((word) => word.trim())
  const stateOf = (word: string): State | undefined =>
    states.find((state) => state.toLowerCase() === word.toLowerCase().replaceAll('-', ' '))
  return {
    known: words.flatMap((word) => stateOf(word) ?? []),
    unknown: words.filter((word) => stateOf(word) === undefined),
  }
}

/**
 * `since`: milliseconds since the epoch; null: unknown. `next`: what to type, empty if nothing is to be done. Both are
 * those of the blocker that makes the state; for drift that gitmoor corrects, `next` is that of what blocks it.
 */
export interface StackStatus {
  readonly state: State
  /** `ApplyFailed`, `Window`, `MoveWaiting`, …: the blocker's, else the state in one word. */
  readonly reason: string
  /** Reasons of its other blockers. */
  readonly also: readonly string[]
  /** One sentence. */
  readonly message: string
  readonly since: number | null
  /** Since when its desired revision is not applied: milliseconds since the epoch; null: it is. */
  readonly behindSince: number | null
  readonly next: readonly NextStep[]
  /** Refused settings, and warnings of its last run that are neither blockers nor advice on its package. */
  readonly warnings: readonly Problem[]
}

/** What decides the state of a stack. The status table stores most of it. */
export interface StateFacts {
  /** Its last run or the last poll failed. */
  readonly isFailed: boolean
  readonly needsApproval: boolean
  /** The last run has not ended. */
  readonly isUnfinished: boolean
  readonly isInProgress: boolean
  /** Something blocks its queued run. */
  readonly isBlocked: boolean
  readonly isDrifted: boolean
  /** An input of its settings cannot be read, a secret of its package is missing, or a resource does not work. */
  readonly isDegraded: boolean
  readonly isSuspended: boolean
  readonly isPinned: boolean
  readonly awaitsPackage: boolean
  readonly sync: SyncState
  readonly blockedMoves: readonly Pick<BlockedMove, 'reason' | 'blocksRuns'>[]
}

/** The most warnings of a status. The last one counts the rest. */
const warningsShown = 10

/** The state word alone, without its reason. */
export function stateOf(input: StateInput): State {
  return stackState(stateFacts(input))
}

/**
 * All blockers, in the order in which people should deal with them: first those that make the state. Before them comes
 * the pin of a channel if only another commit ends the failure, because a push changes nothing until the pin ends.
 */
export function stackBlockers(input: StatusInput): readonly Blocker[] {
  return blockersOf(input, stateOf(input))
}

function blockersOf(input: StatusInput, state: State): readonly Blocker[] {
  const blockers = everyBlocker(input)
  const rank = ({ reason }: Blocker): number => {
    if (reason === 'ChannelPinned' && awaitsCommit(input)) return 0
    return makesState(reason, state, input) ? 1 : 2
  }
  return [0, 1, 2].flatMap((place) => blockers.filter((one) => rank(one) === place))
}

/** Only another commit, or another setting, ends the failure of the last run. */
function awaitsCommit(input: StatusInput): boolean {
  const failure = currentFailure(input)
  return failure !== undefined && failure === input.stack.failure && failure.retry === 'change' && !isRefusal(failure)
}

export function stackStatus(input: StatusInput): StackStatus {
  const state = stateOf(input)
  const { behindSince = null } = input
  const blockers = blockersOf(input, state)
  const blocker = blockers.find(({ reason }) => makesState(reason, state, input))
  const also = [...new Set(blockers.map(({ reason }) => reason))].filter((reason) => reason !== blocker?.reason)
  const ofRun = runWarnings(input.last).filter((one) => !isAdvice(one))
  const warnings = firstProblems([...(input.refusedSettings ?? []), ...ofRun], warningsShown)
  if (blocker !== undefined) {
    const { reason } = blocker
    const { message, next } = soleBlocker(input, blocker)
    // A window or a dependency blocks nothing before a run is queued.
    const queuedAt = state === 'Waiting' && input.last?.outcome === null ? input.last.createdAt : null
    const since = latest(blocker.since, queuedAt)
    return { state, reason, also, message, since, behindSince, next, warnings }
  }
  const next = isUncompared(state, input) ? [comparison(input.stack)] : correctionSteps(state, blockers, input)
  return { state, reason: state.replaceAll(' ', ''), also, ...summary(state, input), behindSince, next, warnings }
}

/** What is applied was compared before, but something else may have changed the target since. */
function isUncompared(state: State, { stack }: StatusInput): boolean {
  return state === 'Unknown' && stack.applied !== null
}

/** A sync would also correct the drift that the stack only reports. */
function comparison({ spec: { name, drift } }: Stack): NextStep {
  return drift === 'report'
    ? stackCommand('Compare it now', 'wait', name)
    : stackCommand('Compare it now', 'sync', name)
}

/** What ends the blocker that keeps gitmoor from correcting drift, or what corrects it now. */
function correctionSteps(state: State, all: readonly Blocker[], input: StatusInput): readonly NextStep[] {
  if (state !== 'Drifted') return []
  const reasons = new Set(['Suspended', ...input.blockers.map(({ reason }) => reason)])
  const blocker = all.find(({ reason }) => reasons.has(reason))
  return (
    blocker?.next ?? [stackCommand('The next drift check corrects it. Correct it now', 'sync', input.stack.spec.name)]
  )
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}

/**
 * The newest revision and the newest settings are applied, and nothing is in progress, blocked or failed. `revision`:
 * only this commit counts, whatever a channel has beyond it. Health does not count, nor a pin at the newest revision.
 */
export function isSynced(input: StatusInput, revision?: string): boolean {
  const isAwaited = revision === undefined || revisionMatches(input.stack.applied?.revision ?? null, revision)
  const blockedMoves = revision === undefined ? movesBeyond(input.blockedMoves, input.stack.applied?.revision) : []
  const facts = { ...stateFacts(input), isDegraded: false, isPinned: false, blockedMoves }
  return isAwaited && stackState(facts) === 'Synced'
}

/** The first state of `states` that applies. */
export function stackState(facts: StateFacts): State {
  const { isUnfinished, isBlocked, sync, blockedMoves } = facts
  const isBlockedBy = (...reasons: readonly MoveBlockerReason[]): boolean =>
    blockedMoves.some(({ reason }) => reasons.includes(reason))
  if (facts.isFailed) return 'Failed'
  if (facts.needsApproval || isBlockedBy('MoveNeedsApproval')) return 'Needs approval'
  if (isRunning(facts)) return 'Running'
  if (facts.isDrifted) return 'Drifted'
  if (facts.isDegraded) return 'Degraded'
  if (facts.isSuspended) return 'Suspended'
  if (isUnfinished && awaitsRelease(facts) && isBlockedBy('MoveRefused', 'MoveVetoed')) return 'Behind'
  const isWaiting = isUnfinished || facts.awaitsPackage || isBlocked || isBlockedBy('MoveWaiting')
  if (sync === 'Unknown' && !isWaiting) return 'Unknown'
  if (facts.isPinned || isBlockedBy('ChannelPinned')) return 'Pinned'
  if (isWaiting) return 'Waiting'
  return sync === 'OutOfSync' || isBlockedBy('MoveRefused', 'MoveVetoed') ? 'Behind' : 'Synced'
}

/** A run is in progress, or queued and nothing blocks it. */
function isRunning(facts: StateFacts): boolean {
  if (!facts.isUnfinished || facts.isInProgress) return facts.isUnfinished
  return !facts.isSuspended && !facts.isBlocked && !facts.awaitsPackage && !awaitsRelease(facts)
}

/** Nothing that its channel had is released, so a queued run does not begin. */
function awaitsRelease({ blockedMoves }: Pick<StateFacts, 'blockedMoves'>): boolean {
  return blockedMoves.some(({ blocksRuns }) => blocksRuns)
}

function stateFacts(input: StateInput): StateFacts {
  const { stack, last, inProgress, blockers, blockedMoves } = input
  return {
    isFailed: currentFailure(input) !== undefined,
    needsApproval: needsApproval(input),
    isUnfinished: last?.outcome === null,
    isInProgress: inProgress !== undefined,
    isBlocked: blockers.length > 0,
    isDrifted: stack.drifted > 0,
    isDegraded: lacksInputs(input) || stack.unhealthy !== null,
    isSuspended: stack.suspended !== null,
    isPinned: stack.pinned !== null,
    awaitsPackage: awaitsPackage(stack),
    sync: syncState(input),
    blockedMoves,
  }
}

/** A blocker of this reason makes the state. */
function makesState(reason: string, state: State, input: StatusInput): boolean {
  if (state === 'Failed') return currentFailures(input).some((failure) => failure.reason === reason)
  return stateOfBlocker(reason) === state
}

/** undefined: a blocker of this reason is a failure. */
function stateOfBlocker(reason: string): State | undefined {
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
    case 'Cancelled':
      return 'Behind'
    case 'Window':
    case 'Dependencies':
    case 'Channel':
    case 'MoveWaiting':
    case 'PackageMissing':
      return 'Waiting'
    case 'Drifted':
      return 'Drifted'
    case unreadableInputReason:
    case unhealthyReason:
      return 'Degraded'
    default:
      return undefined
  }
}

function summary(state: State, { stack, last, inProgress }: StatusInput): Pick<StackStatus, 'message' | 'since'> {
  const { applied, observed } = stack
  switch (state) {
    case 'Running':
      return { message: `Run ${last!.id} is ${inProgress ?? last!.phase}.`, since: last!.startedAt ?? last!.createdAt }
    case 'Drifted':
      return { message: driftMessage(stack), since: stack.driftedSince }
    case 'Unknown':
      return applied === null
        ? { message: 'No revision was observed yet.', since: stack.createdAt }
        : { message: 'The target was not compared with the applied revision yet.', since: null }
    case 'Behind':
      return {
        message: `${shortRevision(observed?.revision ?? 'The desired revision')} is not applied.`,
        since: last?.createdAt ?? null,
      }
    case 'Waiting':
      return { message: 'A run is queued.', since: last?.createdAt ?? null }
    case 'Synced':
      return { message: `${shortRevision(applied?.revision ?? '')} is applied.`, since: last?.finishedAt ?? null }
    case 'Failed':
    case 'Needs approval':
    case 'Degraded':
    case 'Suspended':
    case 'Pinned':
      return { message: '', since: null }
  }
}
