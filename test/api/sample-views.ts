// Views as the verbs give them: one of each, every optional field somewhere.
import { states, type State } from '../../src/status/status.js'
import type { MatrixPage, OverviewView } from '../../src/views/overview.js'
import { fleetExamples } from '../../src/api/v1/examples/fleet-examples.js'
import type { FleetPlanView, FleetView } from '../../src/views/fleet.js'
import type { Address, Identity } from '../../src/model/address.js'
import type { Change } from '../../src/model/resources/change.js'
import { Unknown } from '../../src/model/json.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import type { Diagnosis } from '../../src/views/diagnosis.js'
import type { DiscoveryView } from '../../src/views/packages/discovery.js'
import type { ImportView } from '../../src/views/packages/import.js'
import type { UnmanagedView } from '../../src/views/packages/unmanaged.js'
import type { DriftView, Explanation, ResourceDetail, ResourceExplanation } from '../../src/views/explanation.js'
import type { ExportView } from '../../src/views/packages/export.js'
import type { DigestView, EventView } from '../../src/views/event.js'
import type { TargetResource } from '../../src/views/resource.js'
import type { TargetTestView, TargetView } from '../../src/views/target.js'
import type { PlanView } from '../../src/views/plan.js'
import type { ConfigurationPage } from '../../src/views/configuration.js'
import type { RunEvents } from '../../src/views/run-events.js'
import type { RunComparison, RunRow, RunView } from '../../src/views/run.js'
import type { StackView } from '../../src/views/stack.js'
import type { MessageView, ReceiverView } from '../../src/views/notification.js'
import type { DeliveryAnswer, DeliveryView, WebhookView } from '../../src/views/webhook.js'
import type {
  ChannelView,
  DecidedMoveView,
  DecisionView,
  MovedStackView,
  MoveView,
  PromotedView,
  PromotionPlans,
  PromotionView,
  ApprovalPreview,
  PinPreview,
  UnpinPreview,
  VetoPreview,
} from '../../src/views/channel.js'
import type { CommitRangeView } from '../../src/views/commit.js'
import type { StatusView } from '../../src/views/status.js'

const commit = '2f1c9ab'.padEnd(40, '0')
export const sampleRevision = `stable@sha1:${commit}`
export const sampleDigest = '3fa9c0d1e2b4'.padEnd(64, '5')
const address = (text: string): Address => text as Address

export const sampleChanges: readonly Change[] = [
  {
    address: address('Bucket/raw'),
    kind: 'Bucket',
    action: 'create',
    fields: [
      { path: 'name', new: 'raw' },
      { path: 'retentionRules[0].everySeconds', new: 3600 },
    ],
    displayName: 'raw',
    reason: 'added',
    needs: [],
    after: [],
  },
  {
    address: address('LabelMapping/Bucket/raw/red'),
    kind: 'LabelMapping',
    action: 'create',
    fields: [{ path: 'resourceID', new: new Unknown(address('Bucket/raw'), 'id') }],
    partOf: address('Bucket/raw'),
    reason: 'added',
    needs: [address('Bucket/raw')],
    after: [address('Bucket/raw')],
  },
  {
    address: address('Task/rollup'),
    kind: 'Task',
    identity: '00000000000000a1' as Identity,
    action: 'update',
    fields: [{ path: 'query', old: 'from(bucket: "a")\n  |> mean()\n', new: 'from(bucket: "raw")\n  |> mean()\n' }],
    displayName: 'Roll up',
    from: address('Task/old-rollup'),
    reason: 'edited',
    needs: [],
    after: [],
  },
  {
    address: address('Bucket/old'),
    kind: 'Bucket',
    identity: '00000000000000a2' as Identity,
    action: 'remove',
    fields: [],
    losesData: true,
    first: true,
    reason: 'dropped',
    needs: [],
    after: [],
  },
]

export const samplePlan: PlanView = {
  stack: '00000000000000ff',
  stackName: 'boards',
  target: 'local',
  revision: sampleRevision,
  changes: sampleChanges,
  counts: { create: 1, update: 1, remove: 1, unchanged: 4 },
  unchanged: 4,
  sharedDrift: [],
  ignored: [{ address: address('Dashboard/ops'), path: 'charts[0].yPos' }],
  needsApproval: [
    { rule: 'data-loss', address: address('Bucket/old'), message: 'Removing Bucket/old loses its data.' },
  ],
  digest: sampleDigest,
  problems: [
    {
      severity: 'warning',
      code: 'kinds/unknown-field',
      message: 'The field colour is not known.',
      place: { file: 'a.yml', index: 0, pointer: '/spec/colour', line: 3 },
      field: 'root[0].spec.colour',
      hint: 'Did you mean "color"?',
    },
  ],
}

