// Metrics of all stacks at this moment: a few reads for each 500 stacks, none for a single one.
import { setImmediate as turn } from 'node:timers/promises'
import { countProblems } from '../../model/problem.js'
import type { LiveStatus, Stack } from '../../model/stacks/stack.js'
import { states, type State } from '../../status/status.js'
import { settingBlockerReasons, type RunBlocker } from '../../model/stacks/blocker.js'
import type { StackStatusRow } from '../../store/feed.js'
import type { Store } from '../../store/store.js'
import type { Context } from '../context.js'
import { everyFleet } from '../fleets/every-fleet.js'
import { rowStates } from './row-states.js'
import { pollDelays, type PollDelay } from '../scheduler.js'

/** One stack. Lengths of time in milliseconds. */
export interface StackMetrics {
  readonly name: string
  readonly target: string
  readonly managedBy: Stack['managedBy']
  readonly ready: boolean
  readonly synced: boolean
  readonly needsApproval: boolean
  readonly suspended: boolean
  readonly failed: boolean
  /** A window or a dependency blocks its runs. */
  readonly waiting: boolean
  /** Resources that differ on the target, at the last drift check. */
  readonly drifted: number
  /** Resources that do not work, at the last drift check. */
  readonly unhealthy: number
  /** A secret of its package is missing, or a secret or a value that its settings refer to cannot be read. */
  readonly secretMissing: boolean
  /** Other warnings of its last run. */
  readonly warnings: number
  /** Since the desired revision was observed; 0: it is applied, or none was observed yet. */
  readonly lagMs: number
  /** Since the applied revision was applied; undefined: none is. */
  readonly revisionAgeMs?: number
}

/** `undeclared`: of its stacks, those whose directories or targets left. `problems`: of its last listing. */
export interface FleetMetrics {
  readonly name: string
  readonly stacks: number
  readonly undeclared: number
  readonly problems: number
}

export interface MetricsSnapshot {
  readonly stacks: readonly StackMetrics[]
  readonly fleets: readonly FleetMetrics[]
  /** The number of stacks in each state, 0 included. */
  readonly states: ReadonlyMap<State, number>
  /** Stacks with blocked runs, by the reason. */
  readonly waiting: ReadonlyMap<RunBlocker['reason'], number>
  /** Queued runs, without those of suspended and of blocked stacks. */
  readonly queued: number
  /** How long the oldest of them has been queued; 0: there is none. */
  readonly oldestQueuedMs: number
  readonly inProgress: number
  /** How late the oldest poll is that is due or in progress; 0: there is none. */
  readonly oldestPollMs: number
  /** Remotes whose polls are delayed, by the reason. */
  readonly delayedPolls: ReadonlyMap<PollDelay, number>
}

const page = 500

export async function readMetrics(
  context: Pick<Context, 'store' | 'sync' | 'scheduler' | 'clock' | 'configuration'>,
): Promise<MetricsSnapshot> {
  const { store, scheduler, clock } = context
  const now = clock.now()
  const { inProgress, blockers, unreadableInputs } = scheduler.live
  const stacks: StackMetrics[] = []
  const counts = new Map<State, number>(states.map((state) => [state, 0]))
  const suspended = new Set<string>()
  for (let after = ''; ;) {
    const some = await store.feed.statuses({ limit: page, after })
    const found = await rowStates(context, some)
    for (const one of some) {
      if (one.suspended) suspended.add(one.stack)
      const lagMs = now - (one.behindSince ?? now)
      const { state, failed } = found.get(one.stack)!
      const waiting = blockers.has(one.stack)
      const secretMissing = one.secretMissing || unreadableInputs.has(one.stack)
      counts.set(state, counts.get(state)! + 1)
      stacks.push(stackMetrics(one, { failed, waiting, secretMissing, lagMs, now }))
    }
    if (some.length < page) break
    after = some.at(-1)!.name
    await turn() // lets other work run between pages
  }
  const queued = (await store.runs.unfinished()).filter(
    (run) => run.phase === 'queued' && !inProgress.has(run.id) && !suspended.has(run.stack) && !blockers.has(run.stack),
  )
  const oldest = queued.reduce((at, { createdAt }) => Math.min(at, createdAt), now)
  const { oldestMs: oldestPollMs } = scheduler.polls
  const delayedPolls = counted(scheduler.polls.delays.values())
  return {
    stacks,
    fleets: await fleetMetrics(store),
    states: counts,
    waiting: countReasons(blockers),
    queued: queued.length,
    oldestQueuedMs: now - oldest,
    inProgress: inProgress.size,
    oldestPollMs,
    delayedPolls,
  }
}

async function fleetMetrics(store: Pick<Store, 'fleets'>): Promise<readonly FleetMetrics[]> {
  const counts = await store.fleets.counts()
  const fleets: FleetMetrics[] = []
  for await (const { spec, listing } of everyFleet(store)) {
    const { stacks = 0, undeclared = 0 } = counts.get(spec.name) ?? {}
    fleets.push({ name: spec.name, stacks, undeclared, problems: countProblems(listing?.problems ?? []) })
  }
  return fleets
}

/** Each reason, also if no stack has it. */
function countReasons(blockers: LiveStatus['blockers']): MetricsSnapshot['waiting'] {
  const all = [...blockers.values()]
  return new Map(
    settingBlockerReasons.map((reason) => [
      reason,
      all.filter((some) => some.some((blocker) => blocker.reason === reason)).length,
    ]),
  )
}

function counted(delays: Iterable<PollDelay>): ReadonlyMap<PollDelay, number> {
  const counts = new Map<PollDelay, number>(pollDelays.map((why) => [why, 0]))
  for (const why of delays) counts.set(why, (counts.get(why) ?? 0) + 1)
  return counts
}

function stackMetrics(
  row: StackStatusRow,
  { now, ...live }: Pick<StackMetrics, 'failed' | 'waiting' | 'secretMissing' | 'lagMs'> & { readonly now: number },
): StackMetrics {
  const { name, target, managedBy, suspended, needsApproval, cancelled, unfinished, sync, drifted, unhealthy } = row
  const { applied, appliedAt, warnings } = row
  return {
    name,
    target,
    managedBy,
    ready: !suspended && !live.failed && !needsApproval && !cancelled && !unfinished && applied !== null,
    synced: sync === 'Synced',
    needsApproval,
    suspended,
    drifted,
    unhealthy,
    warnings,
    ...live,
    ...(appliedAt === null ? {} : { revisionAgeMs: now - appliedAt }),
  }
}
