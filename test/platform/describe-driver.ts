// What every driver must do (src/platform/platform.ts, docs/reference/platform-contract.md). An author of a platform
// calls it with samples of each kind.
import { beforeEach, describe, expect, test } from 'vitest'
import type { Address, Identity } from '../../src/model/address.js'
import { Rejected } from '../../src/model/errors.js'
import type { JsonObject } from '../../src/model/json.js'
import type { Kind } from '../../src/model/resources/kind.js'
import type { Observed } from '../../src/model/resources/resource.js'
import type { Connection, Driver, ResourceLookup, ResourceWatches } from '../../src/platform/platform.js'
import { openTarget, never, type PlatformWorld } from './platform-world.js'

/** States of two resources of a kind: `state` and `other` have different keys. */
export interface DriverSample {
  readonly kind: string
  readonly apiVersion: string
  readonly state: JsonObject
  readonly other: JsonObject
  /** `state` with another value of a field. */
  readonly changed: JsonObject
  /** `state` with a field that may be absent. */
  readonly longer?: JsonObject
  /** The kind has no key (`KindMatching`): several resources may have one name. */
  readonly unkeyed?: true
  /** The identity is the key, such as a path: a resource that is made again has the same one. */
  readonly natural?: true
  /** The driver reports changes. */
  readonly watched?: true
}