export const sampleRow: RunRow = {
  id: '12',
  revision: sampleRevision,
  cause: { kind: 'person', by: 'ann' },
  phase: 'done',
  outcome: 'applied',
  createdAt: '2026-11-21T04:00:00.000Z',
  startedAt: '2026-11-21T04:00:00.100Z',
  finishedAt: '2026-11-21T04:00:00.520Z',
  changes: { create: 1, update: 1, remove: 1, unchanged: 4 },
  firstError: null,
}

const samplePhases: RunView['phases'] = [
  { phase: 'queued', at: sampleRow.createdAt, endedAt: sampleRow.startedAt },
  { phase: 'fetching', at: sampleRow.startedAt, endedAt: '2026-11-21T04:00:00.200Z' },
  { phase: 'planning', at: '2026-11-21T04:00:00.200Z', endedAt: '2026-11-21T04:00:00.300Z' },
  { phase: 'applying', at: '2026-11-21T04:00:00.300Z', endedAt: sampleRow.finishedAt },
]

export const sampleRun: RunView = {
  ...sampleRow,
  stack: 'boards',
  intent: 'sync',
  blockers: [],
  phases: samplePhases,
  plan: { ...samplePlan, needsApproval: [] },
  problems: [],
}

export const sampleRunEvents: RunEvents = {
  phases: samplePhases,
  items: [{ address: address('Bucket/raw'), action: 'create', state: 'done', at: '2026-11-21T04:00:00.400Z' }],
  next: null,
}

export const sampleConfiguration: ConfigurationPage = {
  configuration: {
    file: '/etc/gitmoor/gitmoor.yaml',
    loadedAt: '2026-11-21T04:00:00.000Z',
    refused: null,
    needsRestart: [],
    refusedStacks: [],
  },
  items: [
    { path: 'listen', value: '127.0.0.1:4470', source: 'default', line: null },
    { path: 'credentials.forge.token', value: '${env:FORGE_TOKEN}', secret: true, source: 'file', line: 4 },
  ],
  next: null,
}

export const sampleComparison: RunComparison = {
  stack: 'boards',
  a: { ...sampleRow, id: '10' },
  b: sampleRow,
  changes: sampleChanges,
  counts: sampleRow.changes!,
  settings: [{ path: 'values.retention', old: '1h', new: '2h' }],
}

export const sampleStatus: StatusView = {
  state: 'Synced',
  reason: 'Synced',
  also: [],
  message: 'stable@2f1c9ab is applied.',
  lagMs: 0,
  since: '2026-11-21T04:00:30.000Z',
  next: [],
  warnings: [],
}

export const sampleStack: StackView = {
  name: 'boards',
  displayName: 'Boards',
  labels: { team: 'ops', 'example.com/tier': 'edge' },
  id: '00000000000000ff',
  managedBy: 'api',
  createdAt: '2026-11-20T04:00:00.000Z',
  etag: '"0f343b0931126a20f133d67c2b018a3b"',
  sources: [
    { kind: 'git', url: 'https://git.example/boards', ref: 'stable', path: 'dashboards', revision: sampleRevision },
  ],
  target: 'local',
  status: sampleStatus,
  sync: 'Synced',
  health: 'Healthy',
  unhealthy: null,
  phase: 'done',
  suspended: null,
  pinned: null,
  conditions: [{ type: 'Ready', status: true, reason: 'Applied', message: '' }],
  revision: { observed: sampleRevision, attempted: sampleRevision, applied: sampleRevision },
  resources: [{ kind: 'Bucket', name: 'raw', displayName: 'raw', id: '00000000000000a1' }],
  lastRun: sampleRow,
  nextPollAt: '2026-11-21T04:01:00.000Z',
  checkedAt: '2026-11-21T04:00:00.000Z',
  spec: {
    ...stackDefaults,
    name: 'boards',
    displayName: 'Boards',
    labels: { team: 'ops', 'example.com/tier': 'edge' },
    sources: [{ kind: 'git', url: 'https://git.example/boards', ref: 'stable', path: 'dashboards' }],
    onFailure: 'undo',
  },
}

