// Fleets of requests: applied, planned, changed and deleted.
import { describe, expect, test } from 'vitest'
import { label } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'
import { openDoor } from '../../api/request-api.js'
import { toFleetDocument } from '../../../src/settings/documents/fleet-document.js'
import { declareFleets, fleetSpec, pushTeams, stacksIn } from './fleet-world.js'

const world = useWorld()

type Changes = Awaited<ReturnType<typeof apply>>['changes']

async function apply(...given: Parameters<typeof fleetSpec> extends [string, ...infer Rest] ? Rest : never) {
  return world().ask.applyFleet(fleetSpec(world().url, ...given), { name: 'boards' }, never)
}

function texts(changes: Changes): readonly string[] {
  return changes.map(({ action, stack, path }) => `${action} ${stack} ${path}`)
}

test('apply creates the stacks of all directories, and answers with them', async () => {
  await pushTeams(world(), 'web', 'api')
  const { fleet, changes } = await apply()
  expect(texts(changes)).toEqual(['create api teams/api', 'create web teams/web'])
  expect(fleet).toMatchObject({ name: 'boards', managedBy: 'api', stacks: 2, undeclared: 0, declared: true })
  expect(fleet.listing).toMatchObject({ directories: 2, problems: [] })
  await until('both are applied', async () => (await world().names()).length === 2)
  expect((await world().ask.listStacks({ managedBy: 'fleet:boards' })).items.map(({ name }) => name)).toEqual([
    'api',
    'web',
  ])
})

test('its directories are followed from then on', async () => {
  await pushTeams(world(), 'web')
  await apply()
  await pushTeams(world(), 'api')
  const fleet = await until('the vanished directory is known', async () => {
    world().clock.advance(20_000)
    const now = await world().ask.getFleet('boards')
    return now.undeclared === 1 && now
  })
  expect(fleet.stacks).toBe(2)
  expect(Object.keys(await stacksIn(world()))).toEqual(['api', 'web'])
})

test('a sync of a fleet runs its stacks, and no others', async () => {
  await pushTeams(world(), 'web', 'api')
  await apply()
  await world().create('other', { path: 'teams/web', target: 'other' })
  const { items } = await world().ask.requestSyncs([], 'ann', never, { fleet: 'boards' })
  expect(items.map(({ name }) => name)).toEqual(['api', 'web'])
})

test('plan shows what apply would change, and changes nothing', async () => {
  await pushTeams(world(), 'web', 'api')
  await apply()
  const files = { 'teams/edge/labels.yml': label('edge') }
  await world().repository.commit({ branch: 'next', from: 'main', files, removed: ['teams/api'] })
  const planned = await world().ask.planFleet('boards', fleetSpec(world().url, { ref: 'next' }), never)
  expect(texts(planned.changes)).toEqual(['create edge teams/edge', 'change web teams/web', 'suspend api teams/api'])
  expect(planned).toMatchObject({ directories: 2, problems: [] })
  expect(await stacksIn(world())).toEqual({ api: null, web: null })
  expect((await world().ask.planFleet('boards', undefined, never)).changes).toEqual([])
})

test('apply with a problem changes and stores nothing, and names all problems', async () => {
  await world().push(label('red'))
  await world().create('web', { path: 'package.yml' })
  await pushTeams(world(), 'web', 'api')
  const refused = await refusal(apply())
  expect(refused).toMatchObject({
    status: 'failed',
    code: 'fleets/stack',
    message:
      'Fleet boards is not applied: Stack web of fleet boards is not declared: ' +
      'a stack of this name was created with the API.',
  })
  expect(await stacksIn(world())).toEqual({ web: null })
  expect((await world().ask.listFleets({})).items).toEqual([])
})

test('delete keeps the stacks, which requests change and delete from then on', async () => {
  await pushTeams(world(), 'web', 'api')
  await apply()
  expect(await world().ask.deleteFleet('boards', {}, never)).toEqual({ kept: 2 })
  expect(await refusal(world().ask.getFleet('boards'))).toMatchObject({ status: 'not-found', code: 'fleets/unknown' })
  await world().ask.updateStack('web', { maxDeletes: 3 }, 'ann')
  await world().ask.deleteStack('api', { by: 'ann' }, never)
  expect(await stacksIn(world())).toEqual({ web: null })
})

