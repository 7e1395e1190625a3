// Applies while their stack is uninstalled, deleted or suspended: one after the other, and none waits forever.
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { bucket, label, yaml } from '../influxdb/packages.js'
import { until } from './until.js'
import { askWire, orgOf, templates, type WireReply } from './wire-door.js'
import { never, useWorld } from '../influxdb/world.js'

const world = useWorld()
const raw = yaml(bucket('raw'))
const both = yaml(bucket('raw'), bucket('fine'))
/** What needs several writes, one after the other. */
const labelled = yaml(label('red'), bucket('raw', { labels: ['red'] }), bucket('fine', { labels: ['red'] }))

const apply = (text: string, stackID?: string): Promise<WireReply> =>
  templates(world(), [text], stackID === undefined ? {} : { stackID })

async function first(): Promise<string> {
  const { status, body } = await apply(raw)
  expect(status).toBe(201)
  return body.stackID as string
}

interface Gate {
  readonly reached: () => Promise<true>
  readonly open: () => void
}

/** The next write of a kind waits at the target until the barrier is opened. */
function barrierAt(verbToStop: 'create' | 'remove'): Gate {
  let isReached = false
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  world().platform.onCall(async ({ verb }) => {
    if (verb !== verbToStop) return
    isReached = true
    await opened
  })
  return { reached: () => until(`a ${verbToStop} waits at the target`, () => isReached), open: () => open() }
}

const suspended = { reason: 'inventory', by: 'ann', until: null }
const warnings = (): readonly unknown[] => world().log.filter(({ level }) => level === 'warn' || level === 'error')
const unfinished = async (stack: string): Promise<number> => (await world().store.runs.unfinished(stack)).length
const uninstall = async (stack: string): Promise<WireReply> =>
  askWire(world(), 'POST', `/api/v2/stacks/${stack}/uninstall?orgID=${await orgOf(world())}`)
const remove = async (stack: string): Promise<WireReply> =>
  askWire(world(), 'DELETE', `/api/v2/stacks/${stack}?orgID=${await orgOf(world())}`)

describe('a manual suspension', () => {
  test('refuses an apply, and says how to resume', async () => {
    const stack = await first()
    await world().ask.suspendStack(stack, 'inventory', undefined, 'ann')
    const { status, body } = await apply(both, stack)
    expect([status, body.code]).toEqual([422, 'conflict'])
    expect(body.message).toMatch(/is suspended by ann: inventory\. Resume it first: gitmoor resume template-/)
    expect(await unfinished(stack)).toBe(0)
  })

  test.each(['a change of a stack', 'a new stack'])(
    'ends an apply of %s that is in progress, and does not delay the next one',
    async (title) => {
      const stack = title === 'a new stack' ? undefined : await first()
      const barrier = barrierAt('create')
      const applying = apply(labelled, stack)
      await barrier.reached()
      const id = stack ?? (await world().store.stacks.list({ limit: 1 }))[0]!.id
      const suspending = world().ask.suspendStack(id, 'inventory', undefined, 'ann')
      await until('it is suspended', async () => (await world().store.stacks.get(id))?.suspended !== null)
      await setImmediate()
      barrier.open()
      const { status, body } = await applying
      await suspending
      expect([status, body.code, body.message]).toEqual([
        422,
        'conflict',
        expect.stringContaining('is suspended by ann'),
      ])
      expect(await unfinished(id)).toBe(0)
      world().platform.reset()
      expect((await apply(yaml(bucket('elsewhere')))).status).toBe(201)
    },
  )

  test('ends an apply that waits behind another one', async () => {
    const stack = await first()
    const barrier = barrierAt('create')
    const other = templates(world(), [yaml(bucket('elsewhere'))])
    await barrier.reached()
    const applying = apply(both, stack)
    await world().ask.suspendStack(stack, 'inventory', undefined, 'ann')
    barrier.open()
    expect((await other).status).toBe(201)
    expect((await applying).status).toBe(422)
    expect(await unfinished(stack)).toBe(0)
    expect(await world().names()).toEqual(['Bucket/elsewhere', 'Bucket/raw'])
  })

  test('ends an apply whose run has not begun', async () => {
    const stack = await first()
    const { agent, store, log } = world()
    let release = (): void => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const lock = agent.runs.exclusively(stack, never, () => released)
    log.length = 0
    const applying = apply(both, stack)
    await until('it is previewed', () => log.some(({ message }) => message === 'target called'))
    await until('it waits for its turn', () => setImmediate(true))
    const suspending = agent.runs.exclusively(stack, never, () => store.stacks.change(stack, { suspended }))
    release()
    await Promise.all([lock, suspending])
    agent.runs.wake(stack)
    const { status, body } = await applying
    expect([status, body.message]).toEqual([422, expect.stringContaining('is suspended by ann')])
    expect(await unfinished(stack)).toBe(0)
    await world().ask.resumeStack(stack, 'ann')
    expect((await apply(both, stack)).status).toBe(201)
  })
})

