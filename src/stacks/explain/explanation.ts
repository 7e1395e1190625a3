// Explains a stack in sentences: why its last run started, what blocks it, and what happens next.
import { isoTime, timeText } from '../../lib/text/time-text.js'
import type { ChannelMove } from '../../model/sources/channel.js'
import type { Fleet } from '../../model/stacks/fleet.js'
import { errorsOf, errorSummary, placedMessage } from '../../model/problem.js'
import { causeText, type Cause, type Run, type WindowOverride } from '../../model/stacks/run.js'
import type { Failure, StackSpec } from '../../model/stacks/stack.js'
import { followText } from '../../settings/follow-text.js'
import { nextTime } from '../../settings/schedule.js'
import { windowState } from '../../settings/sync-windows.js'
import { pollDelayText } from './poll-delay-text.js'
import { nextText, type Blocker } from '../../model/stacks/blocker.js'
import { stackBlockers, stackStatus, type StackStatus } from '../../status/status.js'
import type { Dependency } from '../../status/dependency.js'
import type { PollDelay, RemotePoll } from '../scheduler.js'
import { currentFailures, isCancelled, isRefusal, type StatusInput } from '../../status/axes.js'
import { viewMove } from '../queries/view-channel.js'
import { timeOrNull, viewBlocker, viewStatus } from '../queries/view-stack.js'
import type { Explanation, FollowedView } from '../../views/explanation.js'
import type { SourceView } from '../../views/stack.js'

/** A source and its last poll. `observedAt`: when its revision was first observed, in milliseconds since the epoch. */
export interface FollowedSource {
  readonly source: SourceView
  readonly observedAt: number | null
  readonly poll: RemotePoll | undefined
  readonly move: ChannelMove | undefined
}

export interface ExplanationInput {
  readonly status: StatusInput
  readonly nextPollAt: number | null
  /** When a requested poll begins that waits, because the last poll failed. */
  readonly requestedPollAt: number | null
  /** When gitmoor checks next what is due for the stack. */
  readonly nextWorkAt: number | null
  /** Why polls of its remotes are later than the interval says. */
  readonly delays: readonly PollDelay[]
  readonly followed: readonly FollowedSource[]
  readonly dependencies: readonly Dependency[]
  /** The fleet that declares it; undefined: none does. */
  readonly fleet: Fleet | undefined
  /** Newest first. */
  readonly overrides: readonly WindowOverride[]
  readonly now: number
}

export function explanation({
  status,
  nextPollAt,
  requestedPollAt,
  nextWorkAt,
  delays,
  followed,
  dependencies,
  fleet,
  overrides,
  now,
}: ExplanationInput): Explanation {
  const { stack, last } = status
  const { spec } = stack
  const follows = followed.map(viewFollowed)
  const blockers = stackBlockers(status)
  const lastRun = last === undefined ? 'No run yet.' : runSentences(last, isCancelled(status), blockers)
  const refusals = currentFailures(status).filter(isRefusal)
  const stateOfStack = stackStatus(status)
  const isIdle = stack.suspended !== null || refusals.length > 0
  const text = [
    `${spec.name} follows ${follows.map(({ source }) => source).join(', ')}.`,
    ...(fleet === undefined ? [] : fleetSentences(fleet)),
    lastRun,
    ...(blockers.length === 0
      ? ['Nothing blocks the stack.', ...uncomparedText(stateOfStack)]
      : blockers.map(({ message, next }) => `${message} ${nextText(next)}`)),
    ...(stack.unhealthy === null ? [] : [checkText(stack.checkedAt)]),
    ...stateOfStack.warnings.map((one) => `Warning: ${placedMessage(one)} ${one.hint ?? ''}`.trimEnd()),
    nextPollText(nextPollAt, refusals),
    ...(requestedPollAt === null ? [] : [requestedPollText(requestedPollAt)]),
    ...delays.map((why) => `Polls are delayed: ${pollDelayText(why)}.`),
    ...overrides.map((one) => `At ${timeText(one.at)}, ${one.by} overrode a closed window to ${one.what}: ${one.why}`),
  ].join('\n')
  return {
    name: spec.name,
    labels: spec.labels,
    fleet: fleet === undefined ? null : { name: fleet.spec.name, problems: fleet.listing?.problems ?? [] },
    follows,
    lastRun,
    status: viewStatus(stateOfStack, now),
    blockers: blockers.map(viewBlocker),
    window: viewWindow(spec, now),
    dependencies: dependencies.map(({ name, ready, why }) => ({ name, ready, why })),
    nextPollAt: timeOrNull(nextPollAt),
    requestedPollAt: timeOrNull(requestedPollAt),
    delays: delays.map(pollDelayText),
    nextScheduleAt: isIdle ? null : timeOrNull(nextTime(spec.schedule, spec.timeZone, now) ?? null),
    checkedAt: timeOrNull(stack.checkedAt),
    nextDriftCheckAt: isIdle ? null : timeOrNull(nextDriftCheckAt(status, nextWorkAt)),
    nextRetryAt: !isIdle && stack.failure?.retry === 'soon' ? timeOrNull(stack.retryAt) : null,
    overrides: overrides.map((one) => ({ ...one, at: isoTime(one.at) })),
    text,
  }
}

