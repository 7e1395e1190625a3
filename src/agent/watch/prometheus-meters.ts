// Metrics in the format of Prometheus. docs/reference/metrics.md explains each; a test compares the page with this
// file.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { countProblems } from '../../model/problem.js'
import type { Run } from '../../model/stacks/run.js'
import type { StackMetrics } from '../../stacks/status/metrics.js'
import type { DeliverySample, MessageSample, PollSample, MetricsInput, Meters, MetricsPage } from './meters.js'

const seconds = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800]
/** Stacks that have their own series, by name. Other metrics include all stacks. */
const mostStacks = 10_000
const mostFleets = 1_000

/** Gauges of each stack. undefined: no value. */
const stackGauges: Readonly<
  Record<string, { readonly help: string; readonly value: (stack: StackMetrics) => number | undefined }>
> = {
  ready: { help: '1: the condition Ready is true.', value: ({ ready }) => Number(ready) },
  synced: {
    help: '1: the observed revision is applied, and the target matches it.',
    value: ({ synced }) => Number(synced),
  },
  needs_approval: { help: '1: a plan needs approval.', value: ({ needsApproval }) => Number(needsApproval) },
  suspended: { help: '1: suspended, no writes until it is resumed.', value: ({ suspended }) => Number(suspended) },
  failed: { help: '1: the last poll or run failed.', value: ({ failed }) => Number(failed) },
  blocked: {
    help: '1: a sync window or a dependency blocks it.',
    value: ({ waiting }) => Number(waiting),
  },
  secret_missing: {
    help: '1: a secret of the package is missing, or a given secret or value cannot be read.',
    value: ({ secretMissing }) => Number(secretMissing),
  },
  warnings: { help: 'Warnings of the last run, without missing secrets.', value: ({ warnings }) => warnings },
  drifted: { help: 'Resources on the target that differ from their desired state.', value: ({ drifted }) => drifted },
  unhealthy: { help: 'Resources that do not work.', value: ({ unhealthy }) => unhealthy },
  lag_seconds: {
    help: 'Time since the newest desired revision was observed; 0: it is applied.',
    value: ({ lagMs }) => lagMs / 1000,
  },
  revision_age_seconds: {
    help: 'Time since the applied revision was applied.',
    value: ({ revisionAgeMs: ms }) => (ms === undefined ? ms : ms / 1000),
  },
}

