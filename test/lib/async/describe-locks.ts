// What every implementation of locks promises.
import { describe, expect, test } from 'vitest'
import { withLock, type HeldLock, type Locks } from '../../../src/lib/async/locks.js'

const never = new AbortController().signal

/** Lets everything that can go on go on. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** `open`: gives locks that nobody holds. */
export function describeLocks(name: string, open: () => Locks): void {
  /** Acquires the lock `a` so many times. `held`: those that were given, by number. */
  function line(locks: Locks, count: number): { readonly held: Map<number, HeldLock> } {
    const held = new Map<number, HeldLock>()
    for (let at = 0; at < count; at++) void locks.acquire('a', never).then((lock) => held.set(at, lock))
    return { held }
  }

  describe(name, () => {
    test('gives a lock to one holder at a time, in order of arrival', async () => {
      const { held } = line(open(), 3)
      for (const at of [0, 1, 2]) {
        await settled()
        expect([...held.keys()].at(-1)).toBe(at)
        expect(held.size).toBe(at + 1)
        held.get(at)![Symbol.dispose]()
      }
    })

    test('gives a shared lock to all who share it, and after them to one alone', async () => {
      const locks = open()
      const order: string[] = []
      const held = new Map<string, HeldLock>()
      const take = (who: string, lock: Promise<HeldLock>): void =>
        void lock.then((one) => (order.push(who), held.set(who, one)))
      take('shares 1', locks.share('a', never))
      take('shares 2', locks.share('a', never))
      take('alone 1', locks.acquire('a', never))
      take('shares 3', locks.share('a', never))
      take('shares 4', locks.share('a', never))
      take('alone 2', locks.acquire('a', never))
      await settled()
      expect(order).toEqual(['shares 1', 'shares 2'])
      held.get('shares 1')![Symbol.dispose]()
      await settled()
      expect(order, 'one of two still holds it').toHaveLength(2)
      held.get('shares 2')![Symbol.dispose]()
      await settled()
      expect(order.slice(2), 'who came later waits, even to share it').toEqual(['alone 1'])
      held.get('alone 1')![Symbol.dispose]()
      await settled()
      expect(order.slice(3)).toEqual(['shares 3', 'shares 4'])
      for (const who of ['shares 3', 'shares 4']) held.get(who)![Symbol.dispose]()
      await settled()
      expect(order.at(-1)).toBe('alone 2')
      held.get('alone 2')![Symbol.dispose]()
      expect(locks.isHeld('a')).toBe(false)
    })

    test('lets others share a lock when one stops waiting to have it alone', async () => {
      const locks = open()
      const stop = new AbortController()
      using _first = await locks.share('a', never)
      const alone = locks.acquire('a', stop.signal)
      const second = locks.share('a', never)
      stop.abort(new Error('stopped'))
      await expect(alone).rejects.toThrow('stopped')
      using _second = await second
    })

    test('gives locks of other names meanwhile', async () => {
      const locks = open()
      using one = await locks.acquire('a', never)
      using other = await locks.acquire('b', never)
      expect([one, other]).toHaveLength(2)
    })

    test('gives each holder a higher token than those before', async () => {
      const locks = open()
      const tokens: number[] = []
      const stop = new AbortController()
      for (let at = 0; at < 3; at++) {
        const lock = await locks.acquire('a', never)
        const waiting = locks.acquire('a', stop.signal)
        stop.abort(new Error('stopped'))
        await expect(waiting).rejects.toThrow('stopped')
        tokens.push(lock.token)
        lock[Symbol.dispose]()
      }
      expect(tokens[0]! < tokens[1]! && tokens[1]! < tokens[2]!).toBe(true)
    })

    test('rejects with the reason of a signal that aborts while it waits, and the next one gets the lock', async () => {
      const locks = open()
      const stop = new AbortController()
      const first = await locks.acquire('a', never)
      const stopped = locks.acquire('a', stop.signal)
      const last = locks.acquire('a', never)
      const why = new Error('stopped')
      stop.abort(why)
      await expect(stopped).rejects.toBe(why)
      first[Symbol.dispose]()
      using _held = await last
      expect(locks.isHeld('a')).toBe(true)
    })

    test('rejects with the reason of a signal that aborted before, and the lock stays free', async () => {
      const locks = open()
      const why = new Error('stopped')
      await expect(locks.acquire('a', AbortSignal.abort(why))).rejects.toBe(why)
      expect(locks.isHeld('a')).toBe(false)
    })

    test('loses no lock if the signal aborts as its turn comes', async () => {
      const locks = open()
      const stop = new AbortController()
      const first = await locks.acquire('a', never)
      const second = locks.acquire('a', stop.signal)
      first[Symbol.dispose]()
      stop.abort(new Error('stopped'))
      const held = await second.catch(() => undefined)
      held?.[Symbol.dispose]()
      using _third = await locks.acquire('a', never)
    })

    test('releases a lock once: a second time does not take it from the next holder', async () => {
      const locks = open()
      const { held } = line(locks, 3)
      await settled()
      held.get(0)![Symbol.dispose]()
      await settled()
      held.get(0)![Symbol.dispose]()
      await settled()
      expect([...held.keys()]).toEqual([0, 1])
    })

    test('is not reentrant: a holder that acquires the same lock waits until its signal aborts', async () => {
      const locks = open()
      const stop = new AbortController()
      using _held = await locks.acquire('a', never)
      let given = false
      const again = locks.acquire('a', stop.signal).then(() => (given = true))
      await settled()
      expect(given).toBe(false)
      stop.abort(new Error('stopped'))
      await expect(again).rejects.toThrow('stopped')
    })

    test('keeps nothing of a lock after work that succeeded, failed or was never begun', async () => {
      const locks = open()
      const begun: string[] = []
      const work = (what: string, result: Promise<unknown>): Promise<unknown> => (begun.push(what), result)
      await withLock(locks, 'a', never, () => work('succeeds', Promise.resolve()))
      const failing = withLock(locks, 'a', never, () => work('fails', Promise.reject(new Error('failed'))))
      await expect(failing).rejects.toThrow('failed')
      const thrown = withLock(locks, 'a', never, () => {
        throw new Error('thrown')
      })
      await expect(thrown).rejects.toThrow('thrown')
      const stopped = withLock(locks, 'a', AbortSignal.abort(new Error('stopped')), () =>
        work('never', Promise.resolve()),
      )
      await expect(stopped).rejects.toThrow('stopped')
      expect([begun, locks.isHeld('a')]).toEqual([['succeeds', 'fails'], false])
    })
  })
}
