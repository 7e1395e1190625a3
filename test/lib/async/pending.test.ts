import { expect, test } from 'vitest'
import { mayPend, Pending, whenReady, whenStepsReady, withinStep } from '../../../src/lib/async/pending.js'
import { finish, inSlices, type Steps } from '../../../src/lib/async/steps.js'

/** Has an answer after the first wait; callers that may not wait get another one. */
function openQuestion(): { readonly ask: () => string; readonly pending: () => number } {
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
    if (known !== undefined || !mayPend()) return known ?? 'blocked for'
    pending++
    throw new Pending(ready())
  }
  return { ask, pending: () => pending }
}

function* work(ask: () => string): Steps<string> {
  yield
  return yield* whenReady(() => `it was ${ask()}`)
}

test('awaited steps are interrupted, and repeated with the answer', async () => {
  const { ask, pending } = openQuestion()
  expect(await inSlices(work(ask))).toBe('it was waited for')
  expect(pending()).toBe(1)
})

test('work in steps is repeated from its beginning with the answer', async () => {
  const { ask, pending } = openQuestion()
  const steps: string[] = []
  function* long(): Generator<void, string, void> {
    for (const step of ['first', 'second']) {
      steps.push(step)
      yield
    }
    return ask()
  }
  expect(await inSlices(whenStepsReady(long))).toBe('waited for')
  expect([pending(), steps]).toEqual([1, ['first', 'second', 'first', 'second']])
  expect(withinStep(long())).toBe('waited for')
})

test('steps that are not awaited block, also inside awaited steps', async () => {
  expect(finish(work(openQuestion().ask))).toBe('it was blocked for')
  function* around(): Steps<string> {
    yield
    return finish(work(openQuestion().ask))
  }
  expect(await inSlices(around())).toBe('it was blocked for')
})

test('work that must not be repeated is never interrupted', async () => {
  const { ask } = openQuestion()
  function* bare(): Steps<string> {
    yield
    return ask()
  }
  expect(await inSlices(bare())).toBe('blocked for')
  expect(mayPend()).toBe(false)
})

test('waiting for an answer can be aborted', async () => {
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

test('work that never gets its answer blocks in the end', async () => {
  let asks = 0
  const never = (): string => {
    asks++
    if (mayPend()) throw new Pending(Promise.resolve())
    return 'blocked for'
  }
  expect(await inSlices(work(never))).toBe('it was blocked for')
  expect(asks).toBe(1_001)
})

test('errors of the work are thrown', async () => {
  const failing = (): never => {
    throw new Error('broken')
  }
  await expect(inSlices(work(failing))).rejects.toThrow('broken')
  expect(mayPend()).toBe(false)
})
