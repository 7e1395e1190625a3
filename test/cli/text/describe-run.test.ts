import { expect, test } from 'vitest'
import type { Change } from '../../../src/model/resources/change.js'
import type { Address } from '../../../src/model/address.js'
import { describeRun } from '../../../src/cli/text/describe-run.js'
import type { RunView } from '../../../src/views/run.js'

const bucket: Change = {
  address: 'Bucket/raw' as Address,
  kind: 'Bucket',
  action: 'create',
  fields: [{ path: 'name', new: 'raw' }],
  reason: 'added',
  needs: [],
  after: [],
}
const part: Change = {
  ...bucket,
  address: 'LabelMapping/Bucket/raw/red' as Address,
  kind: 'LabelMapping',
  partOf: bucket.address,
}
const counts = { create: 1, update: 0, remove: 0, unchanged: 0 }
const revision = 'stable@sha1:2f1c9ab000000000000000000000000000000000'
const applied: RunView = {
  id: '1',
  stack: 'boards',
  blockers: [],
  revision,
  intent: 'sync',
  cause: { kind: 'created', by: 'ada' },
  phase: 'done',
  outcome: 'applied',
  createdAt: '2026-11-21T04:00:00.000Z',
  startedAt: '2026-11-21T04:00:00.000Z',
  finishedAt: '2026-11-21T04:00:00.030Z',
  changes: counts,
  firstError: null,
  phases: [],
  problems: [],
  plan: {
    stack: '1',
    stackName: 'boards',
    target: 'local',
    revision,
    changes: [bucket, part],
    counts,
    unchanged: 0,
    needsApproval: [],
    sharedDrift: [],
    ignored: [],
    digest: 'd',
    problems: [],
  },
}

function linesOf(run: RunView): readonly string[] {
  return describeRun(run, { stream: {}, environment: {}, now: Date.parse('2026-11-21T04:00:01Z') })
}

test('an applied run is shown with revision, cause, plan and counts; a new part is one line', () => {
  expect(linesOf(applied)).toEqual([
    '',
    'Run 1 of boards at stable@2f1c9ab: created by ada.',
    'Applied plan:',
    '  + Bucket/raw  new in the package',
    '      name: "raw"',
    '  + LabelMapping/Bucket/raw/red  new in the package',
    '  Not counted: 1 label mapping (part of a resource).',
    '',
    'boards: applied stable@2f1c9ab in 0.03 s. 1 created, 0 updated, 0 removed, 0 unchanged.',
  ])
})

test('a failed run is shown with its problems', () => {
  const problem = { severity: 'error', code: 'graph/missing', message: 'Bucket/raw needs Label/red.' } as const
  expect(linesOf({ ...applied, outcome: 'failed', plan: null, changes: null, problems: [problem] })).toEqual([
    '',
    'Run 1 of boards at stable@2f1c9ab: created by ada.',
    'boards: failed at stable@2f1c9ab.',
    'error: Bucket/raw needs Label/red.',
  ])
})

test('of a large plan, 100 changes are shown, and the command that shows all', () => {
  const changes = Array.from({ length: 5_000 }, (_, at) => ({ ...bucket, address: `Bucket/b${at}` as Address }))
  const lines = linesOf({ ...applied, plan: { ...applied.plan!, changes } })
  expect(lines.filter((line) => line.includes('Bucket/b') || / b\d+/.test(line))).toHaveLength(100)
  expect(lines.at(-1)).toBe('4900 more changes. See all: gitmoor history boards 1')
})
