import { setImmediate as nextRound } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { finish, inSlices, Slices, type Steps } from '../../../src/lib/async/steps.js'

afterEach(() => vi.restoreAllMocks())

function holdLoop(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

function* longSteps(count: number): Steps<number> {
  for (let at = 0; at < count; at++) {
    holdLoop(11)
    yield
  }
  return count
}

test('steps have the same result at once and in slices', async () => {
  expect(finish(longSteps(2))).toBe(2)
  expect(await inSlices(longSteps(2))).toBe(2)
})

test('runs one slice in each round of the event loop, for any number of callers', async () => {
  const progress = { rounds: 0, done: false }
  const all = Promise.all(Array.from({ length: 5 }, () => inSlices(longSteps(2)))).then(() => (progress.done = true))
  for (; !progress.done; progress.rounds++) await nextRound()
  await all
  expect(progress.rounds).toBeGreaterThanOrEqual(10)
})

test('asynchronous work pauses when its slice ends', async () => {
  let now = performance.now() + 10 // after any slice in progress
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const turns = new Slices()
  await turns.afterStep()
  now += 9
  expect(turns.afterStep()).toBeUndefined()
  now += 1
  expect(turns.afterStep()).toBeInstanceOf(Promise)
})

test('work ends when its signal aborts', async () => {
  const controller = new AbortController()
  const work = inSlices(longSteps(1_000), controller.signal)
  const async = (async (): Promise<void> => {
    const turns = new Slices(controller.signal)
    for (;;) {
      holdLoop(1)
      await turns.afterStep()
    }
  })()
  controller.abort(new Error('stopped'))
  await Promise.all([work, async].map((one) => expect(one).rejects.toThrow('stopped')))
})
