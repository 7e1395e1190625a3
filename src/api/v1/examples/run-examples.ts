// Examples of plans and runs.
import type { Address, Identity } from '../../../model/address.js'
import type { ErrorBody } from '../../../views/errors/error.js'
import type { PlanView } from '../../../views/plan.js'
import type { RunStepView } from '../../../views/run-events.js'
import type { RunRow, RunView, DeletedStackView, StackRunRow } from '../../../views/run.js'

const commit = '2f1c9ab7e0d5b6a1c3f48e9d7b60a2c5e8f91d34'
export const appliedRevision = `stable@sha1:${commit}`

const counts = { create: 1, update: 0, remove: 0, unchanged: 4 }
const cause = { kind: 'person', by: 'ann', requested: true } as const

export const runRow: RunRow = {
  id: '12',
  revision: appliedRevision,
  cause,
  phase: 'done',
  outcome: 'applied',
  createdAt: '2026-11-21T04:00:00.000Z',
  startedAt: '2026-11-21T04:00:00.100Z',
  finishedAt: '2026-11-21T04:00:00.520Z',
  changes: counts,
  firstError: null,
}

const deletedStack: DeletedStackView = {
  seq: '7',
  id: '30d2c7767cc16274',
  name: 'boards',
  target: 'local',
  by: 'ann',
  at: runRow.createdAt,
}

export const stackRunRow: StackRunRow = { ...runRow, stack: 'boards' }

const suspended: ErrorBody = {
  status: 'locked',
  code: 'stacks/suspended',
  message: 'edge is suspended by ann: the audit.',
  hint: 'Resume it first: gitmoor resume edge',
}

export const change: PlanView['changes'][number] = {
  address: 'Volume/raw' as Address,
  kind: 'Volume',
  identity: '00000000000000a1' as Identity,
  action: 'update',
  fields: [{ path: 'retentionRules[0].everySeconds', old: 3600, new: 7200 }],
  displayName: 'raw',
  reason: 'edited',
  needs: [],
  after: [],
}

const approvalReason: PlanView['needsApproval'][number] = {
  rule: 'data-loss',
  address: 'Volume/raw' as Address,
  message: 'The shorter retention of Volume/raw deletes data.',
}

export const plan: PlanView = {
  stack: '0a1b2c3d4e5f6071',
  stackName: 'boards',
  target: 'local',
  revision: appliedRevision,
  changes: [change],
  counts: { create: 0, update: 1, remove: 0, unchanged: 4 },
  unchanged: 4,
  needsApproval: [approvalReason],
  sharedDrift: [],
  ignored: [],
  digest: '3fa9c0d1e2b45768a9bacbdcedfe0f1021324354657687980a9bacbdcedfe0f1',
  problems: [],
}

const phases: RunView['phases'] = [
  { phase: 'queued', at: runRow.createdAt, endedAt: runRow.startedAt },
  { phase: 'fetching', at: runRow.startedAt, endedAt: '2026-11-21T04:00:00.220Z' },
  { phase: 'planning', at: '2026-11-21T04:00:00.220Z', endedAt: '2026-11-21T04:00:00.300Z' },
  { phase: 'applying', at: '2026-11-21T04:00:00.300Z', endedAt: runRow.finishedAt },
]

const run: RunView = { ...runRow, stack: 'boards', intent: 'sync', blockers: [], phases, plan: null, problems: [] }

const { identity: _identity, ...comparedChange } = change

const runStep: RunStepView = {
  address: 'Volume/raw' as Address,
  action: 'update',
  state: 'done',
  at: '2026-11-21T04:00:00.480Z',
}

export const runExamples = {
  Counts: counts,
  Cause: cause,
  Change: change,
  ApprovalReason: approvalReason,
  Plan: plan,
  RunRow: runRow,
  RunVeto: { move: '12', by: 'ann', why: 'the CPU chart is wrong' },
  RunRowPage: { items: [runRow], next: null },
  StackDeletion: { id: '5f0c2b7a9d3e1846', by: 'ann', at: '2026-11-21T04:02:11.000Z' },
  StackRunRow: stackRunRow,
  DeletedStack: deletedStack,
  DeletedStackPage: { items: [deletedStack], next: null },
  StackRunRowPage: { items: [stackRunRow], next: null },
  RunBulkRequest: { verb: 'suspend', names: ['boards', 'alerts'], why: 'the audit' },
  RunBulkAnswer: { items: [{ name: 'edge', run: null, error: suspended }] },
  BulkResult: { name: 'boards', run: '12', error: null },
  SyncStacksRequest: { selector: 'team=ops,tier!=test' },
  SyncStacksAnswer: {
    items: [
      { name: 'boards', run: runRow },
      { name: 'edge', error: suspended },
    ],
  },
  RequestedSync: { name: 'boards', run: runRow },
  AppliedRun: { ...runRow, already: true },
  TaggedRun: { ...runRow, etag: '"9c56cc51b374c3ba189210d5b6d4bf57"' },
  Run: run,
  RunComparison: {
    stack: 'boards',
    a: { ...runRow, id: '10' },
    b: runRow,
    changes: [comparedChange],
    counts: { create: 0, update: 1, remove: 0, unchanged: 4 },
    settings: [{ path: 'dataLoss', old: 'refuse', new: 'allow' }],
  },
  RunStep: runStep,
  RunStepPage: {
    phases,
    items: [runStep],
    next: null,
  },
  DeleteStackAnswer: { run: { ...run, intent: 'delete' } },
  UninstallStackAnswer: { run: { ...run, intent: 'uninstall' } },
}
