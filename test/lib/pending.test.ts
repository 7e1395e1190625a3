import { expect, test } from 'vitest'
import { mayPend, Pending, whenReady } from '../../src/lib/pending.js'
import { finish, inSlices, type Steps } from '../../src/lib/steps.js'

/** Knows an answer once it was waited for; whoever may not wait gets another one. */
function asked(): { readonly ask: () => string; readonly pending: () => number } {
  let known: string | undefined
  let pending = 0
  const ready = (): Promise<void> =>
    new Promise((resolve) => {
      setImmediate(() => {
        known = 'waited for'
        resolve()
      })
    })
  const ask = (): string => {
    if (known !== undefined || !mayPend()) return known ?? 'stood still for'
    pending++
    throw new Pending(ready())
  }
  return { ask, pending: () => pending }
}

function* work(ask: () => string): Steps<string> {
  yield
  return yield* whenReady(() => `it was ${ask()}`)
}

test('who awaits the steps is interrupted, and asks again when the answer is there', async () => {
  const { ask, pending } = asked()
  expect(await inSlices(work(ask))).toBe('it was waited for')
  expect(pending()).toBe(1)
})

test('who does not await them stands still, also inside of steps that are awaited', async () => {
  expect(finish(work(asked().ask))).toBe('it was stood still for')
  function* around(): Steps<string> {
    yield
    return finish(work(asked().ask))
  }
  expect(await inSlices(around())).toBe('it was stood still for')
})

test('outside of what may be done again nobody is interrupted', async () => {
  const { ask } = asked()
  function* bare(): Steps<string> {
    yield
    return ask()
  }
  expect(await inSlices(bare())).toBe('stood still for')
  expect(mayPend()).toBe(false)
})

test('who waits for an answer can be stopped', async () => {
  const controller = new AbortController()
  function* endless(): Steps<void> {
    yield* whenReady(() => {
      throw new Pending(new Promise(() => {}))
    })
  }
  const stopped = expect(inSlices(endless(), controller.signal)).rejects.toThrow('stopped')
  setImmediate(() => controller.abort(new Error('stopped')))
  await stopped
})

test('what never has its answer stands still in the end', async () => {
  let asks = 0
  const never = (): string => {
    asks++
    if (mayPend()) throw new Pending(Promise.resolve())
    return 'stood still for'
  }
  expect(await inSlices(work(never))).toBe('it was stood still for')
  expect(asks).toBe(1_001)
})

test('what the work throws is thrown', async () => {
  const failing = (): never => {
    throw new Error('broken')
  }
  await expect(inSlices(work(failing))).rejects.toThrow('broken')
  expect(mayPend()).toBe(false)
})