export const sampleExplanation: Explanation = {
  name: 'boards',
  labels: {},
  follows: [
    {
      source: 'https://git.example/boards#stable',
      revision: sampleRevision,
      observedAt: '2026-11-21T04:00:00.000Z',
      polledAt: '2026-11-21T04:00:30.000Z',
      problem: null,
      move: null,
    },
  ],
  lastRun: 'Run 12 created 1, updated 0, removed 0. Cause: requested by ann.',
  status: sampleStatus,
  blockers: [
    {
      reason: 'Suspended',
      message: 'moving the target',
      since: null,
      until: null,
      next: [{ verb: 'resume', args: { stack: 'boards' }, cli: 'gitmoor resume boards', purpose: '' }],
    },
  ],
  window: null,
  dependencies: [],
  nextPollAt: '2026-11-21T04:01:00.000Z',
  requestedPollAt: null,
  delays: [],
  nextScheduleAt: null,
  fleet: null,
  checkedAt: null,
  nextDriftCheckAt: null,
  nextRetryAt: null,
  overrides: [
    {
      at: '2026-11-21T04:00:00.000Z',
      by: 'ann',
      what: 'edit Bucket/raw',
      why: 'the disk is full',
      overrode: 'A sync window denies writes.',
    },
  ],
  text: '',
}

export const sampleMove: MoveView = {
  id: '3',
  channel: 'https://git.example/boards#stable',
  from: null,
  to: { object: '81d0c3e'.padEnd(40, '1'), commit },
  observedAt: '2026-11-21T04:00:00.000Z',
  detectedBy: 'poll',
  state: 'blocked',
  blockedBy: 'approval',
  until: null,
  direction: 'diverged',
  releasedAt: null,
  decision: { kind: 'veto', by: 'ann', why: 'the CPU chart is wrong', at: '2026-11-21T04:00:00.000Z' },
  facts: {
    tag: {
      tag: 'stable',
      name: 'Ann',
      email: 'ann@example.com',
      at: '2026-11-21T04:00:00.000Z',
      message: 'Release 1.2',
    },
    commit: { name: 'Ben', email: 'ben@example.com', at: null, message: 'A chart' },
    signature: { state: 'good', key: 'ABCD', by: 'ops' },
  },
}

export const sampleMoved: readonly MovedStackView[] = [
  { stack: 'boards', run: '12', revision: sampleRevision },
  { stack: 'asleep', run: '13', revision: sampleRevision, suspended: true },
]

export const sampleDecidedMove: DecidedMoveView = { ...sampleMove, state: 'vetoed', moved: sampleMoved }

export const sampleChannel: ChannelView = {
  name: 'https://git.example/boards#stable',
  remote: 'https://git.example/boards',
  ref: 'stable',
  kind: 'tag',
  commit,
  tag: null,
  stacks: ['boards'],
  observedAt: '2026-11-21T04:00:00.000Z',
  released: null,
  newest: sampleMove,
  pin: { commit, by: 'ann', why: 'the audit', at: '2026-11-21T04:00:00.000Z' },
  policy: { moves: 'forward-only', minAge: '15m', movesPerHour: 3, signedBy: ['ops'] },
  blocker: {
    reason: 'ChannelPinned',
    message: 'It is pinned.',
    since: null,
    until: null,
    next: [{ verb: 'channel unpin', args: { channel: 'stable' }, cli: 'gitmoor channel unpin stable', purpose: '' }],
  },
}

const delivered: Omit<DeliveryAnswer, 'delivery'> = {
  hook: 'github',
  event: 'push',
  remotes: ['https://github.com/acme/boards'],
  result: 'moved',
  message: 'The remote changed.',
  runs: [{ stack: 'boards', run: '12', outcome: 'applied' }],
}

export const sampleAnswered: Omit<DeliveryAnswer, 'delivery'> = { ...delivered, repeated: true }

export const sampleDelivery: DeliveryView = {
  ...delivered,
  id: '7',
  at: '2026-01-01T00:00:00.000Z',
  key: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
  changes: [{ ref: 'refs/heads/main', commit: '1'.repeat(40) }, { ref: 'refs/tags/old', commit: null }, {}],
  tookMs: 84,
}

