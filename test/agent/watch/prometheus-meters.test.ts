import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { PrometheusMeters } from '../../../src/agent/watch/prometheus-meters.js'
import { noConfigurationFile, type ConfigurationStatus } from '../../../src/model/agent/configuration-status.js'
import type { Run } from '../../../src/model/stacks/run.js'
import type { MetricsSnapshot, StackMetrics } from '../../../src/stacks/status/metrics.js'

const stack: StackMetrics = {
  name: 'boards',
  target: 'local',
  managedBy: 'api',
  ready: true,
  synced: true,
  needsApproval: false,
  suspended: false,
  failed: false,
  waiting: false,
  drifted: 3,
  unhealthy: 4,
  secretMissing: true,
  warnings: 2,
  lagMs: 1_500,
  revisionAgeMs: 60_000,
}
const none: MetricsSnapshot = {
  stacks: [],
  states: new Map([
    ['Needs approval', 0],
    ['Synced', 7],
  ]),
  waiting: new Map([['Window', 2]]),
  queued: 0,
  oldestQueuedMs: 0,
  inProgress: 0,
  fleets: [{ name: 'teams', stacks: 3, undeclared: 1, problems: 2 }],
  oldestPollMs: 0,
  delayedPolls: new Map([['throttled', 3]]),
}
const run: Run = {
  id: '12',
  stack: '0a1b2c3d4e5f6071',
  revision: `stable@sha1:${'1'.repeat(40)}`,
  cause: { kind: 'commit', ref: 'stable', note: 'a note' },
  phase: 'done',
  outcome: 'applied',
  plan: null,
  changes: { create: 2, update: 1, remove: 0, unchanged: 5 },
  problems: [],
  files: null,
  createdAt: 0,
  startedAt: 1_000,
  finishedAt: 3_000,
  intent: 'sync',
  expects: null,
}

let meters: PrometheusMeters
let configuration: ConfigurationStatus
beforeEach(() => {
  meters = new PrometheusMeters('1.2.3')
  configuration = noConfigurationFile
})

async function printed(
  metrics: Partial<MetricsSnapshot> = {},
  bytes: Readonly<Record<string, number>> = {},
): Promise<readonly string[]> {
  return (
    await meters.print({
      metrics: { ...none, ...metrics },
      bytes: new Map(Object.entries(bytes)),
      stallMs: 120,
      configuration,
      pendingMessages: [{ receiver: 'ops', count: 2, oldestAt: 0 }],
    })
  ).split('\n')
}

/** Lines that begin with this. */
async function lines(begin: string, metrics: Partial<MetricsSnapshot> = {}): Promise<readonly string[]> {
  return (await printed(metrics)).filter((line) => line.startsWith(begin))
}

describe('what ended is counted:', () => {
  test('polls by method and result, with bytes and time', async () => {
    meters.polled({ method: 'git-http', result: 'unchanged', ms: 40, bytes: 800 })
    meters.polled({ method: 'git-http', result: 'unchanged', ms: 60, bytes: 300 })
    meters.polled({ method: 'none', result: 'failed', ms: 0, bytes: 0 })
    expect(await lines('gitmoor_poll')).toEqual(
      expect.arrayContaining([
        'gitmoor_polls_total{method="git-http",result="unchanged"} 2',
        'gitmoor_polls_total{method="none",result="failed"} 1',
        'gitmoor_poll_bytes_total{method="git-http",result="unchanged"} 1100',
        'gitmoor_poll_duration_seconds_sum{method="git-http"} 0.1',
      ]),
    )
  })

  test('runs by trigger and outcome, with time', async () => {
    meters.runEnded(run)
    expect(await lines('gitmoor_run')).toEqual(
      expect.arrayContaining([
        'gitmoor_runs_total{trigger="commit",outcome="applied"} 1',
        'gitmoor_run_duration_seconds_sum{trigger="commit",outcome="applied"} 2',
        'gitmoor_run_duration_seconds_bucket{le="1",trigger="commit",outcome="applied"} 0',
        'gitmoor_run_duration_seconds_bucket{le="5",trigger="commit",outcome="applied"} 1',
      ]),
    )
  })

  test('a run that never began has no time', async () => {
    meters.runEnded({ ...run, outcome: 'superseded', startedAt: null })
    expect(await lines('gitmoor_run_duration_seconds_count')).toEqual([])
    expect(await lines('gitmoor_runs_total')).toEqual(['gitmoor_runs_total{trigger="commit",outcome="superseded"} 1'])
  })

  test('changes of applied runs only', async () => {
    meters.runEnded(run)
    meters.runEnded({ ...run, outcome: 'undone' })
    meters.runEnded({ ...run, outcome: 'unchanged', changes: null })
    const all = ['create"} 2', 'update"} 1', 'remove"} 0'].map((end) => `gitmoor_changes_total{action="${end}`)
    expect(await lines('gitmoor_changes_total')).toEqual(all)
  })
})

