// What changed about a stack since it was last reported: transitions, and statuses of commits. Pure. It compares states
// and counts no events, so a repeated failure is reported once, and what a killed process missed is found by the next.
import type { CommitStatus, StackReport, Transition } from '../model/agent/message.js'
import { revisionHashes, shortRevision } from '../model/sources/revision.js'
import type { Run } from '../model/stacks/run.js'
import { currentFailure, driftMessage, needsApproval, syncState, type StatusInput } from '../status/axes.js'
import { commitStatuses, endedStatuses } from './commit-statuses.js'

/** `isPolled`: the remotes of the stack were polled since the process began, and the failures are known. */
export interface ReportInput {
  readonly status: StatusInput
  readonly isPolled: boolean
  /** A drift check is in progress that queues a correction of what it finds. */
  readonly isCorrecting: boolean
  readonly now: number
  /** Runs of pending statuses, by id. */
  readonly runs: ReadonlyMap<string, Run>
}

export interface ReportChanges {
  readonly report: StackReport
  readonly transitions: readonly Transition[]
  readonly statuses: readonly CommitStatus[]
}

type Condition = Pick<StackReport, 'key' | 'isOfPoll'> &
  Pick<Transition, 'message' | 'code' | 'hint'> & { readonly kind: NonNullable<StackReport['condition']> }

/** `before`: undefined for a new stack. */
export function reportChanges(before: StackReport | undefined, input: ReportInput): ReportChanges {
  const { status } = input
  const known = before ?? unreported(status)
  const condition = currentCondition(input, known)
  const correction = correctionOf(status.last)
  const isCorrected = correction !== undefined && correction !== known.correction
  const statuses = commitStatuses(status, known.statuses)
  const report = {
    ...known,
    name: status.stack.spec.name,
    ...nextCondition(known, condition, input),
    correction: correction ?? known.correction,
    statuses,
  }
  const isNew = condition !== undefined && (condition.kind !== known.condition || condition.key !== known.key)
  return {
    report,
    transitions: [
      ...(isCorrected ? [transition(input, correctedDrift(status.last!))] : []),
      ...(isNew ? [transition(input, condition)] : []),
      ...(known.isBroken && !report.isBroken ? [transition(input, recovery(status))] : []),
    ],
    statuses: [
      ...endedStatuses(known.statuses, statuses, { last: status.last, runs: input.runs }),
      ...changed(known.statuses, statuses),
    ],
  }
}

/** When watching begins, or begins again: ended runs are reported only at commits with a pending status. */
export function firstReport(before: StackReport | undefined, input: ReportInput): ReportChanges {
  const { status } = input
  const known = before ?? unreported(status)
  const correction = correctionOf(status.last) ?? known.correction
  const ended = status.last?.outcome == null ? [] : commitStatuses(status, known.statuses)
  const isPending = ({ remote, commit }: CommitStatus): boolean =>
    known.statuses.some((one) => one.state === 'pending' && one.remote === remote && one.commit === commit)
  const statuses = [...ended.filter((one) => !isPending(one)), ...known.statuses]
  return reportChanges({ ...known, correction, statuses }, input)
}

function unreported({ stack }: StatusInput): StackReport {
  const none = { condition: null, key: '', isOfPoll: false, isBroken: false, correction: '', statuses: [] } as const
  return { stack: stack.id, name: stack.spec.name, ...none }
}

/** A condition ends when the stack is synced. Until then it may come back, as after a retry. */
function nextCondition(
  known: StackReport,
  condition: Condition | undefined,
  { status, isPolled }: ReportInput,
): Pick<StackReport, 'condition' | 'key' | 'isOfPoll' | 'isBroken'> {
  if (condition !== undefined) {
    const { kind, key, isOfPoll } = condition
    return { condition: kind, key, isOfPoll, isBroken: known.isBroken || kind !== 'needs-approval' }
  }
  const isUndecided = known.isOfPoll && !isPolled
  const isEnded = !isUndecided && syncState(status) === 'Synced' && status.last?.outcome !== null
  return isEnded ? { condition: null, key: '', isOfPoll: false, isBroken: false } : known
}

function currentCondition({ status, isCorrecting }: ReportInput, known: StackReport): Condition | undefined {
  const { stack, last } = status
  const failure = currentFailure(status)
  const revision = revisionHashes(last?.revision ?? '')
  if (failure !== undefined) {
    const { code, message, hint = '' } = failure
    const isOfPoll = failure === status.pollFailure
    // A run in progress has another revision than the one that failed: the comparison after its end counts.
    const isOfEarlierRun = !isOfPoll && last?.outcome === null
    if (isOfEarlierRun && known.condition !== 'failed') return undefined
    const key = isOfEarlierRun ? known.key : isOfPoll ? code : `${code} ${revision}`
    return { kind: 'failed', key, isOfPoll, code, message, hint }
  }
  if (last !== undefined && needsApproval(status)) {
    const key = `${revision} ${last.intent} ${JSON.stringify(last.changes)}`
    const hint = `Read the plan, then approve it: gitmoor plan ${stack.spec.name}`
    return { kind: 'needs-approval', key, isOfPoll: false, code: '', message: approvalMessage(last), hint }
  }
  // A run corrects it that is queued, or is about to be.
  const isCorrected = stack.spec.drift === 'correct' && (isCorrecting || last?.outcome === null)
  if (stack.drifted === 0 || isCorrected) return undefined
  const key = String(stack.driftedSince)
  return { kind: 'drifted', key, isOfPoll: false, code: '', message: driftMessage(stack), hint: '' }
}

function approvalMessage({ id, revision }: Run): string {
  return `The plan of run ${id} for ${shortRevision(revision)} needs approval.`
}

/** The run, if it corrected drift. */
function correctionOf(last: Run | undefined): string | undefined {
  return last?.cause.kind === 'drift' && last.outcome === 'applied' ? last.id : undefined
}

type Words = Pick<Transition, 'kind' | 'message'> & Partial<Pick<Transition, 'code' | 'hint'>>

function correctedDrift({ id, cause }: Run): Words {
  const found = cause.note === undefined ? '' : `: ${cause.note}`
  return { kind: 'drifted', message: `Run ${id} corrected drift${found}.` }
}

function recovery({ stack }: StatusInput): Words {
  return { kind: 'recovered', message: `${shortRevision(stack.applied?.revision ?? '')} is applied.` }
}

function transition({ status, now }: ReportInput, { kind, message, code = '', hint = '' }: Words): Transition {
  const { stack, last } = status
  const { name, labels, target } = stack.spec
  const run = { revision: last?.revision ?? '', run: last?.id ?? '' }
  return { kind, stack: name, labels, target, at: now, message, code, hint, ...run }
}

function changed(before: readonly CommitStatus[], now: readonly CommitStatus[]): readonly CommitStatus[] {
  return now.filter((one) => !before.includes(one))
}