test('apply after delete takes the same stacks back, and plan says so', async () => {
  await pushTeams(world(), 'web', 'api')
  await apply()
  const before = await until('both are applied', async () => {
    const { items } = await world().ask.listStacks({ sync: 'Synced' })
    return items.length === 2 && items.map(({ id }) => id)
  })
  await pushTeams(world(), 'web')
  await apply()
  await world().ask.deleteFleet('boards', {}, never)
  await pushTeams(world(), 'web', 'api')
  const planned = await world().ask.planFleet('boards', fleetSpec(world().url), never)
  expect(texts(planned.changes)).toEqual(['join api teams/api', 'join web teams/web'])
  const { fleet, changes } = await apply()
  expect(changes).toEqual(planned.changes)
  expect(fleet).toMatchObject({ stacks: 2, undeclared: 0 })
  const { items } = await world().ask.listStacks({ managedBy: 'fleet:boards' })
  expect(items.map(({ id }) => id)).toEqual(before)
  expect(await stacksIn(world())).toEqual({ api: null, web: null })
  expect((await apply()).changes).toEqual([])
})

test('a stack of requests with another directory does not join a fleet', async () => {
  await pushTeams(world(), 'web', 'api')
  await world().create('web', { path: 'teams/api' })
  expect(await refusal(apply())).toMatchObject({ code: 'fleets/stack' })
  expect((await world().ask.getStack('web')).managedBy).toBe('api')
})

test('a stack whose directory vanished can be resumed after the fleet was deleted', async () => {
  await pushTeams(world(), 'web', 'api')
  await apply()
  await pushTeams(world(), 'web')
  await apply()
  await world().ask.deleteFleet('boards', {}, never)
  await world().ask.resumeStack('api', 'ann')
  expect(await stacksIn(world())).toEqual({ api: null, web: null })
})

describe('a fleet of the configuration file', () => {
  test('is changed there, and nowhere else', async () => {
    await pushTeams(world(), 'web')
    await declareFleets(world(), fleetSpec(world().url))
    const expected = { status: 'conflict', code: 'fleets/managed-by-file' }
    expect(await refusal(apply())).toMatchObject(expected)
    expect(await refusal(world().ask.deleteFleet('boards', {}, never))).toMatchObject(expected)
  })

  test('is deleted once the file no longer declares it', async () => {
    await pushTeams(world(), 'web')
    await declareFleets(world(), fleetSpec(world().url))
    await declareFleets(world())
    expect(await world().ask.getFleet('boards')).toMatchObject({ declared: false })
    await world().ask.deleteFleet('boards', {}, never)
    expect((await world().ask.listFleets({})).items).toEqual([])
  })

  test('does not take the name of one that requests applied', async () => {
    await pushTeams(world(), 'web')
    await apply()
    await declareFleets(world(), fleetSpec(world().url, {}, { maxStacks: 7 }))
    expect((await world().ask.getFleet('boards')).spec.maxStacks).toBe(100)
    const { configuration } = await world().ask.diagnose(never)
    expect(configuration?.refusedStacks).toMatchObject([{ code: 'config/fleet' }])
  })
})

test('If-Match refuses a change of a fleet that is not as it was read, and answers with the fleet', async () => {
  await pushTeams(world(), 'web')
  const { fleet } = await apply()
  const door = openDoor({}, { call: world().call })
  const body = (maxStacks: number): object => toFleetDocument(fleetSpec(world().url, {}, { maxStacks }))
  const put = (maxStacks: number) =>
    door.request('PUT', '/api/v1/fleets/boards', body(maxStacks), { 'If-Match': fleet.etag })
  const changed = await put(7)
  expect(changed.status).toBe(200)
  expect(changed.headers.get('etag')).toBe(changed.body.fleet.etag)
  const refused = await put(8)
  expect(refused.status).toBe(412)
  expect(refused.body).toMatchObject({ error: { code: 'fleets/changed' }, current: { etag: changed.body.fleet.etag } })
  expect((await world().ask.getFleet('boards')).spec.maxStacks).toBe(7)
})