/** `open`: gives an empty target each time. */
export function describeDriver(
  name: string,
  open: () => Promise<PlatformWorld>,
  samples: readonly DriverSample[],
): void {
  describe.each(samples)(`the driver of ${name} for $kind`, ({ kind: kindName, apiVersion, ...sample }) => {
    const { state, other, changed, longer, unkeyed = false, natural = false, watched = false } = sample
    const nowhere = 'ffffffffffffffff' as Identity
    let connection: Connection
    let kind: Kind
    let driver: Driver
    let openSecond: () => Promise<Connection>
    beforeEach(async () => {
      const world = await open()
      const opened = await openTarget(world)
      openSecond = async () => (await openTarget(world)).connection
      connection = opened.connection
      kind = opened.kind(kindName, apiVersion)
      driver = connection.driver(kind)
      return () => connection[Symbol.asyncDispose]()
    })
    const make = (made: JsonObject): Promise<Observed> => driver.create(made, driver.trace(made), never)
    const read = (lookup: Omit<ResourceLookup, 'address'>): Promise<Observed | undefined> => readOne(driver, lookup)
    const keyOf = (one: JsonObject): { readonly key?: string } => {
      const key = kind.matching?.key(kind.normalise(one))
      return key === undefined ? {} : { key }
    }

    test('a resource is found by its trace, from its creation on', async () => {
      const trace = driver.trace(state)
      expect(await driver.find(trace, never)).toBeUndefined()
      const made = await driver.create(state, trace, never)
      expect(await driver.find(trace, never)).toEqual(made)
    })

    test('a trace can be stored as JSON, and is found after that', async () => {
      const trace = driver.trace(state)
      const stored = JSON.parse(JSON.stringify(trace)) as typeof trace
      expect(stored).toEqual(trace)
      const made = await driver.create(state, trace, never)
      expect(await driver.find(stored, never)).toEqual(made)
    })

    test('a trace never finds a resource of another create', async () => {
      await make(state)
      expect(await driver.find(driver.trace(other), never)).toBeUndefined()
      if (!natural) expect(await driver.find(driver.trace(state), never)).toBeUndefined()
    })

    test('the sample says whether the kind has a key', () => {
      expect(keyOf(state)).not.toEqual(unkeyed ? { key: expect.anything() as string } : {})
      if (!unkeyed) expect(keyOf(state)).not.toEqual(keyOf(other))
    })

    test('a state that was written is read back, so the next plan has no changes', async () => {
      const made = await make(state)
      const written = await driver.update(made, state, never)
      expect(written.actual).toMatchObject(state)
      expect(kind.normalise(written.actual)).toMatchObject(kind.normalise(state))
      expect(await read({ identity: made.identity })).toEqual(written)
    })

    test('a resource is read by its identity, whatever else exists', async () => {
      const made = await make(state)
      await make(other)
      expect(await read({ identity: made.identity })).toEqual(made)
      expect(await read({ identity: made.identity, ...keyOf(other) })).toEqual(made)
    })

    test('what does not exist is absent from the map', async () => {
      await make(other)
      expect(await read({ identity: nowhere, ...keyOf(state) })).toBeUndefined()
    })

    test('many resources are read at once, each under its address', async () => {
      const [one, two] = [await make(state), await make(other)]
      const lookups = [one, two, one, { identity: nowhere }].map(({ identity }, at) => ({
        address: `Any/${at}` as Address,
        identity,
      }))
      const found = await driver.read(lookups, never)
      expect([...found].sort(([a], [b]) => (a < b ? -1 : 1))).toEqual([
        ['Any/0', one],
        ['Any/1', two],
        ['Any/2', one],
      ])
    })

    test('an update keeps the identity, and may be repeated', async () => {
      const made = await make(state)
      const now = await driver.update(made, changed, never)
      expect(now.identity).toBe(made.identity)
      expect(now.readOnly?.['createdAt']).toEqual(made.readOnly?.['createdAt'])
      expect(kind.normalise(now.actual)).toMatchObject(kind.normalise(changed))
      expect(await driver.update(made, changed, never)).toMatchObject({ identity: now.identity, actual: now.actual })
      expect(await read({ identity: made.identity })).toMatchObject({ identity: now.identity, actual: now.actual })
    })

    if (longer !== undefined)
      test('an update clears fields that its state lacks', async () => {
        const made = await make(longer)
        const plain = await make(other)
        const { actual } = await driver.update(made, state, never)
        expect(Object.keys(actual).sort()).toEqual(Object.keys(plain.actual).sort())
      })

    test('a removal may be repeated', async () => {
      const made = await make(state)
      await driver.remove(made, never)
      expect(await read({ identity: made.identity, ...keyOf(state) })).toBeUndefined()
      await expect(driver.remove(made, never)).resolves.toBeUndefined()
    })

    test('nothing is removed as a leftover of a resource that exists, or that never did', async () => {
      const made = await make(state)
      await driver.removeLeftovers?.(made.identity, never)
      await driver.removeLeftovers?.(nowhere, never)
      expect((await read({ identity: made.identity }))?.actual).toEqual(made.actual)
    })

    test('a removed resource cannot be updated', async () => {
      const made = await make(state)
      await driver.remove(made, never)
      await expect(driver.update(made, changed, never)).rejects.toBeInstanceOf(Rejected)
      expect(await read({ identity: made.identity })).toBeUndefined()
    })

    test('a removed resource can be created again', async () => {
      const made = await make(state)
      await driver.remove(made, never)
      const again = await make(state)
      expect(again.identity === made.identity).toBe(natural)
      expect(await read({ identity: again.identity })).toEqual(again)
    })

    test('resources are in the listing of the target until they are removed', async () => {
      const [one, two] = [await make(state), await make(other)]
      const listed = async (): Promise<readonly Observed[]> =>
        (await connection.list({ limit: 500 }, never))
          .filter(({ family, observed }) => family === kind.family && [one, two].some(sameIdentity(observed)))
          .map(({ observed }) => observed)
      expect(await listed()).toEqual(expect.arrayContaining([one, two]))
      await driver.remove(one, never)
      expect(await listed()).toEqual([two])
    })

    test('the sample says whether the driver reports changes', () => {
      expect(driver.watch !== undefined).toBe(watched)
    })

    if (watched) {
      const watch = async (...all: readonly Observed[]): Promise<Watched> => {
        const watching = new Watched(driver)
        await watching.add(all)
        return watching
      }

      test('a resource that is watched reports each change and its removal, from the end of `add` on', async () => {
        const [one, two] = [await make(state), await make(other)]
        await using watching = await watch(one, two)
        const now = await driver.update(one, changed, never)
        await watching.until([one.identity])
        await driver.update(now, state, never)
        await watching.until([one.identity])
        await driver.remove(two, never)
        await watching.until([two.identity])
      })

      test('a change that another connection makes is reported, too', async () => {
        const made = await make(state)
        await using watching = await watch(made)
        await using second = await openSecond()
        await second.driver(kind).update(made, changed, never)
        await watching.until([made.identity])
      })

      test('what is not watched, or no longer, reports nothing', async () => {
        const [one, two] = [await make(state), await make(other)]
        await using watching = await watch(one)
        await driver.remove(two, never)
        await driver.update(one, changed, never)
        await watching.until([one.identity])
        watching.drop(one)
        await watching.add([])
        await driver.remove(one, never)
        const third = await make(other)
        await using control = await watch(third)
        await driver.remove(third, never)
        await control.untilAny()
        expect(watching.woken).toEqual([])
      })
    }

    if (unkeyed) {
      test('two resources may have one name', async () => {
        const first = await make(state)
        expect((await make(state)).identity).not.toBe(first.identity)
      })
      return
    }

    test('a resource is read by its key without an identity, or if the identity does not exist', async () => {
      const made = await make(state)
      expect(await read(keyOf(state))).toEqual(made)
      expect(await read({ ...keyOf(state), identity: nowhere })).toEqual(made)
    })

    test('a key is unique: a second resource is refused, and leaves nothing behind', async () => {
      const made = await make(state)
      const trace = driver.trace(state)
      await expect(driver.create(state, trace, never)).rejects.toBeInstanceOf(Rejected)
      expect(await driver.find(trace, never)).toEqual(natural ? made : undefined)
    })

    if (!natural)
      test('a key cannot be taken by an update, and is free after its owner gives it up', async () => {
        const [first, second] = [await make(state), await make(other)]
        await expect(driver.update(second, state, never)).rejects.toBeInstanceOf(Rejected)
        await driver.remove(second, never)
        await driver.update(first, other, never)
        expect((await make(state)).identity).not.toBe(first.identity)
      })
  })
}

