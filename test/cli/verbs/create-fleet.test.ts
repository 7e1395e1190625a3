// `stack create` on several targets creates a fleet.
import { describe, expect, test } from 'vitest'
import { Refused } from '../../../src/model/errors.js'
import { fleetDocument, toFleetSpec, type FleetDocument } from '../../../src/settings/documents/fleet-document.js'
import { sampleRun, sampleStack, sampleTargetFleet, sampleTargetFleetPlan } from '../../api/sample-views.js'
import { openTestShell } from '../type-command.js'

const source = '--repo https://git.example/boards --ref stable'
const sources = [{ url: 'https://git.example/boards', ref: 'stable' }]
const created = { fleet: sampleTargetFleet, changes: sampleTargetFleetPlan.changes }
const unknown = async (): Promise<never> => {
  throw new Refused('not-found', 'There is no fleet named boards.', { code: 'fleets/unknown' })
}

async function typed(options: string, changed: Parameters<typeof openTestShell>[0] = {}) {
  const shell = await openTestShell({
    getFleet: unknown,
    applyFleet: async () => created,
    planFleet: async () => sampleTargetFleetPlan,
    ...changed,
  })
  const done = await shell.type(`stack create boards ${source} ${options}`)
  const asked = shell.calls.map(({ verb }) => verb)
  return { ...done, asked, spec: shell.calls.find(({ verb }) => verb === 'applyFleet')?.args[0] }
}

function fleet(targets: FleetDocument['targets'], template: Partial<FleetDocument['template']> = {}): object {
  return toFleetSpec(fleetDocument.parse({ name: 'boards', targets, template: { sources, ...template } }))
}

test('several targets make a fleet, whose first syncs are waited for', async () => {
  const { code, stdout, asked, spec } = await typed('--target us1 --target eu1 --drift report --label team=ops')
  expect(spec).toEqual(fleet({ names: ['us1', 'eu1'] }, { drift: 'report', labels: { team: 'ops' } }))
  expect(asked.slice(0, 2)).toEqual(['getFleet', 'applyFleet'])
  expect(asked.slice(2).toSorted()).toEqual(['getRun', 'getRun', 'getStack', 'getStack'])
  expect(code).toBe(0)
  expect(stdout).toBe(
    'Created fleet boards: 2 stacks.\n' +
      'STACK       ACTION  TARGET\nboards.eu1  create  eu1\nboards.us1  create  us1\n' +
      'boards.eu1: applied stable@2f1c9ab in 0.42 s. 1 created, 1 updated, 1 removed, 4 unchanged.\n' +
      'boards.us1: applied stable@2f1c9ab in 0.42 s. 1 created, 1 updated, 1 removed, 4 unchanged.\n' +
      '2 stacks: 2 applied.\n' +
      '  next: gitmoor fleet get boards\n  next: gitmoor stack list --fleet boards\n',
  )
})

test('labels of targets make a fleet with a selector', async () => {
  const { spec, asked } = await typed('--target-label env=prod --target-label !old --no-wait')
  expect(spec).toEqual(fleet({ selector: 'env=prod,!old' }))
  expect(asked).toEqual(['getFleet', 'applyFleet'])
})

test('one target makes a stack', async () => {
  const { asked } = await typed('--target us1 --no-wait')
  expect(asked).toEqual(['createStack', 'getRun'])
})

test('a target and labels exclude each other', async () => {
  const { code, asked, stderr } = await typed('--target us1 --target-label env=prod')
  expect([code, asked]).toEqual([3, []])
  expect(stderr).toContain('--target')
})

describe('--dry-run', () => {
  test('shows the stacks, and creates nothing', async () => {
    const { code, stdout, asked } = await typed('--target us1 --target eu1 --dry-run')
    expect([code, asked]).toEqual([0, ['getFleet', 'planFleet']])
    expect(stdout).toContain('Would create fleet boards. Nothing is created yet.\nFleet boards: 2 targets match.\n')
    expect((await typed('--target us1 --target eu1 --detailed-exitcode')).code).toBe(2)
  })

  test('ends with exit code 1 if the fleet has a problem', async () => {
    const problem = {
      severity: 'error',
      code: 'fleets/empty',
      message: 'No target matches x.',
      hint: 'Label one.',
    } as const
    const planFleet = async () => ({ ...sampleTargetFleetPlan, targets: 0, changes: [], problems: [problem] })
    const { code, stdout } = await typed('--target-label x --dry-run', { planFleet })
    expect(code).toBe(1)
    expect(stdout).toContain('It changes nothing:\nerror: No target matches x.\n  next: Label one.\n')
  })
})

test('a fleet that exists is not replaced', async () => {
  const { code, stderr, asked } = await typed('--target us1 --target eu1', { getFleet: async () => sampleTargetFleet })
  expect([code, asked]).toEqual([3, ['getFleet']])
  expect(stderr).toContain('Fleet boards already exists.')
  expect(stderr).toContain('next: Choose another name, or change it: gitmoor fleet get boards -o yaml')
})

test('a run that fails decides the exit code, and the other stack is reported, too', async () => {
  const getStack = async (name: string) => ({ ...sampleStack, name })
  const getRun = async (stack: string) => {
    if (stack === 'boards.us1') throw new Refused('not-found', 'There is no such run.', { code: 'runs/unknown' })
    return sampleRun
  }
  const { code, stdout } = await typed('--target us1 --target eu1', { getStack, getRun })
  expect(code).toBe(9)
  expect(stdout).toContain('boards.eu1: applied')
  expect(stdout).toContain('boards.us1: refused: There is no such run.')
})

test('problems name the options', async () => {
  const { stderr } = await typed('--target-label = --no-wait')
  expect(stderr).toContain('--target-label is malformed at character 1: expected the key of a label, found "=".')
  expect((await typed('--target Eu --target us1 --no-wait')).stderr).toContain('--target must be 1 to 63 of a-z')
  expect((await typed('--target a --target b --interval 1s --no-wait')).stderr).toContain('--interval must be between')
})

test('--json prints the fleet, its changes and the runs', async () => {
  const waited = JSON.parse((await typed('--target us1 --target eu1 --json')).stdout) as { items: { name: string }[] }
  expect(Object.keys(waited)).toEqual(['fleet', 'changes', 'items'])
  expect(waited.items.map(({ name }) => name)).toEqual(['boards.eu1', 'boards.us1'])
  const { stdout } = await typed('--target us1 --target eu1 --no-wait --json')
  expect(Object.keys(JSON.parse(stdout) as object)).toEqual(['fleet', 'changes'])
})

test('an inline stack is not waited for: its package is pushed to each', async () => {
  const shell = await openTestShell({ getFleet: unknown, applyFleet: async () => created })
  const { stdout } = await shell.type('stack create boards --inline --target us1 --target eu1')
  expect(stdout).toContain(
    '  next: gitmoor stack push boards.eu1 -f FILE\n  next: gitmoor stack push boards.us1 -f FILE\n',
  )
})