export const sampleMessage: MessageView = {
  id: '42',
  key: '0f8fad5b-d9cb-469f-a165-70867728950e',
  receiver: 'ops',
  kind: 'notification',
  state: 'sent',
  title: 'boards failed',
  createdAt: '2026-01-01T00:00:00.000Z',
  dueAt: null,
  attempts: 1,
  endedAt: '2026-01-01T00:00:00.000Z',
  status: 200,
  error: 'https://hooks.example answered 500.',
  counts: { failed: 1 },
  commit: null,
}

export const sampleReceiver: ReceiverView = {
  name: 'ops',
  type: 'slack',
  on: ['failed', 'recovered'],
  stacks: [],
  match: null,
  pending: 3,
  last: sampleMessage,
}

export const sampleWebhook: WebhookView = {
  name: 'github',
  provider: 'github',
  path: '/hooks/github',
  remotes: ['https://github.com/acme/'],
  last: sampleDelivery,
  proven: ['https://github.com/acme/boards'],
  refused: 2,
}

export const sampleVetoPreview: VetoPreview = {
  move: sampleMove,
  commit: '81d0c3e'.padEnd(40, '1'),
  stacks: ['boards', 'edge'],
}

export const sampleApprovalPreview: ApprovalPreview = {
  move: sampleMove,
  stacks: ['boards', 'edge'],
  plans: [{ stack: 'boards', plan: samplePlan }],
}

export const samplePinPreview: PinPreview = {
  channel: 'https://git.example/boards#stable',
  commit: '81d0c3e'.padEnd(40, '1'),
  stacks: ['boards', 'edge'],
  plans: [{ stack: 'boards', plan: samplePlan }],
}

export const sampleUnpinPreview: UnpinPreview = {
  channel: 'https://git.example/boards#stable',
  pinned: commit,
  commit: '81d0c3e'.padEnd(40, '1'),
  stacks: ['boards', 'edge'],
  blocker: null,
}

export const samplePromotion: PromotionView = {
  remote: 'https://git.example/boards',
  tag: 'stable',
  from: 'beta',
  fromCommit: commit,
  before: { object: '81d0c3e'.padEnd(40, '1'), commit: '81d0c3e'.padEnd(40, '1') },
  commit,
  direction: 'back',
  stacks: ['boards', 'other'],
  plans: [{ stack: 'boards', plan: samplePlan }],
}

export const samplePromotionPlans: PromotionPlans = {
  commit,
  items: [{ stack: 'boards', plan: samplePlan }],
  next: null,
  total: 1,
}

export const sampleCommits: CommitRangeView = {
  items: [
    { id: commit, name: 'ann', email: 'ann@example.com', at: '2026-11-20T10:00:00.000Z', message: 'Add a chart' },
  ],
  more: false,
}

export const samplePromoted: PromotedView = {
  ...samplePromotion,
  object: '9a0b1c2'.padEnd(40, '2'),
  moved: [{ stack: 'boards', run: '13', revision: `stable@sha1:${commit}` }],
  blockers: [],
}

export const sampleDecision: DecisionView = {
  id: '1',
  channel: 'https://git.example/boards#stable',
  kind: 'veto',
  move: '3',
  commit: null,
  by: 'ann',
  why: 'the CPU chart is wrong',
  at: '2026-11-21T04:00:00.000Z',
}

export const sampleEvent: EventView = {
  id: '0a1b2c3d-7',
  type: 'open',
  at: '2026-11-21T04:00:00.000Z',
  stack: null,
  run: null,
  channel: null,
  resource: null,
}

export const sampleResource: TargetResource = {
  target: 'local',
  family: 'Bucket',
  id: '00000000000000a1',
  displayName: 'raw',
  stack: 'boards',
  address: 'Bucket/raw',
  sharers: ['copies', 'edge'],
  actual: { name: 'raw', retentionRules: [{ type: 'expire', everySeconds: 3600 }] },
}

export const sampleDrift: DriftView = {
  checkedAt: '2026-11-21T04:05:00.000Z',
  since: '2026-11-21T04:00:00.000Z',
  total: 2,
  resources: [
    {
      address: 'Bucket/raw',
      kind: 'Bucket',
      displayName: 'raw',
      difference: 'changed',
      fields: [{ path: 'description', applied: 'declared', actual: 'by hand' }],
    },
    { address: 'Label/red', kind: 'Label', difference: 'missing', fields: [] },
  ],
  shared: [],
}

