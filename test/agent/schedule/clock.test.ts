// A clock that somebody sets, back or forth.
import { describe, expect, test } from 'vitest'
import { Unavailable } from '../../../src/model/errors.js'
import { label, yaml } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { useWorld } from '../../e2e/world.js'
import { answering } from '../../memory-git.js'
import { releaseAtOnce } from '../../../src/channel/channel-policy.js'

const world = useWorld()
const hour = 3_600_000
const jumps: Readonly<Record<string, number>> = { 'back a day': -24 * hour, 'forward an hour': hour }

function set(ms: number): void {
  world().clock.set(world().clock.now() + ms)
}

function pollCount(): number {
  return world().server.seen.filter(({ kind }) => kind === 'list').length
}

async function nextPoll(): Promise<void> {
  const before = pollCount()
  await until('it is polled', () => pollCount() > before)
}

describe.each(Object.entries(jumps))('set %s', (_, jump) => {
  test('no run is added, and the next push is found at the interval', async () => {
    await world().push(label('red'))
    const first = await world().create('boards', { intervalMs: 30_000 })
    const { nextPollAt } = await world().ask.getStack('boards')
    set(jump)
    expect(Date.parse((await world().ask.getStack('boards')).nextPollAt!) - Date.parse(nextPollAt!)).toBe(jump)
    world().server.reset()
    world().clock.advance(10_000)
    expect((await world().ask.getStack('boards')).lastRun!.id).toBe(first.id)
    await world().push(yaml(label('red'), label('blue')))
    world().clock.advance(23_000)
    expect(await world().runAfter('boards', first.id)).toMatchObject({ outcome: 'applied', cause: { kind: 'commit' } })
    expect(pollCount()).toBe(1)
    expect((await world().ask.listRuns('boards', {})).items.map(({ outcome }) => outcome)).toEqual([
      'applied',
      'applied',
    ])
  })

  test('twenty stacks are polled as often as before, by one request', async () => {
    await world().push(label('red'))
    for (let i = 0; i < 20; i++) await world().ask.createStack(world().spec(`s${i}`, { intervalMs: 60_000 }), 'ann')
    await until(
      'each has its first run',
      () => world().log.filter(({ message }) => message === 'run ended').length === 20,
    )
    expect((await world().ask.listStacks({})).items.every(({ sync }) => sync === 'Synced')).toBe(true)
    const runs = Number((await world().ask.getStack('s19')).lastRun!.id)
    set(jump)
    world().server.reset()
    world().clock.advance(66_000)
    await nextPoll()
    expect(pollCount()).toBe(1)
    await world().push(yaml(label('red'), label('blue')))
    expect(Number((await world().sync('s0')).id)).toBeLessThanOrEqual(runs + 20)
  })

  test('drift is found and corrected no later than without it', async () => {
    await world().push(label('red'))
    const first = await world().create('boards', { driftIntervalMs: 300_000 })
    set(jump)
    const id = (await world().ids('boards'))['Label/red']!
    await world().ask.deleteResource(`Label/${id}`, { target: 'local' }, new AbortController().signal)
    world().clock.advance(331_000)
    expect(await world().runAfter('boards', first.id)).toMatchObject({ outcome: 'applied', cause: { kind: 'drift' } })
  })

  test('a retry comes no later than without it, and once', async () => {
    await world().push(label('red'))
    world().platform.onCall(({ verb }) => {
      if (verb === 'create') throw new Unavailable('The target is away.', { code: 'platform/away' })
    })
    const { run } = await world().ask.createStack(world().spec('boards'), 'ann')
    await world().ended('boards', run)
    world().platform.reset()
    set(jump)
    world().clock.advance(6_000)
    expect(await world().runAfter('boards', run)).toMatchObject({ outcome: 'applied' })
    world().clock.advance(20_000)
    expect((await world().ask.listRuns('boards', {})).items).toHaveLength(2)
  })

  test('minAge blocks a move once more at most, and the released commit is applied', async () => {
    world().agent.setChannelPolicies([{ ...releaseAtOnce, minAgeMs: 900_000 }])
    await world().push(label('red'), 'stable')
    const first = await world().create('boards', { ref: 'stable' })
    await world().push(yaml(label('red'), label('blue')), 'stable')
    await world().sync('boards')
    set(jump)
    const since = world().clock.elapsed()
    await until('it is applied', async () => {
      world().clock.advance(30_000)
      return (await world().ask.getStack('boards')).lastRun!.id !== first.id && (await world().names()).length === 2
    })
    expect(world().clock.elapsed() - since).toBeLessThanOrEqual(2 * 900_000 + 120_000)
    expect((await world().ask.listMoves('stable', {})).items.map(({ state }) => state)).toEqual([
      'released',
      'released',
    ])
  })

  test('a Retry-After lasts as long as it says, and no longer', async () => {
    await world().push(label('red'))
    const first = await world().create('boards')
    world().server.intercept(answering(429, { 'retry-after': '900' }))
    world().clock.advance(66_000)
    await until('the next poll is planned', () => world().agent.polls.delays.get(world().url) === 'retry-after')
    world().server.intercept(undefined)
    await world().push(yaml(label('red'), label('blue')))
    set(jump)
    world().server.reset()
    world().clock.advance(899_000)
    await world().ask.listStacks({})
    expect(pollCount()).toBe(0)
    world().clock.advance(1_000)
    expect(await world().runAfter('boards', first.id)).toMatchObject({ outcome: 'applied' })
  })

  test('a restart after it changes nothing', async () => {
    await world().push(label('red'))
    const first = await world().create('boards')
    set(jump)
    world().server.reset()
    await world().restart()
    await until('it is polled after the start', () => pollCount() > 0)
    await world().ask.waitForStack('boards', { timeoutMs: 60_000 }, new AbortController().signal)
    expect((await world().lastRun('boards')).id).toBe(first.id)
  })
})

