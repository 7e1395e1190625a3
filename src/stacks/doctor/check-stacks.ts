// Which stacks need attention, and why. Reads all stacks once.
import { timeText } from '../../lib/text/time-text.js'
import { hintOf, stackCommand, type Blocker } from '../../model/stacks/blocker.js'
import { ok, problem, warning, type Check } from '../../model/agent/check.js'
import { firstProblems, isAdvice, placedMessage } from '../../model/problem.js'
import type { Run } from '../../model/stacks/run.js'
import { isUninstalled, type Stack } from '../../model/stacks/stack.js'
import { stackBlockers, stackStatus } from '../../status/status.js'
import { soleBlocker } from '../../status/failure-blockers.js'
import { unreadableInputReason } from '../../status/unreadable-inputs.js'
import { currentFailure, isCancelled, lacksInputs, needsApproval, type StatusInput } from '../../status/axes.js'
import { runWarnings } from '../../status/run-warnings.js'
import { closedWindow } from '../../status/run-blockers.js'
import type { Context } from '../context.js'
import { firstBlocker, intendedReasons, keptBy, noBlockers, polledRemotes, sharedCause } from './shared-cause.js'
import {
  awaitedStacks,
  awaitedText,
  decidingStack,
  freshReads,
  isAwaiting,
  isBroken,
} from '../status/awaited-stacks.js'
import { statusInput, readStatusInputWithPlan } from '../status/status-input.js'

/** The most stacks with checks in one diagnosis. */
const stacksShown = 50
const failingLong = 5
const pageOfStacks = 500

/**
 * `remotes`: with their shortest interval. `newest`: the newest stored time. `checks`: of stacks with problems.
 * `affected`: by the name of a check, the names of the stacks that have the same problem.
 */
export interface CheckedStacks {
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
export async function checkStacks(context: Context, failed: ReadonlySet<string>): Promise<CheckedStacks> {
  const remotes = new Map<string, number>()
  const inNeed: readonly StackInNeed[][] = [[], [], [], []] // in the order in which they are shown
  const affected = new Map<string, string[]>()
  const missingTargets = new Set<string>()
  const closed: ClosedStack[] = []
  let newest = 0
  let count = 0
  let own = 0
  for await (const { stack, last } of everyStackWithRun(context)) {
    count++
    newest = Math.max(newest, stack.createdAt, stack.checkedAt ?? 0)
    for (const remote of polledRemotes(context, stack))
      remotes.set(remote, Math.min(remotes.get(remote) ?? stack.spec.intervalMs, stack.spec.intervalMs))
    const input = statusInput(context, stack, last)
    if (needsAttention(input)) {
      const cause = sharedCause(context, input, failed)
      if (cause === undefined) own++
      else addTo(affected, cause, stack.spec.name)
      const group = inNeed[(cause === undefined ? 0 : 2) + (isStalled(input) ? 0 : 1)]!
      if (group.length < stacksShown) group.push({ stack, cause })
    }
    if (currentFailure(input)?.reason === 'TargetMissing') missingTargets.add(stack.spec.target)
    const window = closedWindow(stack, context.clock.now(), false)
    if (window !== undefined && input.blockers.length === 0) closed.push({ name: stack.spec.name, until: window.until })
  }
  const first = inNeed.flat().slice(0, stacksShown)
  const shown = await Promise.all(first.map((one) => stackChecks(context, one)))
  const summary = first.length === 0 ? [ok('stacks', `${count}, none needs attention`)] : moreCheck(own)
  return { remotes, newest, checks: [...shown.flat(), ...summary, ...windowChecks(closed)], affected, missingTargets }
}

function addTo(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
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
  const first = blocker && blockerCheck(input, blocker, keptBy(input, blocker))
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

/** `beside`: the blockers that are named with it. */
function blockerCheck(input: StatusInput, blocker: Blocker, beside = noBlockers): Check {
  const { reason } = blocker
  const shown = [...beside.before, soleBlocker(input, blocker), ...beside.after]
  const message = shown.map((one) => one.message).join(' ')
  const name = `stack ${input.stack.spec.name}`
  const next = hintOf(shown.flatMap((one) => one.next))
  const isIntended = intendedReasons.has(reason) || (reason === 'Suspended' && isUninstalled(input.stack))
  if (isIntended) return { ...ok(name, message), next }
  return isStalled(input) || reason === unreadableInputReason
    ? problem(name, message, next)
    : warning(name, message, next)
}

/** Of its last run. Refused settings are a check of the configuration. */
function warningChecks(input: StatusInput): readonly Check[] {
  const { name } = input.stack.spec
  const advice = runWarnings(input.last).filter(isAdvice)
  const { warnings } = stackStatus({ ...input, refusedSettings: [] })
  return firstProblems([...warnings, ...advice]).map((one) =>
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
  const message = `${count} closed for automatic syncs now, and nothing waits; ${opens}`
  return [{ ...ok('windows', message), next: `See its windows: gitmoor explain ${first.name}` }]
}

function needsAttention(input: StatusInput): boolean {
  const { suspended, pinned, drifted, unhealthy, spec } = input.stack
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
    unhealthy !== null ||
    (drifted > 0 && spec.drift !== 'correct')
  )
}

/** A failure that gitmoor does not retry, or several in a row. */
function isStalled(input: StatusInput): boolean {
  const failure = currentFailure(input)
  return (
    input.stack.suspended === null &&
    failure !== undefined &&
    (failure.retry !== 'soon' || input.stack.retries >= failingLong)
  )
}

/** Of stacks with a problem of their own: those beyond the shown ones. */
function moreCheck(own: number): readonly Check[] {
  const rest = own - stacksShown
  if (rest <= 0) return []
  const message = rest === 1 ? '1 more stack needs attention.' : `${rest} more stacks need attention.`
  return [warning('stacks', message, 'gitmoor stack list')]
}

/** A problem if one of the stacks that it waits for needs a person. */
async function dependencyCheck(context: Context, stack: Stack): Promise<Check> {
  const name = `stack ${stack.spec.name}`
  const first = decidingStack(await awaitedStacks(stack, freshReads(context)))
  if (first === undefined) return ok(name, 'The stacks that it depends on are ready now.')
  const { next: steps } = first.status
  const next = hintOf([
    ...(steps.length > 0 ? steps : [stackCommand('See why', 'explain', first.name)]),
    stackCommand('Or sync anyway', 'sync', stack.spec.name),
  ])
  return (isBroken(first) ? problem : warning)(name, awaitedText(stack, first), next)
}
