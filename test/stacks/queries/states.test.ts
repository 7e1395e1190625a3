import { describe, expect, test } from 'vitest'
import type { StackListing } from '../../../src/stacks/paging.js'
import { states } from '../../../src/status/status.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()

async function names(listing: StackListing): Promise<readonly string[]> {
  return (await world().ask.listStacks(listing)).items.map(({ name }) => name)
}

/** The filter of each state gives the stacks that the whole list shows in this state. */
async function expectFilteredAlike(): Promise<void> {
  const { items } = await world().ask.listStacks({})
  for (const state of states) {
    const alike = items.filter(({ status }) => status.state === state).map(({ name }) => name)
    expect([state, await names({ states: [state] })]).toEqual([state, alike])
  }
}

test('lists the stacks in one of several states, page by page', async () => {
  await world().push(label('red'))
  for (const name of ['a', 'b', 'c', 'd', 'e']) await world().create(name)
  for (const name of ['b', 'd']) await world().ask.suspendStack(name, 'repair', undefined, 'ann')
  expect(await names({ states: ['Suspended'] })).toEqual(['b', 'd'])
  expect(await names({ states: ['Synced'], sort: '-createdAt' })).toHaveLength(3)
  expect(await names({ states: ['Suspended', 'Synced'] })).toHaveLength(5)
  expect(await names({ states: ['Failed'] })).toEqual([])
  const first = await world().ask.listStacks({ states: ['Synced'], limit: 2 })
  expect(first.items.map(({ name }) => name)).toEqual(['a', 'c'])
  expect(await names({ states: ['Synced'], limit: 2, after: first.next! })).toEqual(['e'])
})

test('stacks are found by channel, path and name, and sorted by state and by lag, each list with its total', async () => {
  await world().push(label('red'))
  await world().repository.commit({ files: { 'teams/a.yml': label('green') }, tags: ['beta'] })
  await world().create('alerts')
  await world().create('boards', { ref: 'beta', path: 'teams' })
  await world().create('charts', { ref: 'beta' })
  await world().create('wrong', { path: 'nowhere' })
  const found = async (listing: StackListing): Promise<readonly unknown[]> => {
    const { total } = await world().ask.listStacks(listing)
    return [total, ...(await names(listing))]
  }
  expect(await found({ limit: 1 })).toEqual([4, 'alerts'])
  expect(await found({ channel: 'beta' })).toEqual([2, 'boards', 'charts'])
  expect(await found({ channel: `${world().url}#main` })).toEqual([2, 'alerts', 'wrong'])
  expect(await found({ path: 'teams' })).toEqual([1, 'boards'])
  expect(await found({ path: 'team' })).toEqual([0])
  expect(await found({ names: ['charts', 'alerts', 'none'] })).toEqual([2, 'alerts', 'charts'])
  expect(await found({ states: ['Synced'], channel: 'beta' })).toEqual([2, 'boards', 'charts'])
  expect(await names({ sort: '-needs' })).toEqual(['wrong', 'alerts', 'boards', 'charts'])
  expect(await names({ sort: 'needs', limit: 2 })).toEqual(['alerts', 'boards'])
  expect(await refusal(world().ask.listStacks({ channel: 'bata' }))).toMatchObject({ code: 'channels/unknown' })
  await world().ask.suspendStack('charts', 'lunch', undefined, 'ann')
  await world().push(label('blue'), 'beta')
  world().clock.advance(60_000)
  await until('the move is seen', async () => (await names({ sort: '-lag' }))[0] === 'charts')
  world().clock.advance(5_000)
  const [charts] = (await world().ask.listStacks({ sort: '-lag' })).items
  expect(charts!.status.lagMs).toBeGreaterThan(0)
  expect((await world().ask.getStack('charts')).status.lagMs).toBe(charts!.status.lagMs)
  expect((await world().ask.getStack('alerts')).status.lagMs).toBe(0)
})

