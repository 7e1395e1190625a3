// What a closed window keeps waiting, what goes all the same, and what happens when it opens. Time begins on Thursday, 2026-01-01, at midnight.
import { describe, expect, test } from 'vitest'
import type { SyncWindow } from '../../src/model/stack.js'
import { bucket, label, yaml } from '../e2e/packages.js'
import { refusal } from '../e2e/refusal.js'
import { until } from '../e2e/until.js'
import { never, useWorld } from '../e2e/world.js'

const world = useWorld()
const hour = 3_600_000

/** Open until 01:00, closed until 05:00. */
const closed: readonly SyncWindow[] = [{ kind: 'deny', schedule: '0 1 * * *', durationMs: 4 * hour, reason: 'night' }]
const closedUntil = '2026-01-01T05:00:00.000Z'
const sayingUntil = expect.stringContaining(`A window denies a sync until ${closedUntil}: night`) as string

/** A stack that is synced, at 02:00, when its window is closed. `interval`: of looks at the source; those at the target come each 5 min. */
async function atNight(changed: Parameters<ReturnType<typeof world>['spec']>[1] = {}): Promise<string> {
  await world().push(bucket('raw', { description: 'one' }))
  const { id } = await world().create('boards', { windows: closed, drift: 'report', ...changed })
  await pass(2 * hour)
  return id
}

/** Time passes, and what was due by then has begun. */
async function pass(ms: number): Promise<void> {
  const { lookedAt } = (await world().verbs.explain('boards')).follows[0]!
  world().clock.advance(ms)
  await until('it was looked at', async () => {
    const { follows, nextPollAt } = await world().verbs.explain('boards')
    return follows[0]!.lookedAt !== lookedAt && nextPollAt !== null && Date.parse(nextPollAt) > world().clock.now()
  })
}

async function waiting(): Promise<string> {
  const { lastRun } = await until('a run waits', async () => {
    const view = await world().verbs.get('boards')
    return view.conditions[0]!.reason === 'Waiting' && view
  })
  return lastRun!.id
}

test('a new revision waits, is told as waiting, and begins at the moment that the window opens', async () => {
  const first = await atNight()
  await world().push(bucket('raw', { description: 'two' }))
  await pass(60_000)
  const run = await waiting()
  expect(Number(run)).toBeGreaterThan(Number(first))
  const view = await world().verbs.get('boards')
  expect(view).toMatchObject({ sync: 'OutOfSync', phase: 'queued', lastRun: { outcome: null } })
  expect(view.conditions).toMatchObject([
    { type: 'Ready', status: false, reason: 'Waiting', message: sayingUntil },
    { type: 'Reconciling', status: false, reason: 'Waiting', message: sayingUntil },
    { type: 'Stalled', status: false },
  ])
  expect(await world().verbs.explain('boards')).toMatchObject({
    holds: [{ reason: 'Window', message: sayingUntil, next: expect.stringContaining('gitmoor sync boards') as string }],
    window: { open: false, until: closedUntil, reason: 'night' },
  })
  await pass(Date.parse(closedUntil) - world().clock.now() - 1)
  expect((await world().verbs.get('boards')).lastRun).toMatchObject({ id: run, outcome: null })
  world().clock.advance(1)
  expect(await world().ended('boards', run)).toMatchObject({ outcome: 'applied', startedAt: closedUntil })
  expect(await world().verbs.explain('boards')).toMatchObject({ holds: [], window: { open: true, until: '2026-01-02T01:00:00.000Z' } })
})

test('of several revisions the newest begins when it opens; the others are superseded, never lost', async () => {
  const first = await atNight()
  for (const description of ['two', 'three', 'four']) {
    await world().push(bucket('raw', { description }))
    await pass(60_000)
  }
  world().clock.advance(3 * hour)
  const run = await world().runAfter('boards', String(Number(first) + 2))
  expect(run).toMatchObject({ outcome: 'applied' })
  const { items } = await world().verbs.history('boards', {})
  expect(items.map(({ outcome }) => outcome)).toEqual(['applied', 'superseded', 'superseded', 'applied'])
  expect((await world().live())['Bucket/raw']!.live['description']).toBe('four')
})

test('a restart in a closed window changes nothing, and one after it opened begins what waited', async () => {
  await atNight()
  await world().push(bucket('raw', { description: 'two' }))
  await pass(60_000)
  const run = await waiting()
  await world().restart()
  expect(await waiting()).toBe(run)
  await world().stop()
  world().clock.advance(4 * hour)
  await world().start()
  expect(await world().ended('boards', run)).toMatchObject({ outcome: 'applied' })
})

