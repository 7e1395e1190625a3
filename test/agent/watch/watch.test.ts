// The events that a whole agent publishes.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { NumberedEvent } from '../../../src/model/stacks/event.js'
import { label, yaml } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()
let heard: NumberedEvent[]
let stop: () => void

beforeEach(() => listen())
afterEach(() => stop())

function listen(): void {
  heard = []
  stop = world().agent.events.subscribe(undefined, (one) => heard.push(one)).stop
}

/**
 * `run.ended 1 applied`, `stack.changed boards`, `channel.moved main`: only events of these types.
 */
function published(...types: readonly string[]): readonly string[] {
  return heard.flatMap(({ event }) => {
    if (!types.includes(event.type)) return []
    if (event.type === 'channel.moved') return `channel.moved ${event.move.ref}`
    if (event.type === 'target.changed') return `target.changed ${event.operation} ${event.resource.family}`
    if (!('run' in event)) return `${event.type} ${event.name}`
    const { type, run, phase } = event
    return `${type} ${run.id}${type === 'run.queued' ? '' : ` ${type === 'run.phase' ? phase : run.outcome}`}`
  })
}

const ofRuns = ['run.queued', 'run.phase', 'run.ended']
const ended = (id: string): Promise<boolean> =>
  until('its end is published', () => published('run.ended').some((one) => one.startsWith(`run.ended ${id} `)))

test('events of a run are published in order: queued, its phases, ended', async () => {
  await world().push(label('red'))
  const { id } = await world().create('boards')
  await ended(id)
  expect(published(...ofRuns)).toEqual([
    `run.queued ${id}`,
    `run.phase ${id} fetching`,
    `run.phase ${id} fetching`,
    `run.phase ${id} planning`,
    `run.phase ${id} applying`,
    `run.ended ${id} applied`,
  ])
  const last = heard.findLast(({ event }) => event.type === 'run.ended')!.event
  expect(last).toMatchObject({ name: 'boards', run: { changes: { create: 1 }, cause: { kind: 'created' } } })
})

test('events of a stack are published when it is created, changed and deleted', async () => {
  await world().push(label('red'))
  const { id } = await world().create('boards')
  await ended(id)
  await until('it is published', () => published('stack.created', 'stack.changed').length > 0)
  expect(published('stack.created')).toEqual(['stack.created boards'])
  heard.length = 0
  await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
  await until('it is published', () => published('stack.changed').length === 1)
  await world().ask.deleteStack('boards', { by: 'ann' }, never)
  await until('it is published', () => published('stack.deleted').length === 1)
  expect(published('stack.created', 'stack.deleted')).toEqual(['stack.deleted boards'])
})

test('a move of a channel is published, and the resulting change of a stack', async () => {
  await world().push(label('red'), 'stable')
  await world().create('boards', { ref: 'stable' })
  heard.length = 0
  const to = await world().push(yaml(label('red'), label('blue')), 'stable')
  const run = await world().sync('boards')
  await ended(run.id)
  expect(heard.map(({ event }) => event)).toContainEqual(
    expect.objectContaining({
      type: 'channel.moved',
      move: expect.objectContaining({ ref: 'stable', to: { commit: to, object: to } }) as object,
    }),
  )
  expect(published('stack.changed').length).toBeGreaterThan(0)
})

test('a poll without a change publishes no event', async () => {
  await world().push(label('red'))
  const { id } = await world().create('boards')
  await ended(id)
  await until('it is at rest', async () => (await world().ask.getStack('boards')).sync === 'Synced')
  await world().ask.waitForStack('boards', { timeoutMs: 60_000 }, never)
  heard.length = 0
  const { checkedAt } = await world().ask.getStack('boards')
  world().clock.advance(330_000)
  await until('the target was read', async () => (await world().ask.getStack('boards')).checkedAt !== checkedAt)
  await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
  await until('it is published', () => published('run.ended').length > 0)
  expect(heard.map(({ event }) => event.type)).toEqual(['stack.changed', 'run.ended'])
})

test('an unreachable source changes its stack', async () => {
  await world().push(label('red'))
  const { id } = await world().create('boards')
  await ended(id)
  heard.length = 0
  await world().server.close()
  world().clock.advance(60_000)
  await until('it is published', () => published('stack.changed').length > 0)
  expect(world().condition(await world().ask.getStack('boards')).reason).toBe('FetchFailed')
})

describe('the end of a run is published', () => {
  test('if a newer run replaces it before it began', async () => {
    await world().push(label('red'))
    const { id } = await world().create('boards')
    await ended(id)
    const open = await lock('boards')
    const { stack, revision } = (await world().store.runs.get(id))!
    const one = await world().store.runs.add({ stack, revision, cause: { kind: 'person' } })
    const two = await world().store.runs.add({ stack, revision, cause: { kind: 'person' } })
    world().agent.runs.wake(stack)
    open()
    await ended(two.id)
    expect(published('run.ended')).toContain(`run.ended ${one.id} superseded`)
  })

  test('if it deletes the stack', async () => {
    await world().push(label('red'))
    await world().create('boards')
    const { digest } = await world().ask.previewPlan('boards', { uninstall: true }, never)
    const { run } = await world().ask.deleteStack('boards', { by: 'ann', uninstall: digest }, never)
    await ended(run!.id)
    expect(published('run.ended').at(-1)).toBe(`run.ended ${run!.id} applied`)
    await until('the stack is gone', () => published('stack.deleted').length === 1)
  })

  test('if it began in an earlier process', async () => {
    await world().push(label('red'))
    await world().ask.createStack(world().spec('boards'), 'ann')
    stop()
    await world().stop()
    await world().start()
    listen()
    await ended('1')
    expect(published('run.ended')).toEqual(['run.ended 1 applied'])
  })
})

/** No run of the stack begins until the returned function is called. */
async function lock(name: string): Promise<() => void> {
  const { id } = (await world().store.stacks.get(name))!
  let open: () => void = () => {}
  const locked = new Promise<void>((resolve) => (open = resolve))
  await new Promise<void>((begun) => {
    void world().agent.runs.exclusively(id, never, () => (begun(), locked))
  })
  return open
}
