// What fleet commands ask, print and end with.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Refused } from '../../../src/model/errors.js'
import { readFleetDocument } from '../../../src/settings/documents/fleet-document.js'
import {
  sampleFleet,
  sampleFleetPlan,
  sampleStack,
  sampleTargetFleet,
  sampleTargetFleetPlan,
} from '../../api/sample-views.js'
import { openTestShell } from '../type-command.js'

const document = 'name: teams\ndirectories: { repo: https://git.example/platform }\n'
const problem = {
  severity: 'error',
  code: 'fleets/empty',
  message: 'No directory matches.',
  hint: 'Push one.',
} as const

let directory: string
let file: string
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-fleet-')))
  file = join(directory, 'teams.yaml')
  writeFileSync(file, document)
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

async function typed(words: string, changed: Parameters<typeof openTestShell>[0] = {}) {
  const shell = await openTestShell(changed)
  const done = await shell.type(words.replace('FILE', file).split(' '))
  return { ...done, calls: shell.calls }
}

test('apply plans, then applies, and prints what it changed', async () => {
  const { code, stdout, calls } = await typed('fleet apply -f FILE')
  expect(code).toBe(0)
  expect(calls.map(({ verb }) => verb)).toEqual(['planFleet', 'applyFleet'])
  expect(calls[1]!.args[0]).toEqual(readFleetDocument(file, document, directory).value)
  expect(stdout).toBe('Applied fleet teams: 2 stacks.\nSTACK  ACTION  DIRECTORY\nweb    create  teams/web\n')
})

test('apply asks before it suspends stacks', async () => {
  const changes = [{ stack: 'web', action: 'suspend', target: 'local', path: 'teams/web' }] as const
  const changed = { planFleet: async () => ({ ...sampleFleetPlan, changes }) }
  const refused = await typed('fleet apply -f FILE', changed)
  expect([refused.code, refused.calls.map(({ verb }) => verb)]).toEqual([7, ['planFleet']])
  expect(refused.stderr).toContain('Suspend 1 stack of fleet teams?')
  expect(refused.stderr).toContain('next: To delete one with its resources: gitmoor stack delete web --uninstall')
  expect((await typed('fleet apply -f FILE --yes', changed)).code).toBe(0)
})

test('apply of an invalid document names file and line', async () => {
  writeFileSync(file, `${document}templat: {}\n`)
  const { code, stderr, calls } = await typed('fleet apply -f FILE')
  expect([code, calls]).toEqual([3, []])
  expect(stderr).toContain('teams.yaml:3')
  expect(stderr).toContain('Did you mean "template"?')
})

test('apply of a listing with a problem ends with exit code 1 and the hint', async () => {
  const { code, message, hint } = problem
  const failed = new Refused('failed', message, { code, hint, problems: [problem] })
  const changed = { applyFleet: async () => Promise.reject(failed) }
  const done = await typed('fleet apply -f FILE', changed)
  expect(done.code).toBe(1)
  expect(done.stderr).toContain('next: Push one.')
})

test('apply prints the stacks that could not be changed after all, and ends with exit code 1', async () => {
  const fleet = { ...sampleFleet, listing: { ...sampleFleet.listing!, problems: [problem] } }
  const { code, stdout } = await typed('fleet apply -f FILE', { applyFleet: async () => ({ fleet, changes: [] }) })
  expect(code).toBe(1)
  expect(stdout).toContain('error: No directory matches.\n  next: Push one.\n')
})

test('a ref that could not be read is not shown as a listing without directories', async () => {
  const listing = { ...sampleFleet.listing!, revision: null, directories: 0, problems: [problem] }
  const changed = {
    getFleet: async () => ({ ...sampleFleet, listing }),
    planFleet: async () => ({ ...sampleFleetPlan, revision: null, directories: 0, changes: [], problems: [problem] }),
  }
  const { stdout } = await typed('fleet get teams', changed)
  expect(stdout).toMatch(/listed: +.*: the ref could not be read\n/)
  expect((await typed('fleet plan teams', changed)).stdout).toContain('Fleet teams: the ref could not be read.')
})

describe('plan', () => {
  test('shows how the stacks would change', async () => {
    const { code, stdout, calls } = await typed('fleet plan teams')
    expect([code, calls.map(({ args }) => args)]).toEqual([0, [['teams', undefined]]])
    expect(stdout).toContain('Fleet teams: 2 directories match at stable@2f1c9ab.')
  })

  test('with a problem says so, and ends with exit code 1', async () => {
    const changed = { planFleet: async () => ({ ...sampleFleetPlan, changes: [], problems: [problem] }) }
    const { code, stdout } = await typed('fleet plan -f FILE', changed)
    expect(code).toBe(1)
    expect(stdout).toContain('It changes nothing:')
    expect(stdout).toContain('No directory matches.')
  })

  test('of another fleet than the document is refused', async () => {
    const { code, stderr } = await typed('fleet plan boards -f FILE')
    expect(code).toBe(3)
    expect(stderr).toContain('describes fleet teams, not boards.')
  })
})

