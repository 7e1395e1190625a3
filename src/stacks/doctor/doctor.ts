// stacks/doctor: diagnoses problems and suggests fixes. Takes nothing; gives a check for each part. Promises: changes
// nothing.
import { timeText } from '../../lib/text/time-text.js'
import { ok, problem, skipped, warning, type Check } from '../../model/agent/check.js'
import { shareExecution } from '../../lib/async/share-execution.js'
import { pollDelayText } from '../explain/poll-delay-text.js'
import type { Diagnosis } from '../../views/diagnosis.js'
import type { Context } from '../context.js'
import { configurationChecks, viewConfiguration } from './configuration-checks.js'
import { testTarget } from '../queries/declared-targets.js'
import { checkStacks, type CheckedStacks } from './check-stacks.js'
import { fleetChecks } from './fleet-checks.js'
import { withAffected } from './shared-cause.js'

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
    ...context.inspections.access(remotes, remotes.filter(refusesCredential(context))),
    ...(await context.inspections.webhooks()),
    ...(await context.inspections.receivers()),
    ...remotes.map((remote) => remoteCheck(context, remote, stacks)),
    ...targets,
    ...[...stacks.missingTargets].sort().map((name) => missingTargetCheck(context, name, stacks)),
    ...(await fleetChecks(context)),
    ...stacks.checks,
  ]
  const checks = found.map((check) => withAffected(check, stacks.affected))
  return { checks, worst: worstState(checks), configuration: viewConfiguration(configuration) }
}

function missingTargetCheck({ sync }: Context, target: string, { affected }: CheckedStacks): Check {
  const name = `target ${target}`
  const [first, ...others] = affected.get(name) ?? []
  const { message, hint = '' } = sync.targets.missing(target, others.length === 0 ? first : undefined)
  const deletion = others.length === 0 ? '' : `\nOr delete its stacks one by one: gitmoor stack delete ${first}`
  return problem(name, message, hint + deletion)
}

/** The last poll of the remote was refused because of its credential, or for the want of one. */
function refusesCredential({ scheduler }: Context): (remote: string) => boolean {
  return (remote) => scheduler.polls.last(remote)?.failure?.code === 'source/unauthorized'
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
    const now = first === undefined ? '' : ` Retry now: gitmoor sync ${first}` // it polls for all stacks
    const hint = last.failure.hint === undefined ? '' : `${last.failure.hint}\n`
    const next = `${hint}gitmoor retries automatically.${now}`
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
  const name = `target ${target}`
  const { ms, warnings, problem: found } = await testTarget(context, target, new AbortController().signal)
  if (found !== null) return problem(name, found.message, found.hint ?? '')
  const answered = `answered in ${ms} ms`
  if (warnings.length === 0) return ok(name, answered)
  const next = warnings.map(({ hint }) => hint ?? '').join(' ')
  return warning(name, [`${answered}.`, ...warnings.map(({ message }) => message)].join(' '), next.trim())
}

function eventHint(code: string): string {
  if (code !== 'store/lost-key') return 'Check that stacks and targets are as you expect: gitmoor stack list'
  return (
    'If a backup contains the key, stop the agent, restore the file `key`, and start it again.\n' +
    'See what the stacks would do: gitmoor plan --all'
  )
}

function isProblem({ state }: Check): boolean {
  return state === 'problem'
}

function worstState(checks: readonly Check[]): Diagnosis['worst'] {
  const states = checks.map(({ state }) => state)
  return states.includes('problem') ? 'problem' : states.includes('warning') ? 'warning' : 'ok'
}
