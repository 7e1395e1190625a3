import { expect, test } from 'vitest'
import { TimerHeap } from '../../../src/agent/schedule/timer-heap.js'
import { Dice } from '../../random/dice.js'

test('timers that are due are taken once, the earliest first', () => {
  const timers = new TimerHeap(() => {})
  timers.set('late', 30)
  timers.set('soon', 10)
  timers.set('middle', 20)
  expect(timers.take(20)).toEqual(['soon', 'middle'])
  expect(timers.take(20)).toEqual([])
  expect(timers.next()).toBe(30)
})

test('a timer that is set again is due at its new time only', () => {
  const timers = new TimerHeap(() => {})
  timers.set('stack', 10)
  timers.set('stack', 30)
  expect(timers.take(20)).toEqual([])
  expect(timers.take(30)).toEqual(['stack'])
})

test('atLatest makes a timer earlier, never later', () => {
  const timers = new TimerHeap(() => {})
  timers.set('remote', 20)
  timers.atLatest('remote', 30)
  expect(timers.get('remote')).toBe(20)
  timers.atLatest('remote', 10)
  expect(timers.get('remote')).toBe(10)
})

test('the callback is called only for a time earlier than all others', () => {
  let wakes = 0
  const timers = new TimerHeap(() => wakes++)
  timers.set('a', 20)
  timers.set('b', 30)
  timers.set('c', 10)
  expect(wakes).toBe(2)
})

test('it behaves like a plain list over many random steps', () => {
  const dice = new Dice(4)
  const timers = new TimerHeap(() => {})
  const plain = new Map<string, number>()
  for (let turn = 0; turn < 20_000; turn++) {
    const key = `stack ${dice.below(50)}`
    const at = dice.below(1_000)
    if (dice.chance(10)) {
      timers.delete(key)
      plain.delete(key)
    } else if (dice.chance(5)) {
      const due = [...plain].filter(([, when]) => when <= at).map(([one]) => one)
      for (const one of due) plain.delete(one)
      expect([...timers.take(at)].sort()).toEqual(due.sort())
    } else {
      timers.set(key, at)
      plain.set(key, at)
    }
    expect(timers.next()).toBe(Math.min(Number.POSITIVE_INFINITY, ...plain.values()))
  }
})
