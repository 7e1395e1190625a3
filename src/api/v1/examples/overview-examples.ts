// Examples of all stacks at a glance.
import { states, type State } from '../../../status/status.js'
import type { MatrixPage, OverviewView } from '../../../views/overview.js'
import { channel, decision } from './channel-examples.js'
import { stackRunRow } from './run-examples.js'
import { stackRow } from './stack-examples.js'

const counts = Object.fromEntries(
  states.map((state) => [state, state === 'Synced' ? 42 : state === 'Failed' ? 1 : 0]),
) as Record<State, number>

const { stacks: _stacks, ...summary } = channel
const channelSummary = { ...summary, followers: 12 }

const activity = [
  { at: decision.at, run: null, decision },
  { at: stackRunRow.createdAt, run: stackRunRow, decision: null },
]

const overview: OverviewView = {
  total: 43,
  counts,
  attention: 1,
  needsAttention: [stackRow],
  channels: [channelSummary],
  activity,
  targets: [{ target: 'local', counts }],
}

const cell = { stacks: 1, stack: 'boards', worst: 'Synced', commitCount: 1 } as const

const matrix: MatrixPage = {
  columns: ['local'],
  total: 1,
  items: [
    {
      package: 'https://git.example/boards//dashboards',
      cells: [{ target: 'local', ...cell, commits: ['2f1c9ab7e0d5b6a1c3f48e9d7b60a2c5e8f91d34'] }],
    },
  ],
  next: null,
}

export const overviewExamples: Readonly<Record<string, unknown>> = {
  StateCounts: counts,
  ChannelSummary: channelSummary,
  Activity: activity[0],
  OverviewGroup: overview.targets![0],
  Overview: overview,
  DigestRow: { name: 'boards', state: 'Synced' },
  Heartbeat: { type: 'heartbeat', intervalMs: 15_000 },
  Digest: {
    type: 'digest',
    at: decision.at,
    counts,
    changed: [{ name: 'boards', state: 'Synced' }],
    more: 0,
    channels: [],
  },
  MatrixRow: matrix.items[0],
  MatrixRowPage: matrix,
}
