import { setImmediate as nextRound } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { finish, inTurns, Turns, type Steps } from '../../src/model/turns.js'

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

test('work in steps gives the same at once and in turns', async () => {
  expect(finish(longSteps(2))).toBe(2)
  expect(await inTurns(longSteps(2))).toBe(2)
})

test('whatever the number of callers, one slice is worked on in each round of the loop', async () => {
  const progress = { rounds: 0, done: false }
  const all = Promise.all(Array.from({ length: 5 }, () => inTurns(longSteps(2)))).then(() => (progress.done = true))
  for (; !progress.done; progress.rounds++) await nextRound()
  await all
  expect(progress.rounds).toBeGreaterThanOrEqual(10)
})

test('asynchronous work pauses once its slice is used up', async () => {
  const turns = new Turns()
  await turns.took()
  expect(turns.took()).toBeUndefined()
  holdLoop(11)
  expect(turns.took()).toBeInstanceOf(Promise)
})

test('work ends where its signal is aborted', async () => {
  const controller = new AbortController()
  const work = inTurns(longSteps(1_000), controller.signal)
  const async = (async (): Promise<void> => {
    const turns = new Turns(controller.signal)
    for (;;) {
      holdLoop(1)
      await turns.took()
    }
  })()
  controller.abort(new Error('stopped'))
  await expect(work).rejects.toThrow('stopped')
  await expect(async).rejects.toThrow('stopped')
})
