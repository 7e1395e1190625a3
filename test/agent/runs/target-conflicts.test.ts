// Names that something else on the target has: no fault of the package.
import { expect, test } from 'vitest'
import { TargetConflict } from '../../../src/model/errors.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()

/** Renames the bucket of the stack, and gives its name to another one. Returns the id of that one. */
async function takeName(): Promise<string> {
  await world().ask.editResource('Bucket/raw', { name: 'other' }, { stack: 'boards' }, never)
  const { id } = await world().ask.createResource('Bucket', { name: 'raw', retentionRules: [] }, {}, never)
  return id
}

async function freeName(id: string): Promise<void> {
  await world().ask.deleteResource(`Bucket/${id}`, { target: 'local', consent: `Bucket/${id}` }, never)
}

/** The stack, once its next retry is planned. */
async function retryPlanned(): Promise<{ readonly state: string; readonly reason: string; readonly waitMs: number }> {
  return until('a retry is planned', async () => {
    const { nextRetryAt, status } = await world().ask.explainStack('boards')
    const waitMs = nextRetryAt === null ? 0 : Date.parse(nextRetryAt) - world().clock.now()
    return waitMs > 0 && { state: status.state, reason: status.reason, waitMs }
  })
}

test('a taken name is retried with backoff, and the failure ends by itself when the name is free', async () => {
  await world().push(yaml(label('red'), bucket('raw')))
  const first = await world().create('boards')
  const before = await world().ids('boards')
  const taker = await takeName()
  world().clock.advance(330_000)
  let run = await world().runAfter('boards', first.id)
  expect(run).toMatchObject({ outcome: 'failed', cause: { kind: 'drift' }, problems: [{ code: 'plan/name-taken' }] })
  expect(await retryPlanned()).toEqual({ state: 'Failed', reason: 'TargetConflict', waitMs: 5_000 })
  world().clock.advance(5_000)
  run = await world().runAfter('boards', run.id)
  expect(run).toMatchObject({ outcome: 'failed', cause: { kind: 'retry' } })
  expect(await retryPlanned()).toMatchObject({ reason: 'TargetConflict', waitMs: 10_000 })
  await freeName(taker)
  world().clock.advance(10_000)
  expect(await world().runAfter('boards', run.id)).toMatchObject({ outcome: 'applied', changes: { update: 1 } })
  expect((await world().ask.getStack('boards')).status.state).toBe('Synced')
  expect(await world().ids('boards')).toEqual(before)
})

test('a new revision is applied although another name is taken meanwhile, once it no longer declares that name', async () => {
  await world().push(yaml(bucket('raw')))
  const first = await world().create('boards')
  await takeName()
  world().clock.advance(330_000)
  await world().runAfter('boards', first.id)
  await world().push(yaml(bucket('raw', { name: 'free' })))
  world().clock.advance(66_000)
  await until('it is synced', async () => (await world().ask.getStack('boards')).status.state === 'Synced')
  expect(await world().names()).toEqual(['Bucket/raw', 'Bucket/free'].sort())
})

test('a taken name is drift that a stack with drift: report only reports, and later checks go on', async () => {
  await world().push(yaml(bucket('raw'), bucket('two', { description: 'declared' })))
  const first = await world().create('boards', { drift: 'report' })
  await takeName()
  world().clock.advance(330_000)
  const state = async (): Promise<string> => (await world().ask.getStack('boards')).status.state
  await until('it is reported', async () => (await state()) === 'Drifted')
  await world().ask.editResource('Bucket/two', { description: 'by hand' }, { stack: 'boards' }, never)
  world().clock.advance(330_000)
  await until('both are reported', async () => (await world().store.stacks.get('boards'))!.drifted === 2)
  expect((await world().lastRun('boards')).id).toBe(first.id)
})

test('a conflict in the middle of an apply is undone, and retried', async () => {
  await world().push(yaml(label('red'), bucket('raw')))
  world().platform.onCall(({ verb, family }) => {
    if (verb === 'create' && family === 'Bucket') throw new TargetConflict('Taken.', { code: 'platform/name-taken' })
  })
  const first = await world().create('boards')
  expect(first).toMatchObject({ outcome: 'undone', problems: [{ code: 'platform/name-taken' }] })
  expect(await retryPlanned()).toEqual({ state: 'Failed', reason: 'TargetConflict', waitMs: 5_000 })
  world().platform.reset()
  world().clock.advance(5_000)
  expect(await world().runAfter('boards', first.id)).toMatchObject({ outcome: 'applied' })
})