describe('the status is printed', () => {
  test('of each stack', async () => {
    expect(await lines('gitmoor_stack_', { stacks: [stack] })).toEqual([
      'gitmoor_stack_info{stack="boards",target="local",managed_by="api"} 1',
      'gitmoor_stack_ready{stack="boards"} 1',
      'gitmoor_stack_synced{stack="boards"} 1',
      'gitmoor_stack_needs_approval{stack="boards"} 0',
      'gitmoor_stack_suspended{stack="boards"} 0',
      'gitmoor_stack_failed{stack="boards"} 0',
      'gitmoor_stack_blocked{stack="boards"} 0',
      'gitmoor_stack_secret_missing{stack="boards"} 1',
      'gitmoor_stack_warnings{stack="boards"} 2',
      'gitmoor_stack_drifted{stack="boards"} 3',
      'gitmoor_stack_unhealthy{stack="boards"} 4',
      'gitmoor_stack_lag_seconds{stack="boards"} 1.5',
      'gitmoor_stack_revision_age_seconds{stack="boards"} 60',
    ])
  })

  test('of stacks that are there, not of those that went', async () => {
    await printed({ stacks: [stack] })
    expect(await lines('gitmoor_stack_')).toEqual([])
  })

  test('without an age if nothing is applied', async () => {
    const { revisionAgeMs: _, ...young } = stack
    expect(await lines('gitmoor_stack_revision_age_seconds', { stacks: [young] })).toEqual([])
  })

  test('of the first 10,000 stacks', async () => {
    const stacks = Array.from({ length: 10_001 }, (_, at) => ({ ...stack, name: `s${at}` }))
    expect(await lines('gitmoor_stack_ready', { stacks })).toHaveLength(10_000)
  })

  test('of all stacks, by state', async () => {
    expect(await lines('gitmoor_stacks')).toEqual([
      'gitmoor_stacks{state="Needs approval"} 0',
      'gitmoor_stacks{state="Synced"} 7',
    ])
  })

  test('of blocked stacks, by blocker', async () => {
    expect(await lines('gitmoor_blocked_stacks')).toEqual(['gitmoor_blocked_stacks{reason="Window"} 2'])
    expect(await lines('gitmoor_polls_delayed')).toEqual(['gitmoor_polls_delayed{why="throttled"} 3'])
  })

  test('of queue, polls and data', async () => {
    const page = await printed(
      { queued: 2, oldestQueuedMs: 500, inProgress: 1, oldestPollMs: 2_000 },
      { database: 10, git: 20 },
    )
    for (const line of [
      'gitmoor_queue_runs 2',
      'gitmoor_queue_oldest_seconds 0.5',
      'gitmoor_runs_in_progress 1',
      'gitmoor_poll_oldest_due_seconds 2',
      'gitmoor_loop_longest_stall_seconds 0.12',
      'gitmoor_data_bytes{part="git"} 20',
      'gitmoor_build_info{version="1.2.3"} 1',
    ])
      expect(page).toContain(line)
  })
})