describe('an uninstall', () => {
  test('waits for the apply in progress, and removes its resources', async () => {
    const stack = await first()
    const barrier = barrierAt('create')
    const applying = apply(both, stack)
    await barrier.reached()
    const uninstalling = uninstall(stack)
    barrier.open()
    expect((await applying).status).toBe(201)
    const { status, body } = await uninstalling
    expect([status, body.events.at(-1).eventType]).toEqual([200, 'uninstall'])
    expect(await world().names()).toEqual([])
  })

  test('runs before an apply that was requested later, which creates everything again', async () => {
    const stack = await first()
    const barrier = barrierAt('remove')
    const uninstalling = uninstall(stack)
    await barrier.reached()
    const applying = apply(both, stack)
    barrier.open()
    expect((await uninstalling).status).toBe(200)
    expect((await applying).status).toBe(201)
    expect(await world().names()).toEqual(['Bucket/fine', 'Bucket/raw'])
  })

  test('and applies, ten at once, all end well', async () => {
    const stack = await first()
    const requests = Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? uninstall(stack) : apply(both, stack)))
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(
      Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? 200 : 201)),
    )
    expect(await unfinished(stack)).toBe(0)
  })
})

describe('a deletion', () => {
  test('waits for the apply in progress', async () => {
    const stack = await first()
    const barrier = barrierAt('create')
    const applying = apply(both, stack)
    await barrier.reached()
    const removing = remove(stack)
    barrier.open()
    expect((await applying).status).toBe(201)
    expect((await removing).status).toBe(204)
    expect(await world().names()).toEqual([])
    expect((await world().ask.listStacks({})).items).toEqual([])
  })

  test('before an apply leaves no stack to apply to', async () => {
    const stack = await first()
    const barrier = barrierAt('remove')
    const removing = [remove(stack), remove(stack)]
    await barrier.reached()
    const applying = apply(both, stack)
    barrier.open()
    expect((await Promise.all(removing)).map(({ status }) => status)).toEqual([204, 204])
    expect((await applying).status).toBe(404)
    expect(await world().names()).toEqual([])
  })
})

test('applies that go well log no warning and no error', async () => {
  const stacks = await Promise.all(
    ['one', 'two', 'three'].map(async (name) => (await apply(yaml(bucket(name)))).body.stackID as string),
  )
  const more = stacks.map((stack, at) => apply(yaml(bucket('raw', { name: `raw-${at}` }), bucket(`more-${at}`)), stack))
  expect((await Promise.all(more)).map(({ status }) => status)).toEqual([201, 201, 201])
  expect((await uninstall(stacks[0]!)).status).toBe(200)
  expect((await apply(raw, stacks[0])).status).toBe(201)
  expect((await remove(stacks[1]!)).status).toBe(204)
  expect(warnings()).toEqual([])
})

test('a run that another one overtook is not a failure: its apply is planned again, without a warning', async () => {
  const stack = await first()
  const { agent, store } = world()
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const lock = agent.sync.targets.lock('local', { stack: 'test' }, never, () => released)
  const applying = apply(both, stack)
  const run = await until('its run waits for the target', async () =>
    (await store.runs.unfinished(stack)).find((one) => agent.live.phaseOf(one) === 'planning'),
  )
  await store.runs.finish((await store.runs.takeLease(run)).lease, { outcome: 'superseded' })
  release()
  await lock
  expect((await applying).status).toBe(201)
  expect(await world().names()).toEqual(['Bucket/fine', 'Bucket/raw'])
  expect(warnings()).toEqual([])
  expect((await store.stacks.get(stack))?.failure).toBeNull()
})