/** Watches of resources, under their identities as addresses. */
class Watched implements AsyncDisposable {
  woken: string[] = []
  readonly #watching: ResourceWatches
  #changed: () => void = () => {}

  constructor(driver: Driver) {
    this.#watching = driver.watch!({
      woken: (address) => {
        this.woken.push(address)
        this.#changed()
      },
      lost: (_, why) => {
        throw why
      },
    })
  }

  add(all: readonly Observed[]): Promise<void> {
    return this.#watching.add(all.map(({ identity }) => ({ address: identity as string as Address, identity })))
  }

  drop({ identity }: Observed): void {
    this.#watching.drop([identity as string as Address])
  }

  /** Waits for wake-ups of all of these and of nothing else, and forgets them. */
  async until(identities: readonly Identity[]): Promise<void> {
    while (identities.some((one) => !this.woken.includes(one))) await this.untilAny()
    expect(this.woken.filter((one) => !identities.includes(one as Identity))).toEqual([])
    this.woken = []
  }

  async untilAny(): Promise<void> {
    if (this.woken.length === 0) await new Promise<void>((resolve) => (this.#changed = resolve))
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#watching[Symbol.asyncDispose]()
  }
}

function sameIdentity({ identity }: Observed): (other: Observed) => boolean {
  return (other) => other.identity === identity
}

async function readOne(driver: Driver, lookup: Omit<ResourceLookup, 'address'>): Promise<Observed | undefined> {
  const address = 'Any/one' as Address
  return (await driver.read([{ address, ...lookup }], never)).get(address)
}