test('the history shows the stored times, and the newest run first', async () => {
  await world().push(label('red'))
  const first = await world().create('boards')
  set(-hour)
  await world().push(yaml(label('red'), label('blue')))
  await world().sync('boards')
  const { items } = await world().ask.listRuns('boards', {})
  expect(items[1]!.id).toBe(first.id)
  expect(Date.parse(items[0]!.createdAt) - Date.parse(items[1]!.createdAt)).toBe(-hour)
  expect((await world().ask.getStack('boards')).sync).toBe('Synced')
})

test('a suspension ends at its time of day: at once if the clock is set past it, later if it is set back', async () => {
  await world().push(label('red'))
  const first = await world().create('boards')
  await world().ask.suspendStack('boards', 'lunch', 2 * hour, 'ann')
  set(-hour)
  world().clock.advance(2 * hour + 61_000)
  await world().ask.listStacks({})
  expect((await world().ask.getStack('boards')).suspended).not.toBeNull()
  set(2 * hour)
  world().clock.advance(60_000)
  expect(await world().runAfter('boards', first.id)).toMatchObject({ cause: { note: 'the suspension ended' } })
  expect(world().log.filter(({ message }) => message === 'the clock was set')).toHaveLength(2)
})

test('a field that another writer keeps changing is left alone for ten minutes of elapsed time', async () => {
  await world().push(label('red'))
  let last = await world().create('boards', { driftIntervalMs: 5_000 })
  const damage = async (): Promise<void> => {
    const id = (await world().ids('boards'))['Label/red']!
    await world().ask.editResource(
      `Label/${id}`,
      { color: '#000000' },
      { target: 'local' },
      new AbortController().signal,
    )
    world().clock.advance(7_000)
  }
  for (let i = 0; i < 5; i++) {
    await damage()
    last = await world().runAfter('boards', last.id)
  }
  set(-hour)
  await damage()
  await until(
    'it is reported',
    async () => world().condition(await world().ask.getStack('boards')).reason === 'Fighting',
  )
})
