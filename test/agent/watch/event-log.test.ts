import { expect, test } from 'vitest'
import { EventLog } from '../../../src/agent/watch/event-log.js'
import type { NumberedEvent } from '../../../src/model/stacks/event.js'
import { ManualClock } from '../../manual-clock.js'

function publish(events: EventLog, ...names: readonly string[]): void {
  for (const name of names) events.publish({ type: 'stack.changed', stack: name, name })
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
  const events = new EventLog(new ManualClock())
  const { heard, hear } = listener()
  publish(events, 'a')
  const listening = events.subscribe(undefined, hear)
  publish(events, 'b', 'c')
  listening.stop()
  publish(events, 'd')
  expect(heard()).toEqual(['b', 'c'])
  expect(listening.missed).toBe(false)
})

test('a listener that reconnects gets the missed events, in order and once', () => {
  const events = new EventLog(new ManualClock())
  const first = listener()
  events.subscribe(undefined, first.hear).stop()
  const begin = events.subscribe(undefined, first.hear)
  publish(events, 'a')
  begin.stop()
  publish(events, 'b', 'c')
  const second = listener()
  expect(events.subscribe(first.ids()[0], second.hear).missed).toBe(false)
  publish(events, 'd')
  expect(second.heard()).toEqual(['b', 'c', 'd'])
})

test('a listener can reconnect to the beginning of its subscription, also without events', () => {
  const events = new EventLog(new ManualClock())
  const { id, stop } = events.subscribe(undefined, () => {})
  stop()
  publish(events, 'a')
  const { heard, hear } = listener()
  expect(events.subscribe(id, hear).missed).toBe(false)
  expect(heard()).toEqual(['a'])
})

test('a thousand events are kept; a listener that reconnects from an older one learns that it missed some', () => {
  const events = new EventLog(new ManualClock())
  const { id } = events.subscribe(undefined, () => {})
  publish(events, ...Array.from({ length: 2_500 }, (_, at) => `s${at}`))
  const nobody = listener()
  expect(events.subscribe(id, nobody.hear).missed).toBe(true)
  expect(nobody.heard()).toEqual([])
  const back = listener()
  expect(events.subscribe(`${id.split('-')[0]}-1500`, back.hear).missed).toBe(false)
  expect(back.heard()).toEqual(Array.from({ length: 1_000 }, (_, at) => `s${1_500 + at}`))
  expect(events.subscribe(`${id.split('-')[0]}-1499`, nobody.hear).missed).toBe(true)
})

test.each(['', '-', 'abc', '00000000-1', 'THIS-', 'THIS-x', 'THIS-1e400', 'THIS--1', 'THIS-99'])(
  'a listener cannot reconnect at %j: it missed events',
  (given) => {
    const events = new EventLog(new ManualClock())
    const { id } = events.subscribe(undefined, () => {})
    publish(events, 'a')
    const { heard, hear } = listener()
    expect(events.subscribe(given.replace('THIS', id.split('-')[0]!), hear).missed).toBe(true)
    expect(heard()).toEqual([])
  },
)
