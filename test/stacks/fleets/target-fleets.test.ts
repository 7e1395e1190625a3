// Fleets of targets: applied, planned, and kept like the targets at reloads.
import { beforeEach, describe, expect, test } from 'vitest'
import type { FleetSpec } from '../../../src/model/stacks/fleet.js'
import { fleetDocument, toFleetSpec, type FleetDocument } from '../../../src/settings/documents/fleet-document.js'
import { declareFleets } from '../../../src/stacks/fleets/declare-fleets.js'
import { readMetrics } from '../../../src/stacks/status/metrics.js'
import { openDoor } from '../../api/request-api.js'
import { label } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'
import { plain } from '../../plain/under-test.js'
import { stacksIn } from './fleet-world.js'

const platform = plain.description.name
const prod = { labels: { env: 'prod' } }
const eu1 = { platform, settings: plain.settings('eu1'), ...prod }
const us1 = { platform, settings: plain.settings('us1'), ...prod }
const us2 = { platform, settings: plain.settings('us2'), ...prod }
const declared = { eu1, us1 }

const world = useWorld({ changed: { targets: declared } })

beforeEach(async () => {
  await world().push(label('red'))
})

function fleet(
  targets: FleetDocument['targets'] = { selector: 'env=prod' },
  more: Partial<FleetDocument> = {},
): FleetSpec {
  const template = { sources: [{ url: world().url, ref: 'main' }], ...more.template }
  return toFleetSpec(fleetDocument.parse({ name: 'boards', targets, ...more, template }))
}

function apply(spec = fleet()) {
  return world().ask.applyFleet(spec, { name: spec.name }, never)
}

/** Reads a configuration file with these targets and fleets. */
async function reload(targets: object, ...fleets: readonly FleetSpec[]): Promise<void> {
  await world().reload({ changed: { targets: targets as typeof declared, fleets } })
}

/** Targets with changed labels, as they are declared from now on. */
async function relabel(targets: Readonly<Record<string, object>>): Promise<void> {
  const { sync } = world().agent
  sync.targets.replace(Object.entries(targets).map(([name, target]) => ({ name, ...(target as typeof eu1) })))
  await declareFleets([], { sync, scheduler: world().agent })
}

async function stacksBecome(expected: Readonly<Record<string, string | null>>): Promise<void> {
  await until('the stacks are those of the targets', async () => {
    return JSON.stringify(await stacksIn(world())) === JSON.stringify(expected)
  })
}

async function bothSynced(): Promise<void> {
  await until('both are synced', async () => (await world().ask.listStacks({ sync: 'Synced' })).items.length === 2)
}

describe('apply', () => {
  test('creates a stack on each target, and answers with them', async () => {
    const { fleet: view, changes } = await apply()
    expect(changes).toEqual([
      { stack: 'boards.eu1', action: 'create', target: 'eu1', path: '' },
      { stack: 'boards.us1', action: 'create', target: 'us1', path: '' },
    ])
    expect(view).toMatchObject({
      repo: world().url,
      ref: 'main',
      target: null,
      targets: { selector: 'env=prod' },
      stacks: 2,
      listing: { revision: null, directories: null, targets: 2, problems: [] },
    })
    await bothSynced()
    expect([await world().names('eu1'), await world().names('us1')]).toEqual([['Label/red'], ['Label/red']])
    expect(await world().ask.getStack('boards.eu1')).toMatchObject({
      target: 'eu1',
      managedBy: 'fleet:boards',
      lastRun: { cause: { kind: 'created', by: 'fleet:boards', note: 'target eu1' } },
    })
  })

  test('with a problem changes and stores nothing, and names all problems', async () => {
    const refused = await refusal(apply(fleet({ names: ['eu1', 'us3', 'us4'] })))
    expect(refused).toMatchObject({
      status: 'failed',
      code: 'fleets/target-unknown',
      message:
        'Fleet boards is not applied: Fleet boards lists the target us3, which is not declared. (and 1 more problem)',
    })
    expect(await stacksIn(world())).toEqual({})
    expect((await world().ask.listFleets({})).items).toEqual([])
  })

  test('of fewer names suspends the stack of the other target', async () => {
    await apply()
    const { changes } = await apply(fleet({ names: ['eu1'] }))
    expect(changes.map(({ action, stack }) => `${action} ${stack}`)).toEqual(['suspend boards.us1'])
    expect(await stacksIn(world())).toEqual({
      'boards.eu1': null,
      'boards.us1': 'fleet boards does not list target us1',
    })
  })

  test('after delete takes the same stacks back', async () => {
    await apply()
    expect(await world().ask.deleteFleet('boards', {}, never)).toEqual({ kept: 2 })
    await world().ask.updateStack('boards.eu1', { maxDeletes: 3 }, 'ann')
    const { changes } = await apply()
    expect(changes.map(({ action, stack }) => `${action} ${stack}`)).toEqual(['join boards.eu1', 'join boards.us1'])
    expect((await world().ask.getStack('boards.eu1')).spec.maxDeletes).toBe(10)
  })

  test('does not take over a stack with its name and other sources', async () => {
    await apply()
    await world().ask.deleteFleet('boards', {}, never)
    const other = fleet(undefined, { template: { sources: [{ url: world().url, ref: 'main', path: 'other' }] } })
    expect(await refusal(apply(other))).toMatchObject({
      code: 'fleets/stack',
      message: expect.stringContaining('a stack of this name was created with the API.') as string,
      hint: expect.stringContaining('Give the fleet another name') as string,
    })
  })

  test('makes a fleet of directories a fleet of targets, and its stacks leave', async () => {
    await world().repository.commit({ files: { 'teams/web/labels.yml': label('web') } })
    const from = { repo: world().url, ref: 'main', include: ['teams/*'], name: '{path.basename}' }
    const directories = toFleetSpec(
      fleetDocument.parse({ name: 'boards', directories: from, template: { target: 'eu1' } }),
    )
    await apply(directories)
    await apply(fleet({ names: ['us1'] }))
    expect(await stacksIn(world())).toEqual({ 'boards.us1': null, web: 'fleet boards does not list target eu1' })
    expect(world().agent.fleets.refsAt(world().url)).toEqual([])
  })
})