test('where the clock is set past the end of the window, what waited begins', async () => {
  await atNight()
  await world().push(bucket('raw', { description: 'two' }))
  await pass(60_000)
  const run = await waiting()
  world().clock.set(Date.parse(closedUntil) + hour)
  world().clock.advance(60_000)
  expect(await world().ended('boards', run)).toMatchObject({ outcome: 'applied' })
})

test('drift is looked for and told, and put right only when the window opens', async () => {
  const first = await atNight({ drift: 'correct' })
  await world().verbs.editResource('Bucket/raw', { description: 'by hand' }, { stack: 'boards' }, never)
  world().clock.advance(330_000)
  await until('it is told', async () => (await world().verbs.get('boards')).sync === 'Drifted')
  await until('why it waits is told', async () => (await world().verbs.explain('boards')).holds[0]?.reason === 'Window')
  expect((await world().lastRun('boards')).id).toBe(first)
  world().clock.advance(Date.parse(closedUntil) - world().clock.now())
  expect(await world().runAfter('boards', first)).toMatchObject({ outcome: 'applied', cause: { kind: 'drift' } })
})

describe('what a person asks for by name goes, and its record tells what it did not wait for', () => {
  const past = sayingUntil

  test('a sync, in place of the run that waits', async () => {
    await atNight()
    await world().push(bucket('raw', { description: 'two' }))
    await pass(60_000)
    await waiting()
    const run = await world().sync('boards')
    expect(run).toMatchObject({ outcome: 'applied', cause: { kind: 'person', by: 'ann', asked: true, past } })
  })

  test('a sync that itself sees the new revision', async () => {
    await atNight()
    await world().push(bucket('raw', { description: 'two' }))
    expect(await world().sync('boards')).toMatchObject({ outcome: 'applied', cause: { kind: 'person', past } })
  })

  test('a roll back and its end', async () => {
    const first = await atNight()
    await world().push(bucket('raw', { description: 'two' }))
    await world().sync('boards')
    const { id } = await world().verbs.rollback('boards', first, 'bad', 'ann')
    expect(await world().ended('boards', id)).toMatchObject({ outcome: 'applied', cause: { past } })
    const { run } = await world().verbs.unpin('boards', 'ann')
    expect(await world().ended('boards', run!)).toMatchObject({ outcome: 'applied', cause: { note: 'unpin', past } })
  })

  test('a plan that is applied', async () => {
    await atNight()
    await world().push(bucket('raw', { description: 'two' }))
    const { revision, digest } = await world().verbs.plan('boards', {}, never)
    expect(await world().verbs.apply({ stack: 'boards', revision, digest }, 'ann', never)).toMatchObject({ outcome: 'applied' })
  })
})

test('changed settings wait, too', async () => {
  await world().push(yaml(label('red')), 'stable')
  await world().push(yaml(label('red'), label('blue')), 'beta')
  await world().create('boards', { ref: 'stable', windows: closed })
  await pass(2 * hour)
  await world().verbs.set('boards', { source: { ref: 'beta' } }, 'ann')
  const run = await waiting()
  expect(await world().names()).toEqual(['Label/red'])
  world().clock.advance(3 * hour)
  expect(await world().ended('boards', run)).toMatchObject({ outcome: 'applied' })
})

test('a run in hand when the window closes is finished, whatever comes meanwhile', async () => {
  await world().push(bucket('raw', { description: 'one' }))
  await world().create('boards', { windows: closed })
  await world().push(bucket('raw', { description: 'two' }))
  let goOn = (): void => {}
  world().platform.onCall(({ verb }) => (verb === 'update' ? new Promise((resolve) => (goOn = () => resolve())) : undefined))
  world().clock.advance(60_000)
  const inHand = await until('it is applied', async () => {
    const { phase, lastRun } = await world().verbs.get('boards')
    return phase === 'applying' && goOn.length === 0 && lastRun!.id
  })
  await world().push(bucket('raw', { description: 'three' }))
  await pass(hour)
  const run = await until('the newer one is there', async () => {
    const { id } = (await world().verbs.get('boards')).lastRun!
    return id !== inHand && id
  })
  world().platform.reset()
  goOn()
  expect(await world().ended('boards', inHand)).toMatchObject({ outcome: 'applied' })
  expect((await world().live())['Bucket/raw']!.live['description']).toBe('two')
  expect(await waiting()).toBe(run)
})

test('waiting for it times out with what it waits for', async () => {
  await atNight()
  await world().push(bucket('raw', { description: 'two' }))
  await pass(60_000)
  await waiting()
  const refused = await refusal(world().verbs.wait('boards', { timeoutMs: 300 }, never))
  expect(refused).toMatchObject({ status: 'timeout', message: sayingUntil })
})
