// Why a stack does not continue by itself, and what ends each reason: the exact command, or the exact change.
import { command, edit, stackCommand, type Blocker, type NextStep, type RunBlocker } from '../model/stacks/blocker.js'
import type { BlockedMove } from '../channel/blocked-move.js'
import { revisionMatches, shortRevision } from '../model/sources/revision.js'
import {
  awaitsPackage,
  isUndeclared,
  isUninstalled,
  suspensionText,
  type Failure,
  type Pin,
  type Stack,
  type Suspension,
} from '../model/stacks/stack.js'
import { ownerText } from '../model/stacks/stack-owner.js'
import { afterUndeclared } from './after-undeclared.js'
import { awaitedApprovals } from './approval-blockers.js'
import { currentFailures, driftMessage, isCancelled, isRefusal, needsApproval, type StatusInput } from './axes.js'
import { changeSetting, failureBlockers } from './failure-blockers.js'
import { missingSecretBlockers } from './run-warnings.js'
import { unhealthyBlockers } from './unhealthy-blockers.js'
import { unreadableInputBlockers } from './unreadable-inputs.js'

/**
 * All of them, in the same order in every state: what a missing declaration refuses (until it ends, no command of the
 * others works), suspension, pin, blocked moves, a plan that needs approval, failures, a cancelled run, inputs that
 * cannot be read, secrets that nobody gave, a package that was not pushed, windows and dependencies, drift that is not
 * corrected, resources that do not work. `input.last` comes with its plan. stackBlockers (status.ts) moves those of the
 * state to the front.
 */
export function everyBlocker(input: StatusInput): readonly Blocker[] {
  const { stack, last } = input
  const failures = currentFailures(input)
  const failed = (isWanted: (failure: Failure) => boolean): readonly Blocker[] =>
    failures.flatMap((failure, at) => (isWanted(failure) ? failureBlockers(input, failure, at === 0) : []))
  return [
    ...failed(isRefusal),
    ...(stack.suspended === null ? [] : [suspensionBlocker(stack, stack.suspended, input.dependencyRemovals)]),
    ...(stack.pinned === null ? [] : [pinned(stack, stack.pinned)]),
    ...input.blockedMoves.map((move) => moveBlocker(stack, move)),
    ...(last !== undefined && needsApproval(input) ? awaitedApprovals(input, last) : []),
    ...failed((failure) => !isRefusal(failure)),
    ...(isCancelled(input) ? [cancelled(input)] : []),
    ...unreadableInputBlockers(stack, input.unreadableInputs, failures),
    ...missingSecretBlockers(last),
    ...(failures.length === 0 ? packageBlockers(stack) : []),
    ...input.blockers,
    ...(stack.drifted > 0 && stack.spec.drift !== 'correct' && failures.every(({ reason }) => reason !== 'Claimed')
      ? [keptDrift(stack)]
      : []),
    ...unhealthyBlockers(stack),
  ]
}

/** Without a commit that was released before it, a veto leaves the vetoed one applied. */
function moveBlocker(
  { observed, applied }: Stack,
  { commit, blocksRuns: _blocksRuns, ...blocker }: BlockedMove,
): Blocker {
  const stays =
    blocker.reason === 'MoveVetoed' &&
    commit !== null &&
    [observed, applied].every((one) => one !== null && revisionMatches(one.revision, commit))
  return stays
    ? { ...blocker, message: `${blocker.message} It stays applied: no commit was released before it.` }
    : blocker
}

/** `removals`: after an uninstall, how other stacks stop depending on it. */
export function suspensionBlocker(
  stack: Stack,
  suspension: Suspension,
  removals: readonly NextStep[] = [],
): Blocker<'Suspended'> {
  const { name } = stack.spec
  const message = `Suspended${suspensionText(suspension)}.`
  const next = isUndeclared(stack)
    ? afterUndeclared(stack, suspension)
    : isUninstalled(stack)
      ? [...removals, ...afterUninstall(stack)]
      : [stackCommand('', 'resume', name)]
  return { reason: 'Suspended', message, since: suspension.at ?? null, until: suspension.until, next }
}

function afterUninstall({ spec: { name }, managedBy }: Stack): readonly NextStep[] {
  const deletion =
    managedBy === 'api'
      ? command('Delete it', 'stack delete', { stack: name }, `gitmoor stack delete ${name}`)
      : edit(`Remove ${name} from ${ownerText(managedBy)}`)
  return [deletion, stackCommand('Or install it again', 'resume', name)]
}

function pinned({ spec: { name } }: Stack, { run, revision, by, why, at }: Pin): Blocker {
  const message = `Pinned at ${shortRevision(revision)} (run ${run}) by ${by}${why === '' ? '' : `: ${why}`}.`
  const next = [stackCommand('A revision that changes its package ends the pin. Or end it now', 'unpin', name)]
  return { reason: 'Pinned', message, since: at ?? null, until: null, next }
}

function cancelled({ stack, last }: StatusInput): Blocker {
  const next = [
    stackCommand(
      'Push a new revision or change a setting: gitmoor applies it at once. Or sync',
      'sync',
      stack.spec.name,
    ),
  ]
  const message = `${stack.failure?.message ?? ''}${keptText(last)}`
  return { reason: 'Cancelled', message, since: last?.finishedAt ?? null, until: null, next }
}

/** Changes that a cancelled run completed before its end. */
function keptText(last: StatusInput['last']): string {
  if (last?.outcome !== 'cancelled' || last.changes === null) return ''
  const { create, update, remove } = last.changes
  const kept = create + update + remove
  return kept === 0 ? '' : ` ${kept} ${kept === 1 ? 'completed change is' : 'completed changes are'} kept.`
}

/** Of a stack to which no package was pushed. */
export const awaitedPackageMessage = 'The stack waits for its first package.'

/** Blocks the first run of an inline stack until somebody pushes its package. */
export function packageBlockers(stack: Stack): readonly RunBlocker[] {
  if (!awaitsPackage(stack)) return []
  const { spec, createdAt } = stack
  const push = command('Push it', 'stack push', { stack: spec.name }, `gitmoor stack push ${spec.name} -f FILE`)
  return [{ reason: 'PackageMissing', message: awaitedPackageMessage, since: createdAt, until: null, next: [push] }]
}

function keptDrift(stack: Stack): Blocker {
  const { spec } = stack
  const kept = spec.drift === 'report' ? 'Drift is only reported.' : 'Drift is ignored.'
  const message = `${driftMessage(stack)} ${kept}`
  const next = [
    stackCommand('See it', 'plan', spec.name),
    stackCommand('Correct it', 'sync', spec.name),
    changeSetting('Always correct it', stack, '--drift correct'),
  ]
  return { reason: 'Drifted', message, since: stack.driftedSince, until: null, next }
}