test('plan shows what apply would change, and changes nothing', async () => {
  await apply()
  const planned = await world().ask.planFleet(
    'boards',
    fleet({ names: ['eu1'] }, { template: { drift: 'report' } }),
    never,
  )
  expect(planned).toEqual({
    name: 'boards',
    revision: null,
    directories: null,
    targets: 1,
    problems: [],
    changes: [
      { stack: 'boards.eu1', action: 'change', target: 'eu1', path: '' },
      { stack: 'boards.us1', action: 'suspend', target: 'us1', path: '' },
    ],
  })
  expect(await stacksIn(world())).toEqual({ 'boards.eu1': null, 'boards.us1': null })
  expect((await world().ask.planFleet('boards', undefined, never)).changes).toEqual([])
  const empty = await world().ask.planFleet('boards', fleet({ selector: 'env=stage' }), never)
  expect(empty).toMatchObject({ targets: 0, changes: [], problems: [{ code: 'fleets/empty' }] })
})

describe('a reload', () => {
  test('with another target adds a stack, also to a fleet of requests', async () => {
    await apply()
    await reload({ eu1, us1, us2 })
    await stacksBecome({ 'boards.eu1': null, 'boards.us1': null, 'boards.us2': null })
    await until('the new one is applied', async () => (await world().names('us2')).length === 1)
    expect((await world().ask.getFleet('boards')).listing).toMatchObject({ targets: 3, problems: [] })
  })

  test('without a target suspends its stack, which continues when the target is declared again', async () => {
    await reload(declared, fleet())
    await stacksBecome({ 'boards.eu1': null, 'boards.us1': null })
    await world().lastRun('boards.us1')
    await reload({ eu1 }, fleet())
    const gone = 'target us1 of fleet boards is no longer declared'
    await stacksBecome({ 'boards.eu1': null, 'boards.us1': gone })
    expect(await world().ask.getFleet('boards')).toMatchObject({ stacks: 2, undeclared: 1 })
    expect((await world().ask.getStack('boards.us1')).status).toMatchObject({ state: 'Suspended', also: [] })
    expect((await world().ask.getStack('boards.us1')).status.next.map(({ purpose }) => purpose)).toEqual([
      'Bring it back into fleet boards',
      'Or delete it and keep its resources',
      'Or delete it with its resources',
    ])
    await reload(declared, fleet())
    await stacksBecome({ 'boards.eu1': null, 'boards.us1': null })
  })

  test('without the fleet suspends all of its stacks', async () => {
    await reload(declared, fleet())
    await stacksBecome({ 'boards.eu1': null, 'boards.us1': null })
    await reload(declared)
    const reason = 'fleet boards is no longer declared in the configuration file'
    await stacksBecome({ 'boards.eu1': reason, 'boards.us1': reason })
  })

  test('without all targets changes nothing, and says so', async () => {
    await apply()
    await bothSynced()
    await reload({})
    const { listing } = await until('it is listed', async () => {
      const now = await world().ask.getFleet('boards')
      return now.listing?.targets === 0 && now
    })
    expect(listing!.problems).toMatchObject([{ code: 'fleets/empty', message: 'No target matches env=prod.' }])
    expect(await stacksIn(world())).toEqual({ 'boards.eu1': null, 'boards.us1': null })
    expect(world().log).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'fleet changes nothing' }) as unknown,
    )
    const { checks } = await world().ask.diagnose(never)
    expect(checks.find(({ name }) => name === 'fleet boards')?.message).toContain('No target matches env=prod.')
    const { fleets } = await world().call(readMetrics)
    expect(fleets).toEqual([{ name: 'boards', stacks: 2, undeclared: 0, problems: 1 }])
  })
})

