// What a person reads before a promotion: the plans page by page, the commits in between, and their web addresses.
import { describe, expect, test } from 'vitest'
import { bucket, label, yaml } from '../e2e/packages.js'
import { refusal } from '../e2e/refusal.js'
import { unreachable } from '../memory-git.js'
import { never, useWorld } from '../e2e/world.js'

const world = useWorld()
const up = { from: 'beta', to: 'stable' }

/** Stacks that follow `stable`, at the first of three commits; `beta` is at the last one. */
async function followed(names: readonly string[]): Promise<readonly [string, string, string]> {
  const first = await world().push(yaml(label('red'), bucket('raw')), 'stable')
  const second = await world().push(yaml(label('red'), bucket('raw'), label('blue')))
  const third = await world().push(yaml(label('red'), label('blue')), 'beta')
  for (const name of names) await world().create(name, { ref: 'stable' })
  await world().create('next', { ref: 'beta', target: 'other' })
  return [first, second, third]
}

describe('the plans of a promotion', () => {
  test('come page by page, each with its plan, at the commit of the promotion', async () => {
    const [, , third] = await followed(['a'])
    await world().ask.createStack(world().spec('b', { ref: 'stable', target: 'other' }), 'ann')
    const first = await world().ask.previewPromotionPlans(up, { limit: 1 }, never)
    expect(first).toMatchObject({ commit: third, total: 2, next: 'a' })
    expect(first.items).toMatchObject([{ stack: 'a', plan: { counts: { create: 1, remove: 1 } } }])
    const second = await world().ask.previewPromotionPlans(up, { limit: 1, after: first.next! }, never)
    expect(second).toMatchObject({ items: [{ stack: 'b' }], next: null })
  })

  test('have the worst first: those without a plan, then those that need approval', async () => {
    await followed(['a'])
    await world().ask.createStack(world().spec('c', { ref: 'stable', path: 'nowhere' }), 'ann')
    const { items, next } = await world().ask.previewPromotionPlans(up, {}, never)
    expect(items.map(({ stack }) => stack)).toEqual(['c', 'a'])
    expect(items[0]).toMatchObject({ error: { code: 'source/path-missing' } })
    expect(items.map(({ plan }) => plan?.needsApproval.length ?? 0)).toEqual([0, 1])
    expect(next).toBeNull()
  })

  test('write nothing, and are none if the tag is there', async () => {
    await followed(['a'])
    world().platform.reset()
    await world().ask.previewPromotionPlans(up, {}, never)
    expect(world().platform.writes).toEqual([])
    const same = await world().ask.previewPromotionPlans({ from: 'stable', to: 'stable' }, {}, never)
    expect(same).toMatchObject({ items: [], next: null, total: 0 })
  })

  test('of a cursor that no page gave are refused', async () => {
    await followed(['a'])
    const asked = world().ask.previewPromotionPlans(up, { after: 'zzz' }, never)
    expect(await refusal(asked)).toMatchObject({ code: 'stacks/invalid-cursor' })
  })
})

describe('the commits between two commits of a channel', () => {
  test('are the newest first, with their authors and messages', async () => {
    const [first, second, third] = await followed(['a'])
    const found = await world().ask.listCommits({ channel: 'stable', from: first, to: third }, never)
    expect(found.items.map(({ id }) => id)).toEqual([third, second])
    expect(found).toMatchObject({ more: false })
    const few = await world().ask.listCommits({ channel: 'stable', from: first, to: third, limit: 1 }, never)
    expect(few).toMatchObject({ items: [{ id: third }], more: true })
  })

  test('of an unreachable repository are an error, and of an unknown channel, too', async () => {
    const [first, , third] = await followed(['a'])
    world().server.intercept(unreachable)
    const asked = world().ask.listCommits({ channel: 'stable', from: first, to: third }, never)
    expect(await refusal(asked)).toHaveProperty('code')
    const none = world().ask.listCommits({ channel: 'none', from: first, to: third }, never)
    expect(await refusal(none)).toMatchObject({ code: 'channels/unknown' })
  })
})

describe('web addresses of commits', () => {
  test('are absent for an unknown host, until the configuration file says what it is', async () => {
    await followed(['a'])
    expect((await world().ask.getStack('a')).sources[0]).not.toHaveProperty('links')
    const match = world().url
    const status = { name: 'forge', match, forge: 'gitea', api: match, credential: 'forge' } as const
    await world().reload({ changed: { receivers: { notifications: [], statuses: [status] } } })
    const { items } = await world().ask.listStacks({})
    const [channel] = (await world().ask.listChannels({})).items
    const links = {
      commit: 'https://git.example/repository/commit/{commit}',
      compare: 'https://git.example/repository/compare/{from}...{to}',
    }
    expect(items[0]!.sources[0]).toMatchObject({ links })
    expect(channel).toMatchObject({ links })
    expect(await world().ask.previewPromotion(up, { plans: false }, never)).toMatchObject({ links })
  })
})