function uncomparedText({ message, next }: StackStatus): readonly string[] {
  return next.length === 0 ? [] : [`${message} ${nextText(next)}`]
}

function checkText(at: number | null): string {
  return at === null
    ? 'The resources were not checked since the last change.'
    : `The last check was at ${timeText(at)}.`
}

function fleetSentences({ spec: { name }, listing }: Fleet): readonly string[] {
  return [
    `Fleet ${name} declares it.`,
    ...(listing?.problems ?? []).map((one) => `Fleet ${name} changes nothing: ${placedMessage(one)} ${one.hint ?? ''}`),
  ].map((sentence) => sentence.trimEnd())
}

function nextPollText(at: number | null, refusals: readonly Failure[]): string {
  if (at !== null) return `The next poll is at ${timeText(at)}.`
  const isLeftAlone = refusals.some(({ reason }) => reason === 'ConfigurationMissing')
  return isLeftAlone ? 'gitmoor does not poll the source.' : 'The source is being polled.'
}

function requestedPollText(at: number): string {
  return `A poll was requested. It begins at ${timeText(at)}, because the last one failed.`
}

function viewFollowed({ source, observedAt, poll, move }: FollowedSource): FollowedView {
  return {
    source: followText(source),
    revision: source.revision,
    ...(source.tag === undefined ? {} : { tag: source.tag }),
    observedAt: timeOrNull(observedAt),
    polledAt: timeOrNull(poll?.at ?? null),
    problem: poll?.failure?.message ?? null,
    move: move === undefined ? null : viewMove(move),
  }
}

function viewWindow({ windows, timeZone }: StackSpec, now: number): Explanation['window'] {
  if (windows.length === 0) return null
  const { isOpen, until, deniedBy } = windowState(windows, timeZone, now)
  return { open: isOpen, until: timeOrNull(until), reason: deniedBy?.reason ?? null }
}

/** null: no drift check is scheduled. It is never before gitmoor checks what is due. */
function nextDriftCheckAt({ stack, last }: StatusInput, nextWorkAt: number | null): number | null {
  const { spec, applied, failure, checkedAt } = stack
  const isWatched =
    spec.drift !== 'ignore' && applied !== null && failure === null && last?.outcome !== 'needs-approval'
  if (!isWatched) return null
  return checkedAt === null ? nextWorkAt : Math.max(checkedAt + spec.driftIntervalMs, nextWorkAt ?? 0)
}

function runSentences(run: Run, cancelled: boolean, blockers: readonly Blocker[]): string {
  const outcome = cancelled && run.outcome === 'needs-approval' ? 'cancelled' : run.outcome
  const problems = isBlockerOnly(run, blockers) ? [] : run.problems
  return `${outcomeSentence({ ...run, outcome, problems })} Cause: ${causeText(newCause(run)).replace(/\.$/, '')}.`
}

/** A blocker says the only error of the run. */
function isBlockerOnly({ problems }: Run, blockers: readonly Blocker[]): boolean {
  const errors = errorsOf(problems)
  return errors.length === 1 && blockers.some(({ message }) => message.includes(errors[0]!.message))
}

/** The cause without the error of the run: a retry that failed alike names it as its cause. */
function newCause({ cause, problems }: Run): Cause {
  const { note, ...others } = cause
  const [first] = errorsOf(problems)
  const isRepeated = first !== undefined && (note === first.message || note === placedMessage(first))
  return isRepeated ? others : cause
}

function outcomeSentence({ id, phase, outcome, problems, changes }: Run): string {
  const why = errorsOf(problems).length === 0 ? '.' : `: ${errorSummary(problems)!.replace(/\.$/, '')}.`
  switch (outcome) {
    case null:
      return `Run ${id} is ${phase}.`
    case 'applied': {
      const { create = 0, update = 0, remove = 0 } = changes ?? {}
      return `Run ${id} created ${create}, updated ${update}, removed ${remove}.`
    }
    case 'unchanged':
      return `Run ${id} had nothing to change.`
    case 'needs-approval':
      return `The plan of run ${id} needs approval.`
    case 'failed':
      return `Run ${id} failed${why}`
    case 'undone':
      return `Run ${id} failed and reverted its changes${why}`
    case 'superseded':
      return `A newer run superseded run ${id}.`
    case 'cancelled':
      return `Run ${id} was cancelled.`
    case 'interrupted':
      return `Run ${id} was interrupted.`
  }
}
