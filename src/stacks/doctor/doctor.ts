// stacks/doctor: diagnoses problems and suggests fixes. Takes nothing; gives a check for each part. Promises: changes
// nothing.
import { abortAfter } from '../../lib/abort-after.js'
import { timeText } from '../../lib/time-text.js'
import { nextText, type Blocker } from '../../model/blocker.js'
import { ok, problem, skipped, warning, type Check } from '../../model/check.js'
import { describeError, SyncError } from '../../model/errors.js'
import { placedMessage } from '../../model/problem.js'
import type { Run } from '../../model/run.js'
import { shareExecution } from '../../lib/share-execution.js'
import type { Stack } from '../../model/stack.js'
import { pollDelayText } from '../explain/poll-delay-text.js'
import { stackStatus } from '../../status/status.js'
import { stackBlockers } from '../../status/blockers.js'
import { unreadableInputReason } from '../../status/unreadable-inputs.js'
import {
  currentFailure,
  isCancelled,
  lacksInputs,
  needsApproval,
  needsPerson,
  type StatusInput,
} from '../../status/axes.js'
import { runWarnings } from '../../status/run-warnings.js'
import { closedWindow } from '../../status/run-blockers.js'
import type { Diagnosis } from '../../views/diagnosis.js'
import type { Context } from '../context.js'
import { configurationChecks, viewConfiguration } from './configuration-checks.js'
import { dependencyCheck } from './dependency-check.js'
import { firstBlocker, intendedReasons, polledRemotes, sharedCause, withAffected } from './shared-cause.js'
import { isAwaiting } from '../status/awaited-stacks.js'
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
  const targets = await Promise.all(context.sync.targets.names.map((name) => targetCheck(context, name)))
  const stacks = await checkStacks(context, new Set(targets.filter(isProblem).map(({ name }) => name)))
  const remotes = [...stacks.remotes.keys()].sort()
  const found = [
    ok('agent', 'The agent runs.'),
    ...(await context.inspections.machine()),
    ...configurationChecks(configuration),
    ...(await databaseEventChecks(context)),
    clockCheck(context, stacks.newest),
    ...context.inspections.access(remotes),
    ...(await context.inspections.webhooks()),
    ...remotes.map((remote) => remoteCheck(context, remote, stacks)),
    ...targets,
    ...[...stacks.missingTargets].sort().map((name) => missingTargetCheck(context, name, stacks)),
    ...stacks.checks,
  ]
  const checks = found.map((check) => withAffected(check, stacks.affected))
  return { checks, worst: worstState(checks), configuration: viewConfiguration(configuration) }
}

/**
 * `remotes`: with their shortest interval. `newest`: the newest stored time. `checks`: of stacks with problems.
 * `affected`: by the name of a check, the names of the stacks that have the same problem.
 */
interface CheckedStacks {
  readonly remotes: ReadonlyMap<string, number>
  readonly newest: number
  readonly checks: readonly Check[]
  readonly affected: ReadonlyMap<string, readonly string[]>
  readonly missingTargets: ReadonlySet<string>
}

/** `cause`: the name of the check that has the same problem. */
interface StackInNeed {
  readonly stack: Stack
  readonly cause: string | undefined
}

/** Reads all stacks once. `failed`: the names of the target checks with a problem. */
async function checkStacks(context: Context, failed: ReadonlySet<string>): Promise<CheckedStacks> {
  const remotes = new Map<string, number>()
  const stalled: StackInNeed[] = []
  const others: StackInNeed[] = []
  const affected = new Map<string, string[]>()
  const missingTargets = new Set<string>()
  const closed: ClosedStack[] = []
  let newest = 0
  let count = 0
  for await (const { stack, last } of everyStackWithRun(context)) {
    count++
    newest = Math.max(newest, stack.createdAt, stack.checkedAt ?? 0)
    for (const remote of polledRemotes(context, stack))
      remotes.set(remote, Math.min(remotes.get(remote) ?? stack.spec.intervalMs, stack.spec.intervalMs))
    const input = statusInput(context, stack, last)
    const group = isStalled(input) ? stalled : needsAttention(input) ? others : undefined
    const cause = group && sharedCause(context, input, failed)
    group?.push({ stack, cause })
    if (cause !== undefined) addTo(affected, cause, stack.spec.name)
    if (currentFailure(input)?.reason === 'TargetMissing') missingTargets.add(stack.spec.target)
    const window = closedWindow(stack.spec, context.clock.now(), false)
    if (window !== undefined && input.blockers.length === 0) closed.push({ name: stack.spec.name, until: window.until })
  }
  const inNeed = [...stalled, ...others]
  const own = inNeed.filter(({ cause }) => cause === undefined)
  const first = [...own, ...inNeed.filter(({ cause }) => cause !== undefined)].slice(0, stacksShown)
  const shown = await Promise.all(first.map((one) => stackChecks(context, one)))
  const summary = inNeed.length === 0 ? [ok('stacks', `${count}, none needs attention`)] : moreCheck(own.length)
  return { remotes, newest, checks: [...shown.flat(), ...summary, ...windowChecks(closed)], affected, missingTargets }
}

