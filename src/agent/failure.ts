import { withoutUndefined } from '../lib/without-undefined.js'
import {
  Ambiguous,
  conflictReason,
  describeError,
  InvalidPackage,
  isConflict,
  Refused,
  Rejected,
  SyncError,
  tooManyOpen,
  Unavailable,
} from '../model/errors.js'
import { errorSummary, type Problem } from '../model/problem.js'
import type { Failure, Stack } from '../model/stacks/stack.js'
import { failureHint } from '../status/failure-blockers.js'
import { unreadableInputReason } from '../status/unreadable-inputs.js'

/** The failure of a stack by an error: the reason of its condition, and when it is retried. */
export function toFailure(given: unknown): Failure {
  const error = tooManyOpen(given) ?? given
  const facts = error instanceof SyncError ? error : undefined
  return {
    reason: failureReason(given),
    code: facts?.code ?? 'bug',
    message: failureMessage(error),
    ...withoutUndefined({ hint: facts?.hint, suggestion: facts?.suggestion }),
    retry: failureRetry(error),
  }
}

/** The failure, with the time of the first one in a row. `before`: what failed last; null: nothing. */
export function repeatedFailure(failure: Failure, before: Failure | null, now: number): Failure {
  if (before?.code !== failure.code) return { ...failure, since: now }
  return before.since === undefined ? failure : { ...failure, since: before.since }
}

/** Of a package: its first error with its place, and how many others there are. */
function failureMessage(error: unknown): string {
  const summary = error instanceof InvalidPackage ? errorSummary(error.problems) : undefined
  return summary ?? describeError(error)
}

/** The number of resources that another stack owns and declares differently. */
export function claimedCount(error: unknown): number {
  return error instanceof InvalidPackage ? error.problems.filter(({ code }) => code === 'plan/claimed').length : 0
}

/** The problems of a run of this stack that ended with an error. */
export function toProblems(error: unknown, stack: Stack): readonly Problem[] {
  if (error instanceof InvalidPackage) return error.problems
  const failure = toFailure(error)
  const hint = failureHint(stack, failure)
  const { code, message } = failure
  return [{ severity: 'error', code, message, ...(hint === undefined ? {} : { hint }) }]
}

/** A run needed a secret or a value that could not be read. */
const unreadableInputCodes = ['stacks/value-unreadable', 'stacks/secret-not-allowed']

function failureReason(error: unknown): string {
  if (isConflict(error)) return conflictReason
  if (error instanceof InvalidPackage) return claimedCount(error) > 0 ? 'Claimed' : 'PackageInvalid'
  if (error instanceof Ambiguous) return 'Ambiguous'
  if (!(error instanceof SyncError)) return 'ApplyFailed'
  if (unreadableInputCodes.includes(error.code)) return unreadableInputReason
  if (error.code.startsWith('source/')) return 'FetchFailed'
  if (error.code.startsWith('store/')) return 'DatabaseFailed'
  if (error.code === 'platform/target-missing') return 'TargetMissing'
  if (error.code === 'config/not-given') return 'ConfigurationMissing'
  if (error.refusesAccess === true) return 'TargetRefused'
  if (error instanceof Unavailable) return 'TargetUnreachable'
  return error.code.startsWith('platform/') && !(error instanceof Rejected) ? 'TargetUnreachable' : 'ApplyFailed'
}

function failureRetry(error: unknown): Failure['retry'] {
  if (error instanceof Ambiguous) return 'person'
  if (error instanceof SyncError && error.refusesAccess === true) return 'soon'
  if (isConflict(error)) return 'soon'
  if (error instanceof Rejected || error instanceof InvalidPackage || error instanceof Refused) return 'change'
  return 'soon'
}