export const sampleExplained: ResourceExplanation = {
  address: 'Dashboard/ops',
  kind: 'Dashboard',
  displayName: 'Operations',
  id: '0a1b2c3d4e5f6071',
  shared: false,
  adopted: false,
  protected: true,
  lastChange: {
    run: '12',
    at: '2026-11-21T04:00:00.000Z',
    action: 'update',
    reason: 'edited',
    paths: ['charts[0].name'],
    fields: 1,
    cause: 'tag stable moved from 1111111 to 2222222',
  },
}

export const sampleDetail: ResourceDetail = {
  ...sampleExplained,
  partOf: null,
  parts: ['LabelMapping/Dashboard/ops/red'],
  needs: [],
  neededBy: [],
  owner: null,
  sharers: ['others'],
  ignored: ['charts[*].yPos'],
  drift: { gone: false, fields: [{ path: 'description', applied: '', actual: 'handmade' }] },
  change: {
    address: address('Dashboard/ops'),
    kind: 'Dashboard',
    identity: '0a1b2c3d4e5f6071' as Identity,
    action: 'update',
    fields: [{ path: 'charts[0].name', old: 'CPU', new: 'Processor' }],
    shown: [{ path: 'charts[0].name', old: 'CPU', new: 'Processor', entries: [{ path: 'charts[0]', name: 'CPU' }] }],
    reason: 'edited',
    needs: [],
    after: [],
  },
  blockers: [
    {
      reason: 'Pinned',
      message: 'Held at stable@sha1:1 (run 7) by ann.',
      since: null,
      until: null,
      next: [{ verb: 'unpin', args: { stack: 'boards' }, cli: 'gitmoor unpin boards', purpose: '' }],
    },
  ],
}

export const sampleDiagnosis: Diagnosis = {
  checks: [
    { name: 'database', state: 'ok', message: 'integrity check passed, 1.0 MiB' },
    { name: 'key', state: 'problem', message: '/data/key is readable for everybody.', next: 'chmod 600 /data/key' },
  ],
  worst: 'problem',
}

export const sampleExport: ExportView = {
  documents: [
    {
      apiVersion: 'influxdata.com/v2alpha1',
      kind: 'Label',
      metadata: { name: 'red' },
      spec: { name: 'Red', color: '#ff0000' },
    },
    {
      apiVersion: 'influxdata.com/v2alpha1',
      kind: 'Bucket',
      metadata: { name: 'raw' },
      spec: { name: 'raw', associations: [{ kind: 'Label', name: 'red' }] },
    },
  ],
  problems: [
    {
      severity: 'warning',
      code: 'stacks/export-gone',
      message: 'Bucket/old of boards no longer exists on its target; the export leaves it out.',
    },
  ],
}

const discovered = { kinds: { Bucket: 1, Label: 2 }, problems: [], includes: [], stack: null }
export const sampleDiscovery: DiscoveryView = {
  url: 'https://git.example/boards',
  ref: 'HEAD',
  path: '',
  revision: sampleRevision,
  packages: [
    { ...discovered, path: 'edge', name: 'edge' },
    { ...discovered, path: 'core', name: 'core', stack: 'boards' },
    { ...discovered, path: 'team', name: 'team', includes: ['team/a'] },
    { ...discovered, path: 'team/a', name: 'team-a' },
    {
      ...discovered,
      path: 'broken',
      name: 'broken',
      problems: [
        { severity: 'error', code: 'kinds/unknown-kind', message: 'There is no kind "Bukket".', field: 'root[0].kind' },
      ],
    },
  ],
  clashes: [
    { family: 'Variable', name: 'bucket', paths: ['edge', 'team/a'], alike: false },
    { family: 'Label', name: 'Red', paths: ['edge', 'core'], alike: true },
  ],
}