test('list shows each fleet with its last listing', async () => {
  const listing = { ...sampleFleet.listing!, problems: [problem] }
  const changed = { listFleets: async () => ({ items: [{ ...sampleFleet, undeclared: 1, listing }], next: null }) }
  const { stdout } = await typed('fleet list', changed)
  expect(stdout).toMatch(/^FLEET +STATE +STACKS +VANISHED +TARGET +LISTED +FOLLOWS +MESSAGE\n/)
  expect(stdout).toMatch(/teams +Unchanged \(1 problem\) +2 +1 +local .*No directory matches\.\n/)
})

test('get shows the fleet and its stacks; -o yaml prints the document', async () => {
  const { stdout, calls } = await typed('fleet get teams')
  expect(calls.map(({ verb, args }) => [verb, args[0]])).toEqual([
    ['getFleet', 'teams'],
    ['listStacks', { limit: 500, managedBy: 'fleet:teams' }],
  ])
  expect(stdout).toContain('directories:  teams/*')
  expect(stdout).toContain('boards  Synced')
  const printed = (await typed('fleet get teams -o yaml')).stdout
  expect(readFleetDocument('f', printed, '/').value).toEqual(sampleFleet.spec)
})

test('delete asks, and says how many stacks stay', async () => {
  const { code, stderr } = await typed('fleet delete teams')
  expect(code).toBe(7)
  expect(stderr).toContain('Delete fleet teams? Its 2 stacks stay.')
  expect((await typed('fleet delete teams --yes')).stdout).toBe('Deleted fleet teams. Its 2 stacks stay.\n')
})

describe('stack list', () => {
  const changed = {
    listStacks: async () => ({ items: [{ ...sampleStack, managedBy: 'fleet:teams' as const }], next: null }),
  }

  test('has a column with the fleet only if a stack has one', async () => {
    expect((await typed('stack list', changed)).stdout).toMatch(/FLEET +TARGET.*\n.*teams +local/)
    expect((await typed('stack list')).stdout).not.toContain('FLEET')
  })

  test('--fleet lists its stacks', async () => {
    expect((await typed('stack list --fleet teams')).calls[0]!.args[0]).toMatchObject({ managedBy: 'fleet:teams' })
  })
})

describe('a fleet of targets', () => {
  const changed = {
    listFleets: async () => ({ items: [sampleTargetFleet], next: null }),
    getFleet: async () => ({ ...sampleTargetFleet, undeclared: 1 }),
    planFleet: async () => sampleTargetFleetPlan,
    applyFleet: async () => ({
      fleet: { ...sampleTargetFleet, undeclared: 1 },
      changes: sampleTargetFleetPlan.changes,
    }),
  }

  test('is listed with its targets and what its stacks follow', async () => {
    const { stdout } = await typed('fleet list', changed)
    expect(stdout).toMatch(/boards +Listed +2 +eu1, us1 +\S+ ago: 2 targets +https:\/\/git\.example\/boards#stable\n/)
  })

  test('is shown with its sources, its targets and the names of its stacks', async () => {
    const { stdout } = await typed('fleet get boards', changed)
    expect(stdout).toContain('follows:     https://git.example/boards#stable\n')
    expect(stdout).toContain('targets:     eu1, us1\n')
    expect(stdout).toContain('names:       boards.TARGET\n')
    expect(stdout).toContain('left:        1\n')
    expect(stdout).not.toContain('vanished')
    const printed = (await typed('fleet get boards -o yaml', changed)).stdout
    expect(readFleetDocument('f', printed, '/').value).toEqual(sampleTargetFleet.spec)
  })

  test('shows its selector', async () => {
    const selected = {
      getFleet: async () => ({ ...sampleTargetFleet, spec: { ...spec, targets: { selector: 'env=prod' } } }),
    }
    const { spec } = sampleTargetFleet as {
      readonly spec: Extract<(typeof sampleTargetFleet)['spec'], { targets: unknown }>
    }
    expect((await typed('fleet get boards', selected)).stdout).toContain('targets:     env=prod\n')
  })

  test('is planned and applied with the target of each stack', async () => {
    expect((await typed('fleet plan boards', changed)).stdout).toBe(
      'Fleet boards: 2 targets match.\n' +
        'STACK       ACTION  TARGET\nboards.eu1  create  eu1\nboards.us1  create  us1\n',
    )
    expect((await typed('fleet apply -f FILE', changed)).stdout).toMatch(
      /^Applied fleet teams: 2 stacks, 1 suspended because their targets left\.\nSTACK +ACTION +TARGET\n/,
    )
  })
})
