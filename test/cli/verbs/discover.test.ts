// stack discover: the table of packages, the created stacks and the confirmation.
import { expect, test } from 'vitest'
import { fleetDocument, toFleetSpec } from '../../../src/settings/documents/fleet-document.js'
import type { FleetPlanView } from '../../../src/views/fleet.js'
import { Refused } from '../../../src/model/errors.js'
import { sampleFleet, sampleDiscovery, sampleStack } from '../../api/sample-views.js'
import type { Ask } from '../../ask.js'
import { openTestShell } from '../type-command.js'

const line = 'stack discover --repo https://git.example/boards'

test('every package is a line, with its kinds and its stack', async () => {
  const { stdout, code } = await (await openTestShell()).type(line)
  expect(code).toBe(0)
  expect(stdout).toBe(`PATH    DECLARES           STACK
edge    1 Bucket, 2 Label  new: edge
core    1 Bucket, 2 Label  skipped: boards already reads it
team    1 Bucket, 2 Label  skipped: includes team/a (list it in .gitmoorignore)
team/a  1 Bucket, 2 Label  new: team-a
broken  1 Bucket, 2 Label  skipped: 1 error

error: There is no kind "Bukket".
  kind

edge, team/a declare Variable "bucket" differently: only the first stack can sync.
edge, core declare Label "Red" identically: the first stack owns it, the others share it.
`)
})

test('creates nothing without --create', async () => {
  const shell = await openTestShell()
  await shell.type(`${line} --ref stable --path team --target edge --prefix t-`)
  expect(shell.calls).toEqual([
    {
      verb: 'discoverPackages',
      args: [{ url: 'https://git.example/boards', ref: 'stable', path: 'team', target: 'edge', prefix: 't-' }],
    },
  ])
})

test('--create --yes creates a stack for each package that is not skipped', async () => {
  const shell = await openTestShell()
  const { stdout, stderr } = await shell.type(`${line} --create --yes --target edge --label from=acme`)
  const created = shell.calls.filter(({ verb }) => verb === 'createStack').map(({ args }) => args[0])
  expect(created).toMatchObject([
    {
      name: 'edge',
      target: 'edge',
      labels: { from: 'acme' },
      sources: [{ kind: 'git', url: 'https://git.example/boards', ref: 'HEAD', path: 'edge' }],
    },
    {
      name: 'team-a',
      target: 'edge',
      sources: [{ kind: 'git', url: 'https://git.example/boards', ref: 'HEAD', path: 'team/a' }],
    },
  ])
  expect(stderr).toContain('new: edge')
  expect(stdout.split('\n').filter((one) => one.startsWith('Created '))).toHaveLength(2)
})

test('--create continues after a stack that is refused, and says so', async () => {
  const sampled: Partial<Ask> = {
    createStack: async ({ name }) => {
      if (name === 'edge') throw new Refused('conflict', 'The name edge is taken.')
      return { stack: { ...sampleStack, name }, run: '12' }
    },
  }
  const shell = await openTestShell(sampled)
  const { code, stdout } = await shell.type(`${line} --create --yes`)
  expect(code).toBe(1)
  expect(stdout).toBe(
    'edge: refused: The name edge is taken.\n' +
      'Created team-a for team/a. Its first sync is run 12.\n' +
      '2 stacks: 1 refused, 1 created.\n',
  )
  expect(JSON.parse((await shell.type(`${line} --create --yes --json`)).stdout)).toMatchObject({
    created: [{ stack: 'team-a', path: 'team/a', run: '12' }],
    refused: [{ name: 'edge', error: { status: 'conflict' } }],
  })
})

test('--create asks for confirmation, and creates nothing without a terminal', async () => {
  const shell = await openTestShell()
  const { code, stderr } = await shell.type(`${line} --create`)
  expect(code).toBe(7)
  expect(stderr).toContain('Create these 2 stacks?')
  expect(shell.calls.map(({ verb }) => verb)).toEqual(['discoverPackages'])
})