export const sampleImport: ImportView = {
  name: 'boards',
  target: 'prod',
  stack: { ...sampleStack, target: 'prod' },
  run: '12',
  from: { id: '0a1b2c3d4e5f6071', name: 'old boards', description: 'made by hand' },
  taken: sampleStack.resources,
  leftOut: [{ kind: 'Dashboard', name: 'gone', id: '0a1b2c3d4e5f6072', why: 'gone' }],
  plan: { ...samplePlan, stack: '', target: 'prod' },
  held: true,
  warnings: [
    { code: 'influxdb/stack-remains', message: 'InfluxDB still has its stack 0a1b2c3d4e5f6071.', hint: 'Rename it.' },
  ],
}

export const sampleUnmanaged: UnmanagedView = {
  target: 'prod',
  managed: 2,
  families: [
    { family: 'Bucket', count: 2, names: ['cooked', 'raw'] },
    { family: 'Dashboard', count: 101, names: ['Ops'] },
  ],
  stacks: [
    { id: '0a1b2c3d4e5f6071', name: 'old boards', description: '', resources: 3, unmanaged: 2, stacks: ['boards'] },
    { id: '0a1b2c3d4e5f6072', name: '', description: '', resources: 1, unmanaged: 0, stacks: [] },
  ],
  warnings: [{ code: 'influxdb/no-permission', message: 'The token lacks permissions.', hint: 'See its token.' }],
}

const { Fleet, FleetPlan } = fleetExamples
export const sampleFleet = Fleet as FleetView
export const sampleFleetPlan = FleetPlan as FleetPlanView

export const sampleTarget = {
  name: 'local',
  platform: 'embedded',
  labels: { env: 'test' },
  organisation: 'main',
  stacks: 2,
  refused: null,
} satisfies TargetView

/** The fields in which it differs. */
export const refusedTarget = {
  name: 'lab',
  labels: { env: 'prod', 'example.com/region': 'eu' },
  organisation: 'lab',
  stacks: 1,
  refused: {
    code: 'platform/target-missing',
    message: 'Target lab is declared as embedded/lab, but its stacks are bound to embedded/old.',
    hint: 'Declare it as embedded/old again, and embedded/lab under another name. Then send the signal HUP to the agent.',
  },
} satisfies Partial<TargetView>

export const sampleTargetTest: TargetTestView = {
  name: 'local',
  platform: 'embedded',
  ok: true,
  ms: 12,
  about: { version: '2.9.1', organisation: 'main' },
  warnings: [{ code: 'lamps/rights', message: 'gitmoor may not write tasks.', hint: 'Give the token this right.' }],
  problem: null,
}

const { target: _, ...settings } = stackDefaults
const git = { kind: 'git', url: 'https://git.example/boards', ref: 'stable', path: '' } as const
export const sampleTargetFleet: FleetView = {
  ...sampleFleet,
  name: 'boards',
  repo: git.url,
  ref: git.ref,
  target: null,
  targets: { names: ['eu1', 'us1'] },
  listing: { ...sampleFleet.listing!, revision: null, directories: null, targets: 2 },
  spec: {
    name: 'boards',
    targets: { names: ['eu1', 'us1'] },
    template: { ...settings, sources: [git] },
    maxStacks: 100,
  },
}
export const sampleTargetFleetPlan: FleetPlanView = {
  name: 'boards',
  revision: null,
  directories: null,
  targets: 2,
  problems: [],
  changes: ['eu1', 'us1'].map((target) => ({ stack: `boards.${target}`, action: 'create', target, path: '' }) as const),
}

const stateCounts = Object.fromEntries(states.map((state) => [state, state === 'Synced' ? 1 : 0])) as Record<
  State,
  number
>

export const sampleOverview: OverviewView = {
  total: 1,
  counts: stateCounts,
  attention: 0,
  needsAttention: [],
  channels: [],
  activity: [{ at: sampleDecision.at, run: null, decision: sampleDecision }],
}

export const sampleMatrix: MatrixPage = {
  columns: ['local'],
  total: 1,
  items: [
    {
      package: 'https://git.example/boards',
      cells: [
        { target: 'local', stacks: 1, stack: 'boards', worst: 'Synced', commits: ['1'.repeat(40)], commitCount: 1 },
      ],
    },
  ],
  next: null,
}

export const sampleEventDigest: DigestView = {
  id: '0a1b2c3d-7',
  type: 'digest',
  at: '2026-11-21T04:00:00.000Z',
  counts: stateCounts,
  changed: [{ name: 'boards', state: 'Synced' }],
  more: 0,
  channels: [],
}