test('--needs person lists all stacks that do not continue by themselves, and those that wait for them', async () => {
  const always = { kind: 'deny', schedule: '* * * * *', durationMs: 3_600_000 } as const
  const until3 = { kind: 'deny', schedule: '0 0 1 1 *', durationMs: 86_400_000 } as const
  await world().push(label('red'))
  for (const name of ['base', 'for-an-hour', 'lunch']) await world().create(name)
  await world().create('wrong', { path: 'nowhere' })
  const waiting = {
    'after-closed': { windows: [until3], dependsOn: ['base'] },
    'after-wrong': { dependsOn: ['after-wrong-2'] },
    'closed-for-good': { windows: [always] },
  }
  await world().ask.createStack(world().spec('after-wrong-2', { dependsOn: ['wrong'] }), 'ann')
  for (const [name, changed] of Object.entries(waiting))
    await world().ask.createStack(world().spec(name, changed), 'ann')
  await world().ask.suspendStack('lunch', 'lunch', undefined, 'ann')
  await world().ask.suspendStack('for-an-hour', 'an hour', 3_600_000, 'ann')
  await until('they wait', async () => (await names({ states: ['Waiting'] })).length === 4)
  expect(await names({ needs: 'person' })).toEqual([
    'after-wrong',
    'after-wrong-2',
    'closed-for-good',
    'lunch',
    'wrong',
  ])
  expect(await names({ needs: 'person', states: ['Suspended'] })).toEqual(['lunch'])
  await expectFilteredAlike()
  const first = await world().ask.listStacks({ needs: 'person', limit: 3 })
  expect(await names({ needs: 'person', after: first.next! })).toEqual(['lunch', 'wrong'])
})

test('--needs person lists stacks whose channel keeps a move that a person vetoed', async () => {
  await world().push(label('red'))
  await world().create('boards')
  await world().push(label('blue'))
  await world().sync('boards')
  expect(await names({ needs: 'person' })).toEqual([])
  const [newest] = (await world().ask.listMoves(`${world().url}#main`, {})).items
  await world().ask.vetoMove(newest!.id, { by: 'ann', why: 'bad' })
  expect(await names({ needs: 'person' })).toEqual(['boards'])
  await expectFilteredAlike()
})

describe('a list says why a stack does not go on', () => {
  const messages = async (): Promise<Readonly<Record<string, string>>> =>
    Object.fromEntries((await world().ask.listStacks({})).items.map(({ name, status }) => [name, status.message]))

  test('with the rules of a plan that needs approval', async () => {
    await world().push(yaml(bucket('raw'), label('aa'), label('bb'), label('cc')))
    await world().create('boards')
    await world().push(label('aa'))
    await world().sync('boards')
    const message = (await messages())['boards']
    expect(message).toMatch(
      /^The plan needs approval \(deletions, data-loss\): 3 of the 4 resources this stack owns would be removed/,
    )
    const { blockers, status } = await world().ask.explainStack('boards')
    expect([status.message, blockers[0]!.message]).toEqual([message, message])
  })

  test('with what keeps an uninstall', async () => {
    await world().push(label('aa'))
    await world().create('boards', { protect: ['Label/aa'] })
    const plan = await world().ask.previewPlan('boards', { uninstall: true }, never)
    await refusal(world().ask.deleteStack('boards', { uninstall: plan.digest, by: 'ann' }, never))
    expect((await messages())['boards']).toMatch(/^The uninstall needs approval: Label\/aa is protected/)
  })

  test('with the stack at the end of a chain of dependencies', async () => {
    await world().push(label('aa'))
    await world().create('a', { path: 'nowhere' })
    await world().ask.createStack(world().spec('b', { dependsOn: ['a'] }), 'ann')
    await world().ask.createStack(world().spec('c', { dependsOn: ['b'] }), 'ann')
    const found = await until('c waits', async () => {
      const all = await messages()
      return all['c']?.includes('by itself') === true && all
    })
    expect(found['c']).toMatch(/^It waits for b\. a will not become ready by itself \(Failed\): .*nowhere/)
  })
})
