import { expect, test } from 'vitest'
import { TimerHeap } from '../../../src/agent/schedule/timer-heap.js'
import { Dice } from '../../random/dice.js'

test('what is due is taken out once, the earliest first', () => {
  const timetable = new TimerHeap(() => {})
  timetable.set('late', 30)
  timetable.set('soon', 10)
  timetable.set('middle', 20)
  expect(timetable.take(20)).toEqual(['soon', 'middle'])
  expect(timetable.take(20)).toEqual([])
  expect(timetable.next()).toBe(30)
})

test('what is set anew is due then, and only then', () => {
  const timetable = new TimerHeap(() => {})
  timetable.set('stack', 10)
  timetable.set('stack', 30)
  expect(timetable.take(20)).toEqual([])
  expect(timetable.take(30)).toEqual(['stack'])
})

test('atLatest brings forward and never puts off', () => {
  const timetable = new TimerHeap(() => {})
  timetable.set('remote', 20)
  timetable.atLatest('remote', 30)
  expect(timetable.get('remote')).toBe(20)
  timetable.atLatest('remote', 10)
  expect(timetable.get('remote')).toBe(10)
})

test('the callback is called only for a time earlier than all others', () => {
  let told = 0
  const timetable = new TimerHeap(() => told++)
  timetable.set('a', 20)
  timetable.set('b', 30)
  timetable.set('c', 10)
  expect(told).toBe(2)
})

test('over many random turns it is what a plain list is', () => {
  const dice = new Dice(4)
  const timetable = new TimerHeap(() => {})
  const plain = new Map<string, number>()
  for (let turn = 0; turn < 20_000; turn++) {
    const key = `stack ${dice.below(50)}`
    const at = dice.below(1_000)
    if (dice.chance(10)) {
      timetable.delete(key)
      plain.delete(key)
    } else if (dice.chance(5)) {
      const due = [...plain].filter(([, when]) => when <= at).map(([one]) => one)
      for (const one of due) plain.delete(one)
      expect([...timetable.take(at)].sort()).toEqual(due.sort())
    } else {
      timetable.set(key, at)
      plain.set(key, at)
    }
    expect(timetable.next()).toBe(Math.min(Number.POSITIVE_INFINITY, ...plain.values()))
  }
})
