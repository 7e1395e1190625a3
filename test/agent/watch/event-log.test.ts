import { expect, test } from 'vitest'
import { EventLog } from '../../../src/agent/watch/event-log.js'
import type { NumberedEvent } from '../../../src/model/event.js'
import { ManualClock } from '../../manual-clock.js'

function tell(happenings: EventLog, ...names: readonly string[]): void {
  for (const name of names) happenings.publish({ type: 'stack.changed', stack: name, name })
}

function listener(): {
  readonly heard: () => readonly string[]
  readonly ids: () => readonly string[]
  readonly hear: (one: NumberedEvent) => void
} {
  const all: NumberedEvent[] = []
  const heard = (): readonly string[] => all.map(({ event }) => ('name' in event ? event.name : event.type))
  return { heard, ids: () => all.map(({ id }) => id), hear: (one) => void all.push(one) }
}

test('a listener gets the events from its subscription to its end', () => {
  const happenings = new EventLog(new ManualClock())
  const { heard, hear } = listener()
  tell(happenings, 'a')
  const listening = happenings.subscribe(undefined, hear)
  tell(happenings, 'b', 'c')
  listening.stop()
  tell(happenings, 'd')
  expect(heard()).toEqual(['b', 'c'])
  expect(listening.missed).toBe(false)
})

test('a listener that reconnects gets the missed events, in order and once', () => {
  const happenings = new EventLog(new ManualClock())
  const first = listener()
  happenings.subscribe(undefined, first.hear).stop()
  const begin = happenings.subscribe(undefined, first.hear)
  tell(happenings, 'a')
  begin.stop()
  tell(happenings, 'b', 'c')
  const second = listener()
  expect(happenings.subscribe(first.ids()[0], second.hear).missed).toBe(false)
  tell(happenings, 'd')
  expect(second.heard()).toEqual(['b', 'c', 'd'])
})

test('a listener can reconnect to the beginning of its subscription, also without events', () => {
  const happenings = new EventLog(new ManualClock())
  const { id, stop } = happenings.subscribe(undefined, () => {})
  stop()
  tell(happenings, 'a')
  const { heard, hear } = listener()
  expect(happenings.subscribe(id, hear).missed).toBe(false)
  expect(heard()).toEqual(['a'])
})

test('a thousand events are kept; a listener that knows none of them is told that it missed some', () => {
  const happenings = new EventLog(new ManualClock())
  const { id } = happenings.subscribe(undefined, () => {})
  tell(happenings, ...Array.from({ length: 2_500 }, (_, at) => `s${at}`))
  const nobody = listener()
  expect(happenings.subscribe(id, nobody.hear).missed).toBe(true)
  expect(nobody.heard()).toEqual([])
  const back = listener()
  expect(happenings.subscribe(`${id.split('-')[0]}-1500`, back.hear).missed).toBe(false)
  expect(back.heard()).toEqual(Array.from({ length: 1_000 }, (_, at) => `s${1_500 + at}`))
  expect(happenings.subscribe(`${id.split('-')[0]}-1499`, nobody.hear).missed).toBe(true)
})

test.each(['', '-', 'abc', '00000000-1', 'THIS-', 'THIS-x', 'THIS-1e400', 'THIS--1', 'THIS-99'])(
  '%j is no place to come back to',
  (given) => {
    const happenings = new EventLog(new ManualClock())
    const { id } = happenings.subscribe(undefined, () => {})
    tell(happenings, 'a')
    const { heard, hear } = listener()
    expect(happenings.subscribe(given.replace('THIS', id.split('-')[0]!), hear).missed).toBe(true)
    expect(heard()).toEqual([])
  },
)
