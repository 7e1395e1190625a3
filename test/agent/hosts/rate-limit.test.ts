import { expect, test } from 'vitest'
import { RateLimit } from '../../../src/agent/hosts/rate-limit.js'
import { ManualClock } from '../../manual-clock.js'

function open(): {
  readonly clock: ManualClock
  readonly stop: AbortController
  readonly come: (key: string, urgent?: boolean) => void
  readonly gate: RateLimit
  readonly passed: readonly string[]
} {
  const clock = new ManualClock()
  const stop = new AbortController()
  const gate = new RateLimit({ perSecond: 10, burst: 2 }, clock, stop.signal)
  const passed: string[] = []
  const come = (key: string, urgent = false): void =>
    void gate.take(key, urgent).then(
      () => passed.push(key),
      () => passed.push(`${key} was stopped`),
    )
  return { clock, stop, come, gate, passed }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function advance(clock: ManualClock, ms: number): Promise<void> {
  await settled()
  clock.advance(ms)
  await settled()
}

test('those beyond the burst pass one after the other, in the order they came', async () => {
  const { clock, come, gate, passed } = open()
  for (const key of ['a', 'b', 'c', 'd']) come(key)
  await settled()
  expect(passed).toEqual(['a', 'b'])
  expect([gate.waiting, gate.longestMs]).toEqual([2, 200])
  await advance(clock, 100)
  expect(passed).toEqual(['a', 'b', 'c'])
  await advance(clock, 100)
  expect(passed).toEqual(['a', 'b', 'c', 'd'])
})

test('an urgent poll goes before all that wait, and takes no more than its turn', async () => {
  const { clock, come, passed } = open()
  for (const key of ['a', 'b', 'c', 'd']) come(key)
  come('e', true)
  await advance(clock, 100)
  expect(passed).toEqual(['a', 'b', 'e'])
  await advance(clock, 200)
  expect(passed).toEqual(['a', 'b', 'e', 'c', 'd'])
})

test('a waiting poll can be put first', async () => {
  const { clock, come, gate, passed } = open()
  for (const key of ['a', 'b', 'c', 'd']) come(key)
  gate.prioritise('d')
  await advance(clock, 100)
  expect(passed).toEqual(['a', 'b', 'd'])
})

test('waiting polls are rejected when the agent stops', async () => {
  const { come, stop, passed } = open()
  for (const key of ['a', 'b', 'c']) come(key)
  stop.abort(new Error('stop'))
  await settled()
  expect(passed).toEqual(['a', 'b', 'c was stopped'])
})
