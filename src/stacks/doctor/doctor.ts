// stacks/doctor: diagnoses problems and suggests fixes. Takes nothing; gives a check for each part. Promises: changes
// nothing.
import { abortAfter } from '../../lib/abort-after.js'
import { nextText, type Blocker } from '../../model/blocker.js'
import { ok, problem, skipped, warning, type Check } from '../../model/check.js'
import { describeError, SyncError } from '../../model/errors.js'
import type { Run } from '../../model/run.js'
import { shareExecution } from '../../lib/share-execution.js'
import type { Stack } from '../../model/stack.js'
import { pollDelayText } from '../explain/poll-delay-text.js'
import { stackBlockers } from '../../status/blockers.js'
import { currentFailure, needsApproval, needsPerson, type StatusInput } from '../../status/axes.js'
import { unreadableInputReason } from '../../status/unreadable-inputs.js'
import { closedWindow } from '../../status/run-blockers.js'
import { time } from '../queries/view-stack.js'
import type { Diagnosis } from '../../views/diagnosis.js'
import type { Context } from '../context.js'
import { remoteOf } from '../load-package/remotes.js'
import { configurationChecks, viewConfiguration } from './configuration-checks.js'
import { dependencyCheck, isAwaiting } from './dependency-check.js'
import { statusInput, readStatusInputWithPlan } from '../status/status-input.js'

/** The most stacks with checks in one diagnosis. */
const stacksShown = 50
const failingLong = 5
const pageOfStacks = 500
const targetMs = 10_000
const clockSlackMs = 60_000

type Diagnose = ReturnType<typeof shareExecution<Diagnosis>>

const diagnoses = new WeakMap<Context, Diagnose>()

/** Concurrent callers share one diagnosis. */
export function diagnose(context: Context, signal: AbortSignal): Promise<Diagnosis> {
  let shared = diagnoses.get(context)
  if (shared === undefined) diagnoses.set(context, (shared = shareExecution(() => examine(context))))
  return shared(signal)
}

async function examine(context: Context): Promise<Diagnosis> {
  const configuration = context.configuration()
  const stacks = await checkStacks(context)
  const remotes = [...stacks.remotes.keys()].sort()
  const checks = [
    ok('agent', 'The agent runs.'),
    ...(await context.inspections.machine()),
    ...configurationChecks(configuration),
    ...(await databaseEventChecks(context)),
    clockCheck(context, stacks.newest),
    ...context.inspections.access(remotes),
    ...(await context.inspections.webhooks()),
    ...remotes.map((remote) => remoteCheck(context, remote, stacks.remotes.get(remote)!)),
    ...(await Promise.all(context.sync.targets.names.map((name) => targetCheck(context, name)))),
    ...stacks.checks,
  ]
  return { checks, worst: worstState(checks), configuration: viewConfiguration(configuration) }
}

/**
 * Reads all stacks once: remotes with their shortest interval, the newest stored time, and checks of stacks with
 * problems.
 */
async function checkStacks(context: Context): Promise<{
  readonly remotes: ReadonlyMap<string, number>
  readonly newest: number
  readonly checks: readonly Check[]
}> {
  const remotes = new Map<string, number>()
  const stalled: Stack[] = []
  const others: Stack[] = []
  const closed: ClosedStack[] = []
  let newest = 0
  let count = 0
  let inNeed = 0
  for await (const { stack, last } of everyStackWithRun(context)) {
    count++
    newest = Math.max(newest, stack.createdAt, stack.checkedAt ?? 0)
    for (const source of stack.spec.sources) {
      const remote = remoteOf(context, source, stack.spec.name)
      remotes.set(remote, Math.min(remotes.get(remote) ?? stack.spec.intervalMs, stack.spec.intervalMs))
    }
    const input = statusInput(context, stack, last)
    const group = isStalled(input) ? stalled : needsAttention(input) ? others : undefined
    if (group !== undefined) inNeed++
    if (group !== undefined && group.length < stacksShown) group.push(stack)
    const window = closedWindow(stack.spec, context.clock.now(), false)
    if (window !== undefined && input.blockers.length === 0) closed.push({ name: stack.spec.name, until: window.until })
  }
  const first = [...stalled, ...others].slice(0, stacksShown)
  const shown = await Promise.all(first.map((stack) => stackChecks(context, stack)))
  const checks = [...shown.flat(), ...countCheck(count, inNeed), ...windowChecks(closed)]
  return { remotes, newest, checks }
}

async function* everyStackWithRun(
  context: Context,
): AsyncGenerator<{ readonly stack: Stack; readonly last: Run | undefined }> {
  const { stacks, runs } = context.store
  for (let after = ''; ;) {
    const page = await stacks.list({ limit: pageOfStacks, after })
    const last = await runs.last(page.map(({ id }) => id))
    for (const stack of page) yield { stack, last: last.get(stack.id) }
    if (page.length < pageOfStacks) return
    after = page.at(-1)!.spec.name
  }
}

/**
 * The blocker that people should deal with first; the inputs that the next run would miss; and what the stacks that it
 * waits for wait for.
 */
async function stackChecks(context: Context, stack: Stack): Promise<readonly Check[]> {
  const input = await readStatusInputWithPlan(context, stack)
  const blockers = stackBlockers(input).filter(({ reason }) => reason !== 'Dependencies')
  const blocker = blockers.find(({ reason }) => !chosenReasons.has(reason)) ?? blockers[0]
  const waits = isAwaiting(input) ? [await dependencyCheck(context, stack)] : []
  const unreadable = blockers.filter((one) => one.reason === unreadableInputReason && one !== blocker)
  return [
    ...(blocker === undefined ? [] : [blockerCheck(input, blocker)]),
    ...unreadable.map((one) => blockerCheck(input, one)),
    ...waits,
  ]
}

