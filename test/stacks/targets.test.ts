// Which targets are one live system is the platform's answer (`Platform.systemId`).
import { describe, expect, test } from 'vitest'
import type { Kinds, Platform } from '../../src/platform/platform.js'
import { Targets, type Reached } from '../../src/stacks/targets.js'

const lamps: Platform = {
  name: 'lamps',
  version: 1,
  onFailure: 'continue',
  kinds: [],
  kind: () => undefined,
  explainUnknownKind: () => ({ code: 'kinds/unknown-kind', message: 'There is no such lamp.' }),
  systemId: ({ bridge }) => bridge as string,
  connect: async () => ({
    concurrency: 1,
    driver: () => {
      throw new Error('no test needs a driver')
    },
    list: async () => [],
    [Symbol.asyncDispose]: async () => {},
  }),
}

function lampTargets(platform = lamps): Targets {
  const settings = { hall: { bridge: 'b1', floor: 1 }, stairs: { bridge: 'b1', floor: 2 }, shed: { bridge: 'b2' } }
  const targets = Object.entries(settings).map(([name, one]) => ({ name, platform: 'lamps', settings: one }))
  return new Targets(targets, [platform], { calls: { limitMs: 1_000 } })
}

test('targets with equal system ids are one live system, listed under the first of them', () => {
  const targets = lampTargets()
  expect(['hall', 'stairs', 'shed'].map((name) => targets.liveSystem(name))).toEqual([
    'lamps/b1',
    'lamps/b1',
    'lamps/b2',
  ])
  expect(targets.systems()).toMatchObject([
    { platform: 'lamps', name: 'b1', target: 'hall' },
    { platform: 'lamps', name: 'b2', target: 'shed' },
  ])
})

test('a target that is declared as another live system than its stacks are bound to is missing', () => {
  const targets = lampTargets()
  targets.bind(new Map([['hall', 'lamps/b2'], ['shed', 'lamps/b2'], ['attic', 'lamps/b3']])) // prettier-ignore
  expect(['hall', 'stairs', 'shed', 'attic'].filter((name) => targets.has(name))).toEqual(['stairs', 'shed'])
  const missing = expect.objectContaining({
    code: 'platform/target-missing',
    message: 'Target hall is declared as lamps/b1, but its stacks are bound to lamps/b2.',
    hint: expect.stringMatching(/^Declare it as lamps\/b2 again, .*HUP to the agent\.$/) as string,
  }) as Error
  expect(() => targets.liveSystem('hall')).toThrow(missing)
  expect(() => targets.snapshot().refuseUnknown('hall')).toThrow(missing)
  targets.bind(new Map([['hall', 'lamps/b1']]))
  expect(targets.has('hall')).toBe(true)
})

test('one live system has one lock', async () => {
  const targets = lampTargets()
  const { signal } = new AbortController()
  const order: string[] = []
  let finish = (): void => {}
  const held = new Promise<void>((resolve) => (finish = resolve))
  const first = targets.lock('hall', {}, signal, async () => {
    order.push('hall begins')
    await held
    order.push('hall ends')
  })
  const second = targets.lock('stairs', {}, signal, async () => void order.push('stairs'))
  await targets.lock('shed', {}, signal, async () => void order.push('shed'))
  finish()
  await Promise.all([first, second])
  expect(order).toEqual(['hall begins', 'shed', 'hall ends', 'stairs'])
})

test('work that waited for a lock reaches the system that it locked, also if its target is another one by then', async () => {
  const reached: unknown[] = []
  const targets = lampTargets({
    ...lamps,
    connect: (target, signal) => {
      reached.push(target.settings['bridge'])
      return lamps.connect(target, signal)
    },
  })
  const { signal } = new AbortController()
  let finish = (): void => {}
  const held = new Promise<void>((resolve) => (finish = resolve))
  const first = targets.lock('stairs', {}, signal, () => held)
  const second = targets.lock('hall', {}, signal, async ({ system }) => system)
  targets.replace([{ name: 'hall', platform: 'lamps', settings: { bridge: 'b9' } }])
  finish()
  await first
  expect(await second).toBe('lamps/b1')
  expect(reached).toEqual(['b1', 'b1'])
})

test('work that only updates what is its own shares the lock, if the platform permits it', async () => {
  expect(lampTargets().permitsSharing('hall')).toBe(false)
  const targets = lampTargets({ ...lamps, updatesInParallel: true })
  expect(targets.permitsSharing('hall')).toBe(true)
  expect(targets.permitsSharing('attic'), 'not declared').toBe(false)
  const { signal } = new AbortController()
  const order: string[] = []
  let goOn = (): void => {}
  const both = new Promise<void>((resolve) => (goOn = resolve))
  const shared = ['hall', 'stairs'].map((name) =>
    targets.lockShared(name, {}, signal, async () => {
      if (order.push(`${name} begins`) === 2) goOn()
      await both
      order.push(`${name} ends`)
    }),
  )
  const alone = targets.lock('hall', {}, signal, async () => void order.push('alone'))
  await Promise.all([...shared, alone])
  expect(order).toEqual(['hall begins', 'stairs begins', 'hall ends', 'stairs ends', 'alone'])
})

test('a platform with two places has two runs on one live system, and a third one waits', async () => {
  const targets = lampTargets({ ...lamps, places: 2 })
  const { signal } = new AbortController()
  const inside: string[] = []
  const leave = new Map<string, () => void>()
  const enter = (name: string): Promise<void> =>
    targets.lock(name, {}, signal, async () => {
      inside.push(`${name} ${leave.size}`)
      await new Promise<void>((resolve) => leave.set(`${name} ${leave.size}`, resolve))
    })
  const runs = [enter('hall'), enter('stairs'), enter('hall')]
  await targets.lock('shed', {}, signal, async () => {})
  expect(inside).toEqual(['hall 0', 'stairs 1'])
  leave.get('hall 0')!()
  await runs[0]
  leave.get('stairs 1')!()
  await runs[1]
  leave.get('hall 2')!()
  await runs[2]
  expect(inside).toEqual(['hall 0', 'stairs 1', 'hall 2'])
})

describe('kinds that only a connection knows', () => {
  const kinds = [{ kind: 'Lamp' }] as unknown as Reached['platform']['kinds']
  const known: Kinds = { kinds, kind: () => undefined, explainUnknownKind: () => ({ code: 'a/b', message: '' }) }
  const unknowing = (given?: Kinds): Platform => ({
    name: 'lamps',
    version: 1,
    onFailure: 'continue',
    systemId: (settings) => lamps.systemId(settings),
    connect: async (...to) => ({ ...(await lamps.connect(...to)), ...(given === undefined ? {} : { kinds: given }) }),
  })
  const { signal } = new AbortController()

  test('are read with a connection, and then known for every target of the live system', async () => {
    const targets = lampTargets(unknowing(known))
    expect(targets.known('hall').kinds).toEqual([])
    expect((await targets.platformOf('hall', {}, signal)).kinds).toBe(kinds)
    expect(['hall', 'stairs', 'shed'].map((one) => targets.known(one).kinds)).toEqual([kinds, kinds, []])
    expect(targets.snapshot().known('hall').kinds).toBe(kinds)
  })

  test('are a fault of the platform if the connection has none', async () => {
    const read = lampTargets(unknowing()).platformOf('hall', {}, signal)
    await expect(read).rejects.toThrow('The platform lamps gives no kinds')
  })
})
