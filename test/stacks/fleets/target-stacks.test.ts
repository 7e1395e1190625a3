// Which targets a fleet lists, the stack of each, and why a target left.
import { describe, expect, test } from 'vitest'
import type { TargetFleet } from '../../../src/model/stacks/fleet.js'
import { fleetDocument, toFleetSpec, type FleetDocument } from '../../../src/settings/documents/fleet-document.js'
import { stackDefaults } from '../../../src/settings/stack-settings.js'
import { departure, listedTargets, targetStacks } from '../../../src/stacks/fleets/target-stacks.js'

const declared = [
  { name: 'local' },
  { name: 'us1', labels: { env: 'prod', region: 'us' } },
  { name: 'eu1', labels: { env: 'prod', region: 'eu' } },
  { name: 'lab', labels: { env: 'test' } },
]

function fleet(targets: FleetDocument['targets'], more: Partial<FleetDocument> = {}): TargetFleet {
  const template = { sources: [{ url: 'https://git.example/boards', ref: 'stable' }], ...more.template }
  return toFleetSpec(fleetDocument.parse({ name: 'boards', targets, ...more, template })) as TargetFleet
}

describe('targets', () => {
  test.each([
    ['are those that are named, in the order of their names', { names: ['us1', 'eu1'] }, ['eu1', 'us1']],
    ['are those with a label', { selector: 'env=prod' }, ['eu1', 'us1']],
    ['are those that meet all conditions', { selector: 'env=prod,region!=us' }, ['eu1']],
    ['without a label are among those that lack it', { selector: '!env' }, ['local']],
    ['with another value are no match', { selector: 'env=production' }, []],
    ['that are named need not be declared', { names: ['gone'] }, ['gone']],
  ])('%s', (_, targets, expected) => {
    expect(listedTargets(fleet(targets).targets, declared)).toEqual(expected)
  })
})

test('each target has a stack of the same sources, with the settings of the template', () => {
  const spec = fleet({ names: ['us1', 'eu1'] }, { template: { interval: '30s', labels: { team: 'web' } } })
  const shared = {
    ...stackDefaults,
    intervalMs: 30_000,
    labels: { team: 'web' },
    sources: [{ kind: 'git', url: 'https://git.example/boards', ref: 'stable', path: '' }],
  }
  expect(targetStacks(spec, declared)).toEqual({
    value: [
      { ...shared, name: 'boards.eu1', target: 'eu1' },
      { ...shared, name: 'boards.us1', target: 'us1' },
    ],
    problems: [],
  })
})

describe('a listing changes nothing', () => {
  test.each([
    [
      'if the selector matches no target',
      fleet({ selector: 'env=stage' }),
      ['fleets/empty: No target matches env=stage.'],
    ],
    [
      'with more targets than maxStacks',
      fleet({ selector: 'env=prod' }, { maxStacks: 1 }),
      ['fleets/too-many: 2 targets match, and fleet boards may have 1 stacks (maxStacks).'],
    ],
    [
      'with targets that are not declared',
      fleet({ names: ['eu1', 'us2', 'us3'] }),
      [
        'fleets/target-unknown: Fleet boards lists the target us2, which is not declared.',
        'fleets/target-unknown: Fleet boards lists the target us3, which is not declared.',
      ],
    ],
  ])('%s', (_, spec, expected) => {
    const { value, problems } = targetStacks(spec, declared)
    expect(value).toEqual([])
    expect(problems.map(({ code, message }) => `${code}: ${message}`)).toEqual(expected)
    for (const { hint } of problems) expect(hint).toBeDefined()
  })
})

test('a name that is nearly that of a target is corrected', () => {
  expect(targetStacks(fleet({ names: ['us'] }), declared).problems[0]?.hint).toContain('us1')
})

test('a name that the fleet has already is no correction', () => {
  const [problem] = targetStacks(fleet({ names: ['us', 'us1'] }), declared).problems
  expect(problem).toMatchObject({ code: 'fleets/target-unknown' })
  expect(problem!.hint).not.toContain('Did you mean')
})

describe('a target left', () => {
  test.each([
    [
      'because it is not declared',
      fleet({ selector: 'env=prod' }),
      'us2',
      'target us2 of fleet boards is no longer declared',
    ],
    [
      'because its labels changed',
      fleet({ selector: 'env=prod' }),
      'lab',
      'target lab does not match env=prod of fleet boards',
    ],
    ['because it is not named', fleet({ names: ['eu1'] }), 'us1', 'fleet boards does not list target us1'],
  ])('%s', (_, spec, target, expected) => {
    expect(departure(spec, target, declared)).toBe(expected)
  })
})