function addTo(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

function missingTargetCheck({ sync }: Context, target: string, { affected }: CheckedStacks): Check {
  const name = `target ${target}`
  const [first, ...others] = affected.get(name) ?? []
  const { message, hint = '' } = sync.targets.missing(target, others.length === 0 ? first : undefined)
  const deletion = others.length === 0 ? '' : ` Or delete its stacks one by one: gitmoor stack delete ${first}`
  return problem(name, message, hint + deletion)
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
 * The blocker that people should deal with first; the inputs that the next run would miss; the warnings of the last
 * run; and what the stacks that it waits for wait for.
 */
async function stackChecks(context: Context, { stack, cause }: StackInNeed): Promise<readonly Check[]> {
  const input = await readStatusInputWithPlan(context, stack)
  const blocker = firstBlocker(input)
  const waits = isAwaiting(input) ? [await dependencyCheck(context, stack)] : []
  const first = blocker && blockerCheck(input, blocker)
  const unreadable = stackBlockers(input).filter(
    ({ reason, message }) => reason === unreadableInputReason && message !== blocker?.message,
  )
  return [
    ...(first === undefined ? [] : [cause === undefined ? first : { ...first, cause }]),
    ...unreadable.map((one) => blockerCheck(input, one)),
    ...warningChecks(input),
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

function warningChecks(input: StatusInput): readonly Check[] {
  const { name } = input.stack.spec
  return stackStatus(input).warnings.map((one) =>
    warning(`stack ${name}`, placedMessage(one), one.hint ?? `See it: gitmoor explain ${name}`),
  )
}

/** `until`: when its window opens. */
interface ClosedStack {
  readonly name: string
  readonly until: number | null
}

/** Closed windows that block nothing yet. */
function windowChecks(closed: readonly ClosedStack[]): readonly Check[] {
  const [first] = [...closed].sort((a, b) => (a.until ?? Infinity) - (b.until ?? Infinity))
  if (first === undefined) return []
  const opens = first.until === null ? 'none opens again' : `the next opens at ${timeText(first.until)} (${first.name})`
  const count = closed.length === 1 ? '1 stack is' : `${closed.length} stacks are`
  return [ok('windows', `${count} closed for automatic syncs now, and nothing waits; ${opens}`)]
}

async function databaseEventChecks(context: Context): Promise<readonly Check[]> {
  const events = await context.store.databaseEvents.list(5)
  return events.map(({ at, code, message }) =>
    warning('notice', `${timeText(at)}: ${message} (${code})`, eventHint(code)),
  )
}

function clockCheck(context: Context, newest: number): Check {
  const now = context.clock.now()
  if (newest <= now + clockSlackMs) return ok('clock', timeText(now))
  const message = `The clock says ${timeText(now)}, but the database contains the time ${timeText(newest)}.`
  return problem('clock', message, 'Set the clock. Until then gitmoor may start polls and drift checks too late.')
}

function remoteCheck(context: Context, remote: string, { remotes, affected }: CheckedStacks): Check {
  const last = context.scheduler.polls.last(remote)
  const name = `remote ${remote}`
  const intervalMs = remotes.get(remote)!
  const delay = context.scheduler.polls.delays.get(remote)
  const delayed = delay === undefined ? '' : `; polls are delayed: ${pollDelayText(delay)}`
  if (last === undefined) return skipped(name, `not polled yet${delayed}`)
  const ago = Math.round((context.clock.now() - last.at) / 1000)
  const when = `polled ${ago} s ago, answered in ${last.ms} ms${delayed}`
  if (last.failure !== null) {
    const [first] = affected.get(name) ?? []
    const retry = first === undefined ? '' : ` Retry now: gitmoor sync ${first}` // it polls for all stacks
    const next = `${last.failure.hint ?? 'gitmoor retries automatically.'}${retry}`
    return problem(name, `${last.failure.message} (${ago} s ago${delayed})`, next)
  }
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
    'If a backup contains the key, stop the agent, restore the file `key`, and start it again. ' +
    'See what the stacks would do: gitmoor plan --all'
  )
}

function needsAttention(input: StatusInput): boolean {
  const { suspended, pinned, drifted, spec } = input.stack
  const isMoveBlocked = input.blockedMoves.some(({ reason }) => reason !== 'MoveWaiting')
  return (
    suspended !== null ||
    pinned !== null ||
    input.blockers.length > 0 ||
    lacksInputs(input) ||
    runWarnings(input.last).length > 0 ||
    currentFailure(input) !== undefined ||
    needsApproval(input) ||
    isCancelled(input) ||
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

/** Of stacks with a problem of their own: those beyond the shown ones. */
function moreCheck(own: number): readonly Check[] {
  const rest = own - stacksShown
  return rest <= 0 ? [] : [warning('stacks', `${rest} more stacks need attention.`, 'gitmoor stack list')]
}

function isProblem({ state }: Check): boolean {
  return state === 'problem'
}

export function worstState(checks: readonly Check[]): Diagnosis['worst'] {
  const states = checks.map(({ state }) => state)
  return states.includes('problem') ? 'problem' : states.includes('warning') ? 'warning' : 'ok'
}
