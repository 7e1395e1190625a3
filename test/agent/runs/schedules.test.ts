// Stacks that are synced at times of their own. Time begins on 2026-01-01 at midnight.
import { expect, test } from 'vitest'
import { bucket } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'
import { answering } from '../../memory-git.js'

const world = useWorld()
const hour = 3_600_000
const week = 168 * hour

/** Only its schedule, 03:00 in Berlin, begins runs. */
const nightly = {
  schedule: '0 3 * * *',
  timeZone: 'Europe/Berlin',
  intervalMs: week,
  driftIntervalMs: week,
  drift: 'report',
} as const

test('a stack is synced at the times of its schedule: its source is polled, and drift is corrected', async () => {
  await world().push(bucket('raw', { description: 'one' }))
  const first = await world().create('boards', nightly)
  expect((await world().ask.explainStack('boards')).nextScheduleAt).toBe('2026-01-01T02:00:00.000Z')
  const to = await world().push(bucket('raw', { description: 'two' }))
  await world()
    .ask.editResource('Bucket/raw', { retention: '1d' }, {}, never)
    .catch(() => {})
  world().clock.advance(2 * hour)
  const run = await world().runAfter('boards', first.id)
  expect(run).toMatchObject({
    outcome: 'applied',
    cause: { kind: 'schedule', note: '0 3 * * *' },
    createdAt: '2026-01-01T02:00:00.000Z',
  })
  expect(run.revision).toContain(to)
  await world().ask.editResource('Bucket/raw', { description: 'by hand' }, {}, never)
  world().clock.advance(24 * hour)
  expect(await world().runAfter('boards', run.id)).toMatchObject({ outcome: 'applied', cause: { kind: 'schedule' } })
})

test('one run makes up for times that were missed while no agent ran', async () => {
  await world().push(bucket('raw'))
  const first = await world().create('boards', nightly)
  await world().stop()
  world().clock.advance(72 * hour)
  await world().start()
  const run = await world().runAfter('boards', first.id)
  expect(run.cause.kind).toBe('schedule')
  await world().restart()
  await until('it was polled', async () => (await world().ask.explainStack('boards')).follows[0]!.polledAt !== null)
  expect((await world().lastRun('boards')).id).toBe(run.id)
})

test('a time that passed before the schedule was set does not count', async () => {
  await world().push(bucket('raw'))
  await world().create('boards', { ...nightly, schedule: 'never' })
  world().clock.advance(12 * hour)
  await world().ask.updateStack('boards', { schedule: nightly.schedule }, 'ann')
  expect(await world().lastRun('boards')).toMatchObject({ cause: { kind: 'person' } })
  expect((await world().ask.explainStack('boards')).nextScheduleAt).toBe('2026-01-02T02:00:00.000Z')
})

test('if the source is unreachable then, the run fails and says so', async () => {
  await world().push(bucket('raw'))
  const first = await world().create('boards', nightly)
  world().server.intercept(answering(403))
  world().clock.advance(2 * hour)
  expect(await world().runAfter('boards', first.id)).toMatchObject({ outcome: 'failed', cause: { kind: 'schedule' } })
  expect((await world().ask.explainStack('boards')).follows[0]).toMatchObject({ problem: expect.any(String) as string })
})

test('a suspended stack has no times, and a pinned one is synced at its pinned revision', async () => {
  await world().push(bucket('raw', { description: 'one' }))
  const first = await world().create('boards', nightly)
  await world().push(bucket('raw', { description: 'two' }))
  await world().sync('boards')
  const { id } = await world().ask.rollBack('boards', first.id, '', 'ann')
  await world().ended('boards', id)
  world().clock.advance(2 * hour)
  const run = await world().runAfter('boards', id)
  expect(run).toMatchObject({ outcome: 'unchanged', revision: first.revision, cause: { kind: 'schedule' } })
  await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
  expect((await world().ask.explainStack('boards')).nextScheduleAt).toBeNull()
  world().clock.advance(24 * hour)
  await world().ask.explainStack('boards')
  expect((await world().lastRun('boards')).id).toBe(run.id)
})
