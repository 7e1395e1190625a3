import { createHook } from 'node:async_hooks'
import { describe, expect, test } from 'vitest'
import { observe } from '../../src/engine/observe.js'
import type { Address } from '../../src/model/address.js'
import { InvalidPackage } from '../../src/model/errors.js'
import type { Observed, Owned } from '../../src/model/resources/resource.js'
import type { ResourceLookup } from '../../src/platform/platform.js'
import { at, bucket, deadman, declare, idOf, label, settled, type Doc } from '../plan/scenario.js'
import { roundsDuring, slow } from '../rounds.js'
import { driverWith, EngineWorld, never } from './engine-world.js'

interface Look {
  readonly found: ReadonlyMap<Address, Observed>
  /** What each read asked for, in order. */
  readonly requested: readonly (readonly string[])[]
}

/** Observes declared and owned resources. */
async function look(
  world: EngineWorld,
  documents: readonly Doc[],
  change: (owned: Map<Address, Owned>) => void = () => {},
): Promise<Look> {
  const requested: string[][] = []
  const { connection, calling, kindNamed } = await world.acting(await world.newRun())
  const owned = new Map(await world.store.ownership.of((await world.stack()).id))
  change(owned)
  const recording: typeof connection = {
    ...connection,
    driver: (kind) => {
      const driver = connection.driver(kind)
      const read = (desired: readonly ResourceLookup[], signal: AbortSignal): ReturnType<typeof driver.read> => {
        requested.push(desired.map(textOf))
        return driver.read(desired, signal)
      }
      return driverWith(driver, { read })
    },
  }
  const found = await observe(
    { resources: declare(...documents), owned, kindNamed },
    { connection: recording, calling },
    never,
  )
  return { found, requested }
}

function textOf({ address, identity, key }: ResourceLookup): string {
  return [address, ...(identity === undefined ? [] : ['by identity']), ...(key === undefined ? [] : ['by key'])].join(
    ' ',
  )
}

const documents = [label('red', 'Red'), bucket('raw', 'raw', { labels: ['red'] })]

/** How many promises the work makes. */
async function promisesOf(work: () => Promise<unknown>): Promise<number> {
  let made = 0
  const hook = createHook({ init: (_, type) => void (type === 'PROMISE' && made++) }).enable()
  try {
    await work()
    return made
  } finally {
    hook.disable()
  }
}

test('owned resources are observed without waiting for each of them', async () => {
  const resources = declare(...Array.from({ length: 1_000 }, (_, n) => bucket(`b${n}`)))
  const { owned, observed } = settled(resources)
  await using world = new EngineWorld()
  const { connection, calling, kindNamed } = await world.acting(await world.newRun())
  const read = async (): Promise<ReadonlyMap<Address, Observed>> => observed
  const answering = { ...connection, driver: () => driverWith(connection.driver(resources[0]!.kind), { read }) }
  const made = await promisesOf(async () => {
    const found = await observe({ resources, owned, kindNamed }, { connection: answering, calling }, never)
    expect(found.size).toBe(resources.length)
  })
  expect(made).toBeLessThan(resources.length)
})

