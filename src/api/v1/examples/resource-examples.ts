// Examples of resources, explanations and diagnoses.
import type { Diagnosis } from '../../../views/diagnosis.js'
import type { DiscoveryView } from '../../../views/packages/discovery.js'
import type { DriftView, Explanation, ResourceDetail, ResourceExplanation } from '../../../views/explanation.js'
import type { ImportView } from '../../../views/packages/import.js'
import type { UnmanagedView } from '../../../views/packages/unmanaged.js'
import type { TargetResource } from '../../../views/resource.js'
import type { TargetTestView, TargetView } from '../../../views/target.js'
import { move } from './channel-examples.js'
import { appliedRevision, change, plan } from './run-examples.js'
import { blocker, stack } from './stack-examples.js'

const resource: TargetResource = {
  target: 'local',
  family: 'Volume',
  id: '00000000000000a1',
  displayName: 'raw',
  stack: 'boards',
  address: 'Volume/raw',
  actual: { name: 'raw', retentionRules: [{ type: 'expire', everySeconds: 3600 }] },
}

const desired = { name: 'raw', retentionRules: [{ type: 'expire', everySeconds: 7200 }] }

const explained: ResourceExplanation = {
  address: 'Volume/raw',
  kind: 'Volume',
  displayName: 'raw',
  id: '00000000000000a1',
  shared: false,
  adopted: false,
  protected: false,
  lastChange: {
    run: '12',
    at: '2026-11-21T04:00:00.520Z',
    action: 'update',
    reason: 'edited',
    paths: ['retentionRules[0].everySeconds'],
    fields: 1,
    cause: 'requested by ann',
  },
}

const detail: ResourceDetail = {
  ...explained,
  partOf: null,
  parts: [],
  needs: [],
  neededBy: ['Task/rollup'],
  owner: null,
  sharers: [],
  ignored: [],
  drift: { gone: false, fields: [{ path: 'description', applied: '', actual: 'handmade' }] },
  change,
  blockers: [blocker],
}

const explanation: Explanation = {
  name: 'boards',
  labels: { team: 'edge' },
  follows: [
    {
      source: 'https://git.example/boards#stable',
      revision: appliedRevision,
      observedAt: '2026-11-21T04:00:00.000Z',
      polledAt: '2026-11-21T04:00:30.000Z',
      problem: null,
      move,
    },
  ],
  lastRun: 'Run 12 created 1, updated 0, removed 0. Cause: requested by ann.',
  status: stack.status,
  blockers: [],
  window: null,
  dependencies: [],
  nextPollAt: '2026-11-21T04:01:00.000Z',
  requestedPollAt: null,
  delays: [],
  nextScheduleAt: null,
  fleet: null,
  checkedAt: '2026-11-21T04:00:01.000Z',
  nextDriftCheckAt: '2026-11-21T04:05:00.000Z',
  nextRetryAt: null,
  overrides: [],
  text: 'boards is synced.',
}

const diagnosis: Diagnosis = {
  checks: [{ name: 'database', state: 'ok', message: 'integrity check passed, 1.0 MiB' }],
  worst: 'ok',
}

const target: TargetView = { name: 'local', platform: 'example', labels: { env: 'test' }, stacks: 1, refused: null }

const targetTest: TargetTestView = {
  name: 'local',
  platform: 'example',
  ok: true,
  ms: 12,
  about: { version: '2.9.1' },
  warnings: [],
  problem: null,
}
const unknownKey = {
  severity: 'error',
  code: 'config/unknown-key',
  message: 'Unknown key "listne". Did you mean "listen"?',
  field: 'listne',
}
const refused = { at: '2026-11-21T04:00:00.000Z', problems: [unknownKey] }
const configuration = {
  file: '/etc/gitmoor.yaml',
  loadedAt: '2026-11-21T04:00:00.000Z',
  refused: null,
  needsRestart: ['limits'],
  refusedStacks: [],
}

const discovery: DiscoveryView = {
  url: 'https://git.example/boards',
  ref: 'HEAD',
  path: '',
  revision: appliedRevision,
  packages: [{ path: 'edge', kinds: { Volume: 1 }, problems: [], includes: [], stack: null, name: 'edge' }],
  clashes: [],
}

const unmanaged: UnmanagedView = {
  target: 'local',
  managed: 1,
  families: [{ family: 'Volume', count: 1, names: ['raw'] }],
  stacks: [{ id: '0a1b2c3d4e5f6071', name: 'boards', description: 'by hand', resources: 1, unmanaged: 1, stacks: [] }],
  warnings: [],
}

const imported: ImportView = {
  name: 'boards',
  target: 'local',
  stack,
  run: '12',
  from: { id: '0a1b2c3d4e5f6071', name: 'boards', description: 'by hand' },
  taken: stack.resources,
  leftOut: [{ kind: 'Volume', name: 'old', id: '00000000000000a2', why: 'gone' }],
  plan: { ...plan, stack: '' },
  held: true,
  warnings: [],
}

const importRequest = {
  stackID: '0a1b2c3d4e5f6071',
  sources: [{ url: 'https://git.example/boards', ref: 'stable', path: 'dashboards' }],
}

const document = {
  apiVersion: 'example/v1',
  kind: 'Volume',
  metadata: { name: 'raw' },
  spec: { name: 'raw' },
}

const drift: DriftView = {
  checkedAt: '2026-11-21T04:05:00.000Z',
  since: '2026-11-21T04:05:00.000Z',
  total: 1,
  resources: [
    {
      address: 'Volume/raw',
      kind: 'Volume',
      displayName: 'raw',
      difference: 'changed',
      fields: [{ path: 'description', applied: '', actual: 'handmade' }],
    },
  ],
  shared: [],
}

const stackResource = { ...explained, needs: [], parts: [], unhealthy: null, drift: false }

const value = { path: 'credentials.forge.token', value: '${env:FORGE_TOKEN}', secret: true, source: 'file', line: 12 }

export const resourceExamples = {
  Target: target,
  TargetTest: targetTest,
  Finding: { code: 'platform/failed', message: 'The target failed.', hint: 'Check its address.' },
  TargetPage: { items: [target], next: null },
  Configuration: configuration,
  ConfigurationValue: value,
  ConfigurationValuePage: { configuration, items: [value], next: null },
  RefusedReload: refused,
  Resource: resource,
  ResourcePage: { items: [resource], next: null },
  CreateResourceRequest: { family: 'Volume', desired },
  UpdateResourceRequest: { desired },
  DeleteResourceAnswer: { deleted: 'Volume/raw' },
  ResourceExplanation: explained,
  ResourceExplanationPage: { items: [explained], next: null },
  StackResource: stackResource,
  Drift: drift,
  StackResourcePage: { items: [stackResource], next: null },
  ResourceDetail: detail,
  Explanation: explanation,
  Check: diagnosis.checks[0],
  Diagnosis: diagnosis,
  Discovery: discovery,
  DiscoverPackagesRequest: { url: 'https://git.example/boards', prefix: 'team-' },
  Unmanaged: unmanaged,
  Import: imported,
  ImportStackRequest: importRequest,
  PlanImportRequest: { ...importRequest, name: 'edge' },
  Export: { documents: [document], problems: [] },
  ExportPackageRequest: { stack: 'boards', withVariables: true },
  CreateBackupRequest: { withKey: false },
  Health: { status: 'ok' },
  Readiness: { ready: true, reason: 'ready' },
}