test('--create without packages creates nothing and needs no confirmation', async () => {
  const shell = await openTestShell({
    discoverPackages: async () => ({ ...sampleDiscovery, packages: [], clashes: [] }),
  })
  const { code, stdout } = await shell.type(`${line} --create`)
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'No stacks created.\n' })
})

test('--json prints the packages and the created stacks', async () => {
  const { stdout, stderr } = await (await openTestShell()).type(`${line} --create --yes --json`)
  expect(JSON.parse(stdout)).toMatchObject({ ...sampleDiscovery, created: [{ path: 'edge' }, { path: 'team/a' }] })
  expect(stderr).toBe('')
})

test('a repository is required', async () => {
  const { code, stderr } = await (await openTestShell()).type('stack discover')
  expect(code).toBe(3)
  expect(stderr).toContain('No repository given.')
})

const followed = {
  name: 'templates',
  directories: {
    repo: 'https://git.example/boards',
    ref: 'HEAD',
    include: ['*', 'team/*'],
    exclude: ['core', 'team'],
    name: 't-{path}',
  },
  template: { labels: { from: 'acme' } },
  maxStacks: 100,
}

/** The plan of a document: a stack for each of these directories. */
function planOf(...paths: readonly string[]): FleetPlanView {
  const changes = paths.map((path) => ({ stack: path, action: 'create' as const, target: 'local', path }))
  const found = { revision: sampleDiscovery.revision, directories: paths.length, targets: null }
  return { name: 'templates', ...found, changes, problems: [] }
}

test('--follow creates a fleet of the packages, without folders that are none', async () => {
  const shell = await openTestShell({
    listFleets: async () => ({ items: [], next: null }),
    planFleet: async () => planOf('edge', 'broken', 'team/a', 'docs'),
  })
  const { code, stderr, stdout } = await shell.type(`${line} --follow templates --prefix t- --label from=acme --yes`)
  expect(code).toBe(0)
  const [first, second] = shell.calls.filter(({ verb }) => verb === 'planFleet').map(({ args }) => args[1])
  expect(first).toEqual(toFleetSpec(fleetDocument.parse(followed)))
  const directories = { ...followed.directories, exclude: ['core', 'team', 'docs'] }
  expect(second).toEqual(toFleetSpec(fleetDocument.parse({ ...followed, directories })))
  expect(shell.calls.find(({ verb }) => verb === 'applyFleet')!.args[0]).toEqual(second)
  expect(stderr).toContain('skipped: boards already reads it')
  expect(stdout).toContain('Created fleet templates. New directories become stacks: gitmoor fleet get templates')
})

test('--follow exits with 1 if the new fleet has a problem, and prints it', async () => {
  const problem = { severity: 'error', code: 'fleets/name-taken', message: 'The name edge is taken.' } as const
  const listing = { ...sampleFleet.listing!, problems: [problem] }
  const shell = await openTestShell({
    listFleets: async () => ({ items: [], next: null }),
    planFleet: async () => planOf('edge'),
    applyFleet: async () => ({ fleet: { ...sampleFleet, listing }, changes: [] }),
  })
  const { code, stdout } = await shell.type(`${line} --follow templates --yes`)
  expect([code, stdout]).toEqual([1, expect.stringContaining('error: The name edge is taken.')])
})

test('--follow asks before it creates the fleet', async () => {
  const shell = await openTestShell({
    listFleets: async () => ({ items: [], next: null }),
    planFleet: async () => planOf('edge'),
  })
  const { code, stderr } = await shell.type(`${line} --follow templates`)
  expect([code, shell.calls.some(({ verb }) => verb === 'applyFleet')]).toEqual([7, false])
  expect(stderr).toContain('Create fleet templates with 1 stack?')
})

test('--follow does not replace a fleet', async () => {
  const { code, stderr } = await (await openTestShell()).type(`${line} --follow teams --yes`)
  expect(code).toBe(3)
  expect(stderr).toContain('Fleet teams already exists.')
})
