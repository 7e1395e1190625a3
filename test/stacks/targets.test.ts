// Which targets are one live system is the platform's answer (`Platform.systemId`).
import { expect, test } from 'vitest'
import type { Platform } from '../../src/platform/platform.js'
import { Targets } from '../../src/stacks/targets.js'

const lamps: Platform = {
  name: 'lamps',
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

function lampTargets(): Targets {
  const settings = { hall: { bridge: 'b1', floor: 1 }, stairs: { bridge: 'b1', floor: 2 }, shed: { bridge: 'b2' } }
  const targets = Object.entries(settings).map(([name, one]) => ({ name, platform: 'lamps', settings: one }))
  return new Targets(targets, [lamps], { calls: { limitMs: 1_000 } })
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
