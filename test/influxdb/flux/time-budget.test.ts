import { expect, test } from 'vitest'
import { TimeBudget } from '../../../src/influxdb/flux/time-budget.js'

function patient(): { readonly patience: TimeBudget; readonly advance: (ms: number) => void } {
  let now = 5_000
  const advance = (ms: number): void => void (now += ms)
  return { patience: new TimeBudget({ firstMs: 5_000, afterTimeoutMs: 200, perMinuteMs: 10_000 }, () => now), advance }
}

test('a fast answer does not use the budget', () => {
  const { patience } = patient()
  for (let i = 0; i < 10_000; i++) patience.spend(24, false)
  expect(patience.next()).toBe(5_000)
})

test('after one that took its whole time the others are hurried, for a minute', () => {
  const { patience, advance } = patient()
  patience.spend(5_000, true)
  expect(patience.next()).toBe(200)
  advance(59_999)
  expect(patience.next()).toBe(200)
  advance(1)
  expect(patience.next()).toBe(5_000)
})

test('of a minute nothing is left after ten seconds, answered or not', () => {
  const { patience, advance } = patient()
  patience.spend(4_900, false)
  expect(patience.next()).toBe(5_000)
  patience.spend(4_900, false)
  expect(patience.next()).toBe(200)
  patience.spend(200, true)
  expect(patience.next()).toBeUndefined()
  advance(60_000)
  expect(patience.next()).toBe(5_000)
})

test('however many there are, a minute costs little more than ten seconds', () => {
  const { patience, advance } = patient()
  let spent = 0
  for (let i = 0; i < 1_000; i++) {
    const ms = patience.next()
    if (ms === undefined) break
    patience.spend(ms + 20, true) // a thread that is ended begins again
    advance(ms + 20)
    spent += ms + 20
  }
  expect(spent).toBeGreaterThanOrEqual(10_000)
  expect(spent).toBeLessThan(10_300)
})