test('a target that loses the label marks its stack for deletion; one that gets it has a stack', async () => {
  await apply()
  await bothSynced()
  await relabel({ eu1, us1: { ...us1, labels: { env: 'test' } }, us2 })
  const reason = 'target us1 does not match env=prod of fleet boards'
  await stacksBecome({ 'boards.eu1': null, 'boards.us1': reason, 'boards.us2': null })
  const { digest } = await world().ask.previewPlan('boards.us1', { uninstall: true }, never)
  await world().ask.deleteStack('boards.us1', { uninstall: digest, by: 'ann' }, never)
  expect(await world().names('us1')).toEqual([])
  await stacksBecome({ 'boards.eu1': null, 'boards.us2': null })
})

test('the next agent keeps the stacks like the targets that it has', async () => {
  await apply()
  await bothSynced()
  await world().restart({ changed: { targets: { us1, us2 } } })
  await world().declare()
  await stacksBecome({
    'boards.eu1': 'target eu1 of fleet boards is no longer declared',
    'boards.us1': null,
    'boards.us2': null,
  })
})

test('an agent without the configuration file changes nothing of a fleet of requests', async () => {
  await apply(fleet({ names: ['eu1', 'us1'] }))
  await bothSynced()
  await world().restart({ file: false, changed: { targets: {} } })
  const { listing } = await until('it is listed', async () => {
    const now = await world().ask.getFleet('boards')
    return now.listing!.problems.length > 0 && now
  })
  expect(listing!.problems.map(({ code }) => code)).toEqual(['fleets/target-unknown', 'fleets/target-unknown'])
  expect(await stacksIn(world())).toEqual({ 'boards.eu1': null, 'boards.us1': null })
})

test('a target that is declared as another live system is a problem, and nothing is written there', async () => {
  await apply()
  await bothSynced()
  await reload({ eu1 })
  await stacksBecome({ 'boards.eu1': null, 'boards.us1': 'target us1 of fleet boards is no longer declared' })
  await reload({ eu1, us1: { ...us1, settings: plain.settings('elsewhere') }, us2 })
  const { listing } = await until('it is listed', async () => {
    const now = await world().ask.getFleet('boards')
    return now.listing!.problems.length > 0 && now
  })
  expect(listing).toMatchObject({ targets: 3, problems: [{ code: 'platform/target-missing', stack: 'boards.us1' }] })
  expect(Object.keys(await stacksIn(world()))).toEqual(['boards.eu1', 'boards.us1'])
})

test('each stack polls its sources, as stacks do', async () => {
  await apply()
  await bothSynced()
  await world().push(label('blue'))
  await until('both have the commit', async () => {
    world().clock.advance(20_000)
    const names = [...(await world().names('eu1')), ...(await world().names('us1'))]
    return names.join() === 'Label/blue,Label/blue'
  })
})

describe('a name with a dot', () => {
  beforeEach(async () => {
    await apply()
    await bothSynced()
  })

  test('is a path of routes', async () => {
    const door = openDoor({}, { call: world().call })
    expect((await door.request('GET', '/api/v1/stacks/boards.eu1')).body).toMatchObject({ name: 'boards.eu1' })
    expect((await door.request('POST', '/api/v1/stacks/boards.eu1/plan', {})).body).toMatchObject({ changes: [] })
    expect((await door.request('GET', '/api/v1/resources?target=eu1&stack=boards.eu1')).body.items).toHaveLength(1)
  })

  test('may be twice as long as that of another stack', async () => {
    const door = openDoor({}, { call: world().call })
    const longest = `${'f'.repeat(63)}.${'t'.repeat(63)}`
    expect((await door.request('GET', `/api/v1/stacks/${longest}`)).status).toBe(404)
    expect((await door.request('GET', `/api/v1/stacks/${longest}x`)).status).toBe(400)
  })

  test('is one that a stack may depend on', async () => {
    const { run } = await world().ask.createStack(
      world().spec('after', { target: 'us1', path: '', dependsOn: ['boards.eu1'] }),
      'ann',
    )
    expect((await world().ended('after', run)).outcome).toBe('applied')
    const door = openDoor({}, { call: world().call })
    const changed = await door.request('PATCH', '/api/v1/stacks/after', { dependsOn: ['boards.eu1', 'boards.us1'] })
    expect(changed.status).toBe(200)
  })

  test('is refused for a new stack', async () => {
    const door = openDoor({}, { call: world().call })
    const body = { name: 'boards.us2', sources: [{ url: world().url, ref: 'main' }] }
    const refused = await door.request('POST', '/api/v1/stacks', body)
    expect([refused.status, refused.body.error.message]).toEqual([
      422,
      '"name" must be 1 to 63 of a-z, 0-9 and -, with neither a - first nor last.',
    ])
  })
})