export class PrometheusMeters implements Meters, MetricsPage {
  readonly #registry = new Registry()
  readonly #polls = this.#counter('polls_total', 'Polls of remotes.', ['method', 'result'])
  readonly #pollBytes = this.#counter('poll_bytes_total', 'Bytes of the answers to polls.', ['method', 'result'])
  readonly #pollSeconds = this.#histogram('poll_duration_seconds', 'How long remotes took to answer a poll.', [
    'method',
  ])
  readonly #runs = this.#counter('runs_total', 'Runs that ended.', ['trigger', 'outcome'])
  readonly #runSeconds = this.#histogram('run_duration_seconds', 'From the start of the plan to the end of the run.', [
    'trigger',
    'outcome',
  ])
  readonly #changes = this.#counter('changes_total', 'Resources changed by runs that ended applied.', ['action'])
  readonly #deliveries = this.#counter('webhook_deliveries_total', 'Webhook deliveries.', ['hook', 'result'])
  readonly #messages = this.#counter(
    'messages_total',
    'Attempts to send messages to receivers, and dropped messages.',
    ['receiver', 'result'],
  )
  readonly #pending = this.#gauge('pending_messages', 'Messages that are not sent yet.', ['receiver'])
  readonly #stacks = this.#gauge('stacks', 'Stacks in each state.', ['state'])
  readonly #blocked = this.#gauge('blocked_stacks', 'Blocked stacks, by blocker.', ['reason'])
  readonly #fleets = {
    stacks: this.#gauge('fleet_stacks', 'Stacks of the fleet.', ['fleet']),
    undeclared: this.#gauge('fleet_vanished_stacks', 'Its stacks whose directories vanished, or whose targets left.', [
      'fleet',
    ]),
    problems: this.#gauge('fleet_problems', 'Problems of its last listing, which changed nothing.', ['fleet']),
  }
  readonly #queue = this.#gauge('queue_runs', 'Queued runs, without those of suspended or blocked stacks.')
  readonly #queueAge = this.#gauge('queue_oldest_seconds', 'How long the oldest of them has waited.')
  readonly #inProgress = this.#gauge('runs_in_progress', 'Runs in progress.')
  readonly #pollLate = this.#gauge(
    'poll_oldest_due_seconds',
    'How long ago the oldest poll that is due or in progress was due.',
  )
  readonly #pollsDelayed = this.#gauge('polls_delayed', 'Remotes whose next poll is later than their interval says.', [
    'why',
  ])
  readonly #stall = this.#gauge(
    'loop_longest_stall_seconds',
    'Longest time since the start that the event loop was blocked.',
  )
  readonly #bytes = this.#gauge('data_bytes', 'The size of the data directory.', ['part'])
  readonly #reloaded = this.#gauge('config_last_reload_successful', '0: the last reload was refused.')
  readonly #reloadedAt = this.#gauge(
    'config_last_reload_success_timestamp_seconds',
    'When the configuration in force was read.',
  )
  readonly #needsRestart = this.#gauge('config_restart_keys', 'Changed keys of the configuration that need a restart.')
  readonly #refusedStacks = this.#gauge('config_refused_stacks', 'Stacks of the configuration file that are refused.')

  constructor(version: string) {
    this.#gauge('build_info', 'Always 1.', ['version']).set({ version }, 1)
    // Its timer wakes the process at this interval, in milliseconds; LoopMonitor measures stalls without one.
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 1_000 })
  }

  get type(): string {
    return this.#registry.contentType
  }

  polled({ method, result, ms, bytes }: PollSample): void {
    this.#polls.inc({ method, result })
    this.#pollBytes.inc({ method, result }, bytes)
    this.#pollSeconds.observe({ method }, ms / 1000)
  }

  runEnded({ cause, outcome, changes, startedAt, finishedAt }: Run): void {
    const labels = { trigger: cause.kind, outcome: outcome ?? 'none' }
    this.#runs.inc(labels)
    if (startedAt !== null && finishedAt !== null) this.#runSeconds.observe(labels, (finishedAt - startedAt) / 1000)
    if (outcome !== 'applied' || changes === null) return
    for (const action of ['create', 'update', 'remove'] as const) this.#changes.inc({ action }, changes[action])
  }

  delivered({ hook, result }: DeliverySample): void {
    this.#deliveries.inc({ hook, result })
  }

  messageEnded({ receiver, result }: MessageSample): void {
    this.#messages.inc({ receiver, result })
  }

  async print({ metrics, bytes, stallMs, configuration, pendingMessages }: MetricsInput): Promise<string> {
    for (const [state, count] of metrics.states) this.#stacks.set({ state }, count)
    for (const [reason, count] of metrics.waiting) this.#blocked.set({ reason }, count)
    this.#setFleets(metrics.fleets)
    this.#pending.reset()
    for (const { receiver, count } of pendingMessages) this.#pending.set({ receiver }, count)
    this.#queue.set(metrics.queued)
    this.#queueAge.set(metrics.oldestQueuedMs / 1000)
    this.#inProgress.set(metrics.inProgress)
    this.#pollLate.set(metrics.oldestPollMs / 1000)
    for (const [why, polls] of metrics.delayedPolls) this.#pollsDelayed.set({ why }, polls)
    this.#stall.set(stallMs / 1000)
    for (const [part, size] of bytes) this.#bytes.set({ part }, size)
    this.#reloaded.set(configuration.refused === null ? 1 : 0)
    this.#reloadedAt.set(configuration.loadedAt / 1000)
    this.#needsRestart.set(configuration.needsRestart.length)
    this.#refusedStacks.set(countProblems(configuration.refusedStacks))
    return `${await this.#registry.metrics()}\n${stackLines(metrics.stacks.slice(0, mostStacks)).join('\n')}\n`
  }

  /** Without those that were deleted. */
  #setFleets(fleets: MetricsInput['metrics']['fleets']): void {
    for (const key of ['stacks', 'undeclared', 'problems'] as const) {
      this.#fleets[key].reset()
      for (const { name, [key]: value } of fleets.slice(0, mostFleets)) this.#fleets[key].set({ fleet: name }, value)
    }
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name: `gitmoor_${name}`, help, labelNames, registers: [this.#registry] })
  }

  #histogram<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Histogram<Label> {
    return new Histogram({ name: `gitmoor_${name}`, help, labelNames, buckets: seconds, registers: [this.#registry] })
  }

  #gauge<Label extends string>(name: string, help: string, labelNames: readonly Label[] = []): Gauge<Label> {
    return new Gauge({ name: `gitmoor_${name}`, help, labelNames, registers: [this.#registry] })
  }
}

/**
 * Printed without the registry, which would hash the labels of 80,000 series at each scrape. Names of stacks and
 * targets need no escaping.
 */
function stackLines(stacks: readonly StackMetrics[]): readonly string[] {
  const lines = head('info', 'Always 1.')
  for (const { name, target, managedBy } of stacks)
    lines.push(`gitmoor_stack_info{stack="${name}",target="${target}",managed_by="${managedBy}"} 1`)
  for (const [what, { help, value }] of Object.entries(stackGauges)) {
    lines.push(...head(what, help))
    for (const stack of stacks) {
      const now = value(stack)
      if (now !== undefined) lines.push(`gitmoor_stack_${what}{stack="${stack.name}"} ${now}`)
    }
  }
  return lines
}

function head(what: string, help: string): string[] {
  return [`# HELP gitmoor_stack_${what} ${help}`, `# TYPE gitmoor_stack_${what} gauge`]
}
