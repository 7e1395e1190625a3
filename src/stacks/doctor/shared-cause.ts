// A problem of many stacks at once, such as an unreachable remote: one check reports it, and names the stacks.
import type { Blocker } from '../../model/stacks/blocker.js'
import type { Check } from '../../model/agent/check.js'
import type { Stack } from '../../model/stacks/stack.js'
import { currentFailures, type StatusInput } from '../../status/axes.js'
import { stackBlockers } from '../../status/status.js'
import { unreadableInputReason } from '../../status/unreadable-inputs.js'
import type { Context } from '../context.js'
import { remoteOf } from '../load-package/remotes.js'

/** The remotes that are polled for the stack; none, if the agent leaves it alone. */
export function polledRemotes(context: Context, stack: Stack): readonly string[] {
  if (context.scheduler.refusal(stack) !== undefined) return []
  return stack.spec.sources.map((source) => remoteOf(context, source, stack.spec.name))
}

/** Decisions of a person that work as intended. The doctor names them, but does not warn. */
export const intendedReasons = new Set(['Pinned', 'ChannelPinned'])

/** A person chose these, so anything else comes first. */
const chosenReasons = new Set([...intendedReasons, 'MoveWaiting', 'MoveVetoed'])

/** The blocker that people should deal with first. Dependencies and inputs have checks of their own. */
export function firstBlocker(input: StatusInput): Blocker | undefined {
  const blockers = stackBlockers(input).filter(({ reason }) => reason !== 'Dependencies')
  const failed = new Set(currentFailures(input).map(({ reason }) => reason))
  const isInput = (reason: string): boolean => reason === unreadableInputReason && !failed.has(reason)
  const others = blockers.filter(({ reason }) => !chosenReasons.has(reason))
  return others.find(({ reason }) => !isInput(reason)) ?? others[0] ?? blockers[0]
}

/** Blockers that are named before and after another one. */
interface BesideBlocker {
  readonly before: readonly Blocker[]
  readonly after: readonly Blocker[]
}

export const noBlockers: BesideBlocker = { before: [], after: [] }

/** Reasons of blockers that keep a stack at its commit. */
const keptReasons = new Set(['Suspended', 'Pinned', 'ChannelPinned', 'MoveVetoed', 'MoveRefused'])

/**
 * Beside a failure, a cancelled run or a plan that needs approval: the blockers that keep the stack at its commit, in
 * the order of all blockers.
 */
export function keptBy(input: StatusInput, { reason, message }: Blocker): BesideBlocker {
  const failure = [...currentFailures(input), input.stack.failure].find((one) => one?.reason === reason)
  if (failure === undefined && reason !== 'NeedsApproval') return noBlockers
  const all = stackBlockers(input)
  const at = all.findIndex((one) => one.reason === reason && one.message === message)
  const isKept = (one: Blocker): boolean => keptReasons.has(one.reason)
  return { before: all.slice(0, at).filter(isKept), after: all.slice(at + 1).filter(isKept) }
}

/**
 * The name of the check that reports the stack's first blocker for all stacks that have it; undefined: it is the
 * stack's own. `failed`: the names of the target checks with a problem.
 */
export function sharedCause(context: Context, input: StatusInput, failed: ReadonlySet<string>): string | undefined {
  const blocker = firstBlocker(input)
  const failure = currentFailures(input).find(({ reason }) => reason === blocker?.reason)
  if (failure === undefined) return undefined
  const target = `target ${input.stack.spec.target}`
  switch (failure.reason) {
    case 'ConfigurationMissing':
      return 'configuration'
    case 'TargetMissing':
      return target
    case 'TargetUnreachable':
    case 'TargetRefused':
      return failed.has(target) ? target : undefined
    case 'FetchFailed':
      return polledRemotes(context, input.stack)
        .filter((remote) => context.scheduler.polls.last(remote)?.failure?.code === failure.code)
        .map((remote) => `remote ${remote}`)[0]
    default:
      return undefined
  }
}

/** The most names of affected stacks that a check has. */
const namesShown = 50

/** With the stacks that have its problem. `affected`: their names, by the name of the check. */
export function withAffected(check: Check, affected: ReadonlyMap<string, readonly string[]>): Check {
  const names = check.state === 'problem' ? affected.get(check.name) : undefined
  if (names === undefined) return check
  return { ...check, affects: { count: names.length, stacks: names.slice(0, namesShown) } }
}