describe('observing a target', () => {
  test('reads each family once, and dependants after the resources they name', async () => {
    await using world = new EngineWorld()
    await world.apply(documents)
    world.driverCalls.length = 0
    const { found, requested } = await look(world, documents, (owned) => owned.clear())
    expect(requested).toEqual([['Label/red by key'], ['Bucket/raw by key'], ['LabelMapping/Bucket/raw/red by key']])
    // The first two begin at once: either may be recorded first.
    expect(world.driverCalls.slice(0, 2).sort()).toEqual(['read Bucket', 'read Label'])
    expect(world.driverCalls.slice(2)).toEqual(['read LabelMapping'])
    expect(Object.fromEntries([...found].map(([address, { identity }]) => [address, identity]))).toEqual(
      await world.owned(),
    )
  })

  test('finds owned resources by identity, and does not read a part whose ends do not exist', async () => {
    await using world = new EngineWorld()
    await world.apply([label('red', 'Red')])
    const { found, requested } = await look(world, documents)
    expect(requested).toEqual([['Label/red by identity by key'], ['Bucket/raw by key']])
    expect([...found.keys()]).toEqual(['Label/red'])
  })

  test('reads declared and owned resources once, and undeclared ones by identity', async () => {
    await using world = new EngineWorld()
    await world.apply([label('red', 'Red'), label('blue', 'Blue')])
    expect((await look(world, [label('red', 'Red')])).requested).toEqual([
      ['Label/red by identity by key', 'Label/blue by identity'],
    ])
    const nothing = await look(world, [])
    expect([nothing.requested, [...nothing.found.keys()]]).toEqual([
      [['Label/red by identity', 'Label/blue by identity']],
      ['Label/red', 'Label/blue'],
    ])
  })

  test('does not match a resource that will release its name', async () => {
    await using world = new EngineWorld()
    await world.apply([label('a', 'Red')])
    const { found } = await look(world, [label('a', 'Blue'), label('b', 'Red')])
    expect([...found.keys()]).toEqual(['Label/a'])
  })

  test('matches one of two resources with the same name: the owner, else the first', async () => {
    await using world = new EngineWorld()
    await world.apply([deadman('b', 'Load')])
    const both = [deadman('a', 'Load'), deadman('b', 'Load')]
    expect([...(await look(world, both)).found.keys()]).toEqual(['Check/b'])
    expect([...(await look(world, both, (owned) => owned.clear())).found.keys()]).toEqual(['Check/a'])
  })

  test('finds a shared resource by its key, also under another address', async () => {
    await using world = new EngineWorld()
    await world.apply([label('a', 'Red')])
    const shared = (owned: Map<Address, Owned>): void =>
      void owned.set(at('Label/a'), { ...owned.get(at('Label/a'))!, shared: true })
    const { found, requested } = await look(world, [label('a', 'Blue'), label('b', 'Red')], shared)
    expect(requested).toEqual([['Label/a by key', 'Label/b by key']])
    expect([...found.keys()]).toEqual(['Label/b'])
  })

  test('leaves a resource with a value that does not fit to the plan, which reports all of them', async () => {
    await using world = new EngineWorld()
    await world.apply(documents)
    const encode = (): never => {
      throw new InvalidPackage([], 'graph/late-value')
    }
    const declared = declare(...documents).map((one) =>
      one.address === 'Bucket/raw' ? { ...one, kind: { ...one.kind, encode } } : one,
    )
    const { connection, calling, kindNamed } = await world.acting(await world.newRun())
    const found = await observe({ resources: declared, owned: new Map(), kindNamed }, { connection, calling }, never)
    expect([...found.keys()]).toEqual(['Label/red'])
  })

  const names = Array.from({ length: 8 }, (_, i) => `l${i}`)
  const resources = declare(...names.map((name) => label(name)))
  const { owned } = settled(resources)

  test.each([
    ['declared resource', 1, { resources: resources.map((one) => slow(one, 'spec')), owned: new Map() }],
    ['declared resource that is owned', 1, { resources, owned: slowValues(owned, 'shared') }],
    ['owned resource', 1, { resources: [], owned: slowValues(owned, 'identity') }],
  ])('serves others between each %s', async (_, times, input) => {
    await using world = new EngineWorld()
    const { connection, calling, kindNamed } = await world.acting(await world.newRun())
    const work = observe({ ...input, kindNamed }, { connection, calling }, never)
    expect(await roundsDuring(work)).toBeGreaterThanOrEqual(times * names.length)
  })

  test('serves others between each resource that exists', async () => {
    await using world = new EngineWorld()
    const there = (): Observed => slow({ identity: idOf(1), actual: {} }, 'identity')
    world.around = (driver) =>
      driverWith(driver, { read: async (wanted) => new Map(wanted.map(({ address }) => [address, there()])) })
    const { connection, calling, kindNamed } = await world.acting(await world.newRun())
    const work = observe({ resources, owned: new Map(), kindNamed }, { connection, calling }, never)
    expect(await roundsDuring(work)).toBeGreaterThanOrEqual(names.length)
  })
})

function slowValues<T extends object>(values: ReadonlyMap<Address, T>, field: string): Map<Address, T> {
  return new Map([...values].map(([address, value]) => [address, slow(value, field as keyof T & string)]))
}