describe('the configuration:', () => {
  test('a refused reload is visible until a later one is accepted', async () => {
    const problem = { severity: 'error', code: 'config/invalid', message: 'x' } as const
    configuration = { ...noConfigurationFile, file: '/a.yaml', loadedAt: 5_000 }
    expect(await lines('gitmoor_config_last_reload_successful')).toEqual(['gitmoor_config_last_reload_successful 1'])
    configuration = { ...configuration, refused: { at: 9_000, problems: [problem] } }
    expect(await lines('gitmoor_config_last_reload_su')).toEqual([
      'gitmoor_config_last_reload_successful 0',
      'gitmoor_config_last_reload_success_timestamp_seconds 5',
    ])
    configuration = { ...configuration, refused: null, loadedAt: 12_000 }
    expect(await lines('gitmoor_config_last_reload_su')).toEqual([
      'gitmoor_config_last_reload_successful 1',
      'gitmoor_config_last_reload_success_timestamp_seconds 12',
    ])
  })

  test('refused stacks and settings that need a restart are counted', async () => {
    const refusedStacks = [{ severity: 'error', code: 'config/stack', message: 'x' } as const]
    configuration = { ...noConfigurationFile, needsRestart: ['limits', 'listen'], refusedStacks }
    expect(await lines('gitmoor_config_re')).toEqual([
      'gitmoor_config_restart_keys 2',
      'gitmoor_config_refused_stacks 1',
    ])
  })
})

describe('docs/reference/metrics.md', () => {
  const rows = [
    ...readFileSync('docs/reference/metrics.md', 'utf8').matchAll(/^\| `(gitmoor_\w+)` \| (\w+) \|([^|]*)\|/gm),
  ].map(([, name, type, labels]) => ({
    name: name!,
    type: type!,
    labels: [...labels!.matchAll(/`(\w+)`/g)].map((match) => match[1]!).sort(),
  }))

  /** Name, type and labels of each metric, from a page with one series of each. */
  async function metrics(): Promise<typeof rows> {
    meters.polled({ method: 'git-http', result: 'moved', ms: 1, bytes: 1 })
    meters.delivered({ hook: 'github', result: 'moved' })
    meters.messageEnded({ receiver: 'ops', result: 'sent' })
    meters.runEnded(run)
    const page = await printed({ stacks: [stack] }, { database: 1 })
    const types = page
      .flatMap((line) => /^# TYPE (gitmoor_\w+) (\w+)$/.exec(line) ?? [])
      .filter((_, at) => at % 3 !== 0)
    return Array.from({ length: types.length / 2 }, (_, at) => ({
      name: types[2 * at]!,
      type: types[2 * at + 1]!,
    })).map(({ name, type }) => {
      const sample = page.find((line) => new RegExp(`^${name}(_count)?[{ ]`).test(line))
      const labels = [...(sample ?? 'NONE="').matchAll(/(\w+)="/g)].map((match) => match[1]!).sort()
      return { name, type, labels }
    })
  }

  test('lists every metric with its type and labels, and no other', async () => {
    const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1)
    expect(rows.length).toBeGreaterThan(15)
    expect([...rows].sort(byName)).toEqual([...(await metrics())].sort(byName))
  })

  test('has alerts on metrics that there are', async () => {
    const known = (await metrics()).map(({ name }) => name)
    const page = readFileSync('docs/operations/monitoring.md', 'utf8')
    const alerts = [...page.slice(page.indexOf('## Alerts')).matchAll(/gitmoor_\w+/g)]
    expect(alerts.length).toBeGreaterThan(3)
    expect(alerts.map(([name]) => name).filter((name) => !known.includes(name))).toEqual([])
  })
})

test('metrics of the process are there', async () => {
  const page = (await printed()).join('\n')
  expect(page).toContain('process_resident_memory_bytes')
  expect(page).toContain('nodejs_eventloop_lag_seconds')
})
