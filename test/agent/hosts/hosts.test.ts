import { expect, test } from 'vitest'
import { Hosts } from '../../../src/agent/hosts/hosts.js'
import { Timers } from '../../../src/agent/schedule/schedule.js'
import { Unavailable } from '../../../src/model/errors.js'
import type { PollDelay } from '../../../src/stacks/scheduler.js'
import { ManualClock } from '../../manual-clock.js'

function open(): {
  readonly hosts: Hosts
  readonly clock: ManualClock
  readonly timers: Timers
  readonly delays: Map<string, PollDelay>
  readonly logged: readonly string[]
} {
  const clock = new ManualClock()
  const timers = new Timers(clock)
  const pollDelays = new Map<string, PollDelay>()
  const logged: string[] = []
  const note = (message: string): void => void logged.push(message)
  const log = { debug: note, info: note, warn: note, error: note }
  const stop = new AbortController().signal
  const hosts = new Hosts({ clock, log, stop, timers, live: { pollDelays }, pollsPerHost: 1 })
  return { hosts, clock, timers, delays: pollDelays, logged }
}

const minute = 60_000
const away = new Unavailable('away', { code: 'source/unreachable' })
const busy = new Unavailable('busy', { code: 'source/server-error', retryAfterMs: minute })
const limited = (retryAfterMs: number): Unavailable =>
  new Unavailable('limited', { code: 'source/too-many-requests', retryAfterMs })

test('the limits of one host affect neither another nor this machine', () => {
  const { hosts } = open()
  for (let n = 0; n < 5; n++) hosts.ended(`https://a.example/${n}`, away, minute)
  hosts.unavailable('https://b.example/x', limited(60_000))
  expect(hosts.delay('https://a.example/0')).toEqual({ why: 'unreachable', waitMs: 5_000 })
  expect(hosts.delay('https://b.example/y')).toEqual({ why: 'retry-after', waitMs: 60_000 })
  expect(hosts.delay('https://c.example/x')).toBeUndefined()
  hosts.unavailable('file:///srv/boards', limited(60_000))
  expect(hosts.delay('file:///srv/boards')).toBeUndefined()
})

test('any answer shows that the host is reachable', () => {
  const { hosts } = open()
  for (let n = 0; n < 20; n++) hosts.ended(`https://a.example/${n}`, n % 5 === 4 ? busy : away, minute)
  expect(hosts.delay('https://a.example/0')).toBeUndefined()
})

test('the longest Retry-After counts, and a poll that succeeds ends it', () => {
  const { hosts, clock } = open()
  hosts.unavailable('https://a.example/x', limited(60_000))
  hosts.unavailable('https://a.example/y', limited(1_000))
  clock.advance(10_000)
  expect(hosts.delay('https://a.example/z')).toEqual({ why: 'retry-after', waitMs: 50_000 })
  hosts.ended('https://a.example/x', undefined, minute)
  expect(hosts.delay('https://a.example/z')).toBeUndefined()
})

test('a 5xx with Retry-After delays its remote; three of them delay the host', () => {
  const { hosts } = open()
  hosts.unavailable('https://a.example/x', busy)
  hosts.unavailable('https://a.example/x', busy)
  hosts.unavailable('https://a.example/y', busy)
  expect(hosts.delay('https://a.example/x')).toEqual({ why: 'retry-after', waitMs: minute })
  expect(hosts.delay('https://a.example/z')).toBeUndefined()
  hosts.unavailable('https://a.example/w', busy)
  expect(hosts.delay('https://a.example/z')).toEqual({ why: 'retry-after', waitMs: minute })
  hosts.ended('https://a.example/x', undefined, minute)
  expect(hosts.delay('https://a.example/z')).toBeUndefined()
})

test('an unreachable host is probed at the shortest interval of its remotes, however long it is unreachable', () => {
  const { hosts, clock } = open()
  for (let n = 0; n < 5; n++) hosts.ended(`https://a.example/${n}`, away, n === 3 ? minute : 60 * minute)
  for (let n = 0; n < 9; n++) {
    clock.advance(hosts.delay('https://a.example/0')?.waitMs ?? 0)
    expect(hosts.delay('https://a.example/0')).toBeUndefined()
    hosts.ended('https://a.example/0', away, 60 * minute)
  }
  expect(hosts.delay('https://a.example/0')).toEqual({ why: 'unreachable', waitMs: minute })
})

test.each([-3_600_000, 86_400_000])('setting the clock by %i ms changes no delay', (ms) => {
  const { hosts, clock } = open()
  for (let n = 0; n < 5; n++) hosts.ended(`https://a.example/${n}`, away, minute)
  hosts.unavailable('https://b.example/x', limited(60_000))
  clock.set(clock.now() + ms)
  expect(hosts.delay('https://a.example/0')).toEqual({ why: 'unreachable', waitMs: 5_000 })
  expect(hosts.delay('https://b.example/x')).toEqual({ why: 'retry-after', waitMs: 60_000 })
})

test('another remote may probe the host after the first is unfollowed; when it answers, remotes that wait for it are due', () => {
  const { hosts, clock, timers, delays, logged } = open()
  for (let n = 0; n < 5; n++) hosts.ended(`https://a.example/${n}`, away, minute)
  clock.advance(5_000)
  expect(hosts.delay('https://a.example/0')).toBeUndefined()
  expect(hosts.delay('https://a.example/1')).toMatchObject({ why: 'unreachable' })
  hosts.remove('https://a.example/0')
  expect(hosts.delay('https://a.example/1')).toBeUndefined()
  delays.set('https://a.example/2', 'unreachable').set('https://a.example/3', 'throttled')
  delays.set('https://b.example/2', 'unreachable')
  hosts.ended('https://a.example/1', undefined, minute)
  expect(timers.get('remote https://a.example/2')).toBe(clock.now())
  expect(timers.get('remote https://a.example/3')).toBeUndefined()
  expect(timers.get('remote https://b.example/2')).toBeUndefined()
  expect(logged).toEqual(['host unreachable, circuit open', 'host reachable again'])
})

test('a long queue is logged once', () => {
  const { hosts, logged } = open()
  for (let n = 0; n < 40; n++) void hosts.pass(`https://a.example/${n}`, false)
  expect(logged).toEqual(['polls throttled'])
})
