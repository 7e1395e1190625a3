// Examples of stacks and of requests that change them.
import { stackDefaults } from '../../../settings/stack-settings.js'
import type { StackRow, StackView } from '../../../views/stack.js'
import type { StatusView } from '../../../views/status.js'
import { appliedRevision, runRow } from './run-examples.js'

const etag = '"9c56cc51b374c3ba189210d5b6d4bf57"'

const source = { kind: 'git', url: 'https://git.example/boards', ref: 'stable', path: 'dashboards' } as const

const status: StatusView = {
  state: 'Synced',
  reason: 'Synced',
  message: 'stable@2f1c9ab is applied.',
  lagMs: 0,
  since: '2026-11-21T04:00:01.000Z',
  next: [],
  also: [],
  warnings: [],
}

const nextStep = {
  verb: 'resume',
  args: { stack: 'boards' },
  cli: 'gitmoor resume boards',
  purpose: 'end the suspension',
}

export const blocker = {
  reason: 'Suspended',
  message: 'ann suspended the stack: the target moves.',
  since: '2026-11-21T04:00:00.000Z',
  until: null,
  next: [nextStep],
}

export const stackRow: StackRow = {
  name: 'boards',
  displayName: 'Boards',
  id: '0a1b2c3d4e5f6071',
  labels: { team: 'edge' },
  managedBy: 'api',
  createdAt: '2026-11-20T04:00:00.000Z',
  etag,
  sources: [{ ...source, revision: appliedRevision }],
  target: 'local',
  status,
  sync: 'Synced',
  health: 'Healthy',
  phase: 'done',
  suspended: null,
  pinned: null,
  conditions: [{ type: 'Ready', status: true, reason: 'Applied', message: 'stable@2f1c9ab is applied.' }],
  revision: { observed: appliedRevision, attempted: appliedRevision, applied: appliedRevision },
  lastRun: runRow,
  nextPollAt: '2026-11-21T04:01:00.000Z',
  checkedAt: '2026-11-21T04:00:01.000Z',
  unhealthy: null,
}

const spec = { ...stackDefaults, name: 'boards', displayName: 'Boards', sources: [source] }

const settings = { source: { ref: 'beta' }, maxDeletes: 20 }

const settingsPreview = {
  changes: [
    { path: 'sources[0].ref', old: 'stable', new: 'beta' },
    { path: 'maxDeletes', old: 10, new: 20 },
  ],
  error: {
    status: 'source',
    code: 'source/ref-missing',
    message: 'In https://git.example/boards there is no branch or tag "beta".',
  },
}

export const stack: StackView = {
  ...stackRow,
  resources: [{ kind: 'Volume', name: 'raw', displayName: 'raw', id: '00000000000000a1' }],
  spec,
}

const problem = {
  severity: 'error',
  code: 'graph/cycle',
  message: 'Dashboard/ops needs Volume/raw, which needs Dashboard/ops.',
  place: { file: 'ops.yml', index: 0, pointer: '/spec', line: 3 },
  hint: 'Remove one of these references.',
}

const error = {
  status: 'not-found',
  code: 'stacks/unknown',
  message: 'There is no stack named boards.',
  hint: 'List the stacks: gitmoor stack list',
  requestId: '5f0c3f2e-8f0c-4f6e-9d65-2a1f0e7b9c11',
}

const digest = '3fa9c0d1e2b4'
const override = { overrideWindow: true, why: 'INC-7: the disk is full' }

const files = [{ path: 'raw.yml', text: 'apiVersion: example/v1\nkind: Volume\nmetadata: {name: raw}\nspec: {}\n' }]

export const stackExamples = {
  Error: { error },
  ErrorBody: error,
  Problem: problem,
  StackChanged: {
    error: {
      ...error,
      status: 'stale',
      code: 'stacks/changed',
      message: 'boards changed since it was read: If-Match does not match.',
      hint: 'Read it again, and decide again: gitmoor stack get boards',
    },
    current: stack,
  },
  StackStatus: status,
  NextStep: nextStep,
  Blocker: blocker,
  StackRow: stackRow,
  StackRowPage: { items: [stackRow], next: 'Kq8nY2lyYm9hcmRz', total: 43 },
  StackSettings: spec,
  Stack: stack,
  CreateStackRequest: {
    name: 'boards',
    sources: [{ url: source.url, ref: 'stable', path: 'dashboards' }],
    interval: '30s',
  },
  CreateStackAnswer: { stack, run: '12' },
  PlanNewStackRequest: {
    name: 'edge',
    sources: [{ url: source.url, ref: 'stable', path: 'edge' }],
    adopt: 'refuse',
  },
  UpdateStackRequest: settings,
  UpdateStackAnswer: { stack, ...settingsPreview, run: '13' },
  PlanSettingsRequest: settings,
  PlanSettingsAnswer: settingsPreview,
  SuspendStackRequest: { why: 'the target moves', forMs: 3_600_000 },
  WaitForStackRequest: { revision: '2f1c9ab', timeoutMs: 60_000 },
  AdoptResourceRequest: { address: 'Volume/raw', id: '00000000000000a1' },
  AdoptResourceAnswer: { run: runRow },
  ReleaseResourceRequest: { address: 'Volume/raw' },
  ReleasedResource: { run: runRow, id: '00000000000000a1', findsAgain: true },
  UninstallStackRequest: { digest, ...override },
  SyncStackRequest: override,
  UnpinStackRequest: {},
  UnpinStackAnswer: { stack, run: '13' },
  RollBackStackRequest: { run: '11', why: 'the CPU chart is wrong' },
  PlanStackRequest: { ref: 'beta' },
  ApplyPlanRequest: { revision: appliedRevision, digest },
  ApprovePlanRequest: { digest },
  PushPackageRequest: { files },
  PlanFilesRequest: { files },
}
