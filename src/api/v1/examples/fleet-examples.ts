// Examples of fleets and of requests that change them.
import { stackDefaults } from '../../../settings/stack-settings.js'
import type { FleetDocument } from '../../../settings/documents/fleet-document.js'
import type { FleetChangeView, FleetPlanView, FleetRow, FleetView } from '../../../views/fleet.js'
import { appliedRevision } from './run-examples.js'

const repo = 'https://git.example/platform'

const row: FleetRow = {
  name: 'teams',
  managedBy: 'api',
  declared: true,
  createdAt: '2026-11-20T04:00:00.000Z',
  etag: '"52fa1b7de1a3c36a0d1f3f6d9c5b8e70"',
  repo,
  ref: 'stable',
  target: 'local',
  targets: null,
  stacks: 2,
  undeclared: 0,
  listing: { at: '2026-11-21T04:00:01.000Z', revision: appliedRevision, directories: 2, targets: null, problems: [] },
}

const directories = { repo, ref: 'stable', include: ['teams/*'], exclude: ['teams/sandbox'], name: '{path.basename}' }

const spec: FleetView['spec'] = { name: 'teams', directories, template: stackDefaults, maxStacks: 100 }

const fleet: FleetView = { ...row, spec }

const change: FleetChangeView = { stack: 'web', action: 'create', target: 'local', path: 'teams/web' }

const plan: FleetPlanView = {
  name: 'teams',
  revision: appliedRevision,
  directories: 2,
  targets: null,
  changes: [change],
  problems: [],
}

const document: FleetDocument = { name: 'teams', directories, template: { interval: '1m' } }

export const fleetExamples: Readonly<Record<string, unknown>> = {
  FleetRow: row,
  FleetRowPage: { items: [row], next: null },
  Fleet: fleet,
  FleetChanged: {
    error: {
      status: 'stale',
      code: 'fleets/changed',
      message: 'Fleet teams changed since it was read: If-Match does not match.',
      hint: 'Read it again, and decide again: gitmoor fleet get teams -o yaml',
      requestId: '5f0c3f2e-8f0c-4f6e-9d65-2a1f0e7b9c11',
    },
    current: fleet,
  },
  FleetSettings: spec,
  FleetChange: change,
  FleetPlan: plan,
  ApplyFleetRequest: document,
  ApplyFleetAnswer: { fleet, changes: [change] },
  PlanFleetRequest: { fleet: document },
  DeleteFleetAnswer: { kept: 2 },
}