function blockerCheck(input: StatusInput, { reason, message, next: steps }: Blocker): Check {
  const name = `stack ${input.stack.spec.name}`
  const next = nextText(steps)
  if (intendedReasons.has(reason)) return { ...ok(name, message), next }
  return isStalled(input) || reason === unreadableInputReason
    ? problem(name, message, next)
    : warning(name, message, next)
}

/** Decisions of a person that work as intended. The doctor names them, but does not warn. */
const intendedReasons = new Set(['Pinned', 'ChannelPinned', 'MoveVetoed'])

/** A person chose these, so anything else comes first. */
const chosenReasons = new Set([...intendedReasons, 'MoveWaiting'])

/** `until`: when its window opens. */
interface ClosedStack {
  readonly name: string
  readonly until: number | null
}

/** Closed windows that block nothing yet. */
function windowChecks(closed: readonly ClosedStack[]): readonly Check[] {
  const [first] = [...closed].sort((a, b) => (a.until ?? Infinity) - (b.until ?? Infinity))
  if (first === undefined) return []
  const opens = first.until === null ? 'none opens again' : `the next opens at ${time(first.until)} (${first.name})`
  const count = closed.length === 1 ? '1 stack is' : `${closed.length} stacks are`
  return [ok('windows', `${count} closed for automatic syncs now, and nothing waits; ${opens}`)]
}

async function databaseEventChecks(context: Context): Promise<readonly Check[]> {
  const events = await context.store.databaseEvents.list(5)
  return events.map(({ at, code, message }) => warning('notice', `${time(at)}: ${message} (${code})`, eventHint(code)))
}

function clockCheck(context: Context, newest: number): Check {
  const now = context.clock.now()
  if (newest <= now + clockSlackMs) return ok('clock', time(now))
  const message = `The clock says ${time(now)}, but the database contains the time ${time(newest)}.`
  return problem('clock', message, 'Set the clock. Until then gitmoor may start polls and drift checks too late.')
}

function remoteCheck(context: Context, remote: string, intervalMs: number): Check {
  const last = context.scheduler.polls.last(remote)
  const name = `remote ${remote}`
  const delay = context.scheduler.polls.delays.get(remote)
  const delayed = delay === undefined ? '' : `; polls are delayed: ${pollDelayText(delay)}`
  if (last === undefined) return skipped(name, `not polled yet${delayed}`)
  const ago = Math.round((context.clock.now() - last.at) / 1000)
  const when = `polled ${ago} s ago, answered in ${last.ms} ms${delayed}`
  if (last.failure !== null)
    return problem(
      name,
      `${last.failure.message} (${ago} s ago${delayed})`,
      last.failure.hint ?? 'gitmoor retries automatically.',
    )
  if (delay === 'throttled') return warning(name, when, 'Raise limits.pollsPerHost, or the interval of its stacks.')
  if (ago * 1000 <= 3 * intervalMs || delay !== undefined) return ok(name, when)
  return warning(
    name,
    `${when}; that is more than three intervals ago`,
    'The agent is late: check its log, and `limits.concurrency`.',
  )
}

async function targetCheck(context: Context, target: string): Promise<Check> {
  const { clock, sync } = context
  const began = clock.now()
  const soon = abortAfter(targetMs)
  try {
    await sync.targets.reach(target, {}, soon, ({ connection }) => connection.list({ limit: 1 }, soon))
    return ok(`target ${target}`, `answered in ${clock.now() - began} ms`)
  } catch (error) {
    return problem(`target ${target}`, describeError(error), afterTarget(error))
  }
}

/** An embedded target is in the database, so its errors do not concern an address or credentials. */
function afterTarget(error: unknown): string {
  if (error instanceof SyncError && error.code.startsWith('store/') && error.hint !== undefined) return error.hint
  return 'Check the address and the credentials of the target in the configuration file.'
}

function eventHint(code: string): string {
  if (code !== 'store/lost-key') return 'If you know the reason, nothing.'
  return (
    'See what those stacks would do: gitmoor plan NAME. ' +
    'If a backup contains the key, stop the agent, restore the file `key`, and start it again.'
  )
}

function needsAttention(input: StatusInput): boolean {
  const { suspended, pinned, drifted, spec } = input.stack
  const isMoveBlocked = input.blockedMoves.some(({ reason }) => reason !== 'MoveWaiting')
  return (
    suspended !== null ||
    pinned !== null ||
    input.blockers.length > 0 ||
    input.unreadableInputs.length > 0 ||
    currentFailure(input) !== undefined ||
    needsApproval(input) ||
    isMoveBlocked ||
    (drifted > 0 && spec.drift === 'report')
  )
}

/** The stack needs a person, or has failed several times in a row. */
function isStalled(input: StatusInput): boolean {
  const failure = currentFailure(input)
  return (
    input.stack.suspended === null &&
    failure !== undefined &&
    (needsPerson(input) || input.stack.retries >= failingLong)
  )
}

/** Of `count` stacks, `inNeed` need attention. */
function countCheck(count: number, inNeed: number): readonly Check[] {
  if (inNeed === 0) return [ok('stacks', `${count}, none needs attention`)]
  const rest = inNeed - stacksShown
  return rest <= 0 ? [] : [warning('stacks', `${rest} more stacks need attention.`, 'gitmoor stack list')]
}

export function worstState(checks: readonly Check[]): Diagnosis['worst'] {
  const states = checks.map(({ state }) => state)
  return states.includes('problem') ? 'problem' : states.includes('warning') ? 'warning' : 'ok'
}
