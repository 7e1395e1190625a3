import { expect, test } from 'vitest'
import { Hosts } from '../../../src/agent/poll/hosts.js'
import { Unavailable } from '../../../src/model/errors.js'
import { ManualClock } from '../../manual-clock.js'

function open(): {
  readonly hosts: Hosts
  readonly clock: ManualClock
  readonly told: readonly string[]
  readonly reached: readonly string[]
} {
  const clock = new ManualClock()
  const told: string[] = []
  const reached: string[] = []
  const note = (message: string): void => void told.push(message)
  const log = { debug: note, info: note, warn: note, error: note }
  const hosts = new Hosts({
    clock,
    log,
    stop: new AbortController().signal,
    pollsPerHost: 1,
    onReachable: (host) => void reached.push(host),
  })
  return { hosts, clock, told, reached }
}

const minute = 60_000
const away = new Unavailable('away', { code: 'source/unreachable' })
const busy = new Unavailable('busy', { code: 'source/server-error', retryAfterMs: minute })
const limited = (retryAfterMs: number): Unavailable =>
  new Unavailable('limited', { code: 'source/too-many-requests', retryAfterMs })

test('one host does not hold another, nor what is on this machine', () => {
  const { hosts } = open()
  for (let n = 0; n < 5; n++) hosts.note(`https://a.example/${n}`, away, minute)
  hosts.unavailable('https://b.example/x', limited(60_000))
  expect(hosts.delay('https://a.example/0')).toEqual({ why: 'unreachable', waitMs: 5_000 })
  expect(hosts.delay('https://b.example/y')).toEqual({ why: 'asked', waitMs: 60_000 })
  expect(hosts.delay('https://c.example/x')).toBeUndefined()
  hosts.unavailable('file:///srv/boards', limited(60_000))
  expect(hosts.delay('file:///srv/boards')).toBeUndefined()
})

test('an answer of any kind is no failure to reach the host', () => {
  const { hosts } = open()
  for (let n = 0; n < 20; n++) hosts.note(`https://a.example/${n}`, n % 5 === 4 ? busy : away, minute)
  expect(hosts.delay('https://a.example/0')).toBeUndefined()
})

test('the longest time that was asked for counts, and a look that sees something ends it', () => {
  const { hosts, clock } = open()
  hosts.unavailable('https://a.example/x', limited(60_000))
  hosts.unavailable('https://a.example/y', limited(1_000))
  clock.advance(10_000)
  expect(hosts.delay('https://a.example/z')).toEqual({ why: 'asked', waitMs: 50_000 })
  hosts.note('https://a.example/x', undefined, minute)
  expect(hosts.delay('https://a.example/z')).toBeUndefined()
})

test('a 5xx with Retry-After holds its remote; the host waits when three of its remotes got one', () => {
  const { hosts } = open()
  hosts.unavailable('https://a.example/x', busy)
  hosts.unavailable('https://a.example/x', busy)
  hosts.unavailable('https://a.example/y', busy)
  expect(hosts.delay('https://a.example/x')).toEqual({ why: 'asked', waitMs: minute })
  expect(hosts.delay('https://a.example/z')).toBeUndefined()
  hosts.unavailable('https://a.example/w', busy)
  expect(hosts.delay('https://a.example/z')).toEqual({ why: 'asked', waitMs: minute })
  hosts.note('https://a.example/x', undefined, minute)
  expect(hosts.delay('https://a.example/z')).toBeUndefined()
})

test('an unreachable host is probed at the shortest interval of its remotes, however long it is away', () => {
  const { hosts, clock } = open()
  for (let n = 0; n < 5; n++) hosts.note(`https://a.example/${n}`, away, n === 3 ? minute : 60 * minute)
  for (let n = 0; n < 9; n++) {
    clock.advance(hosts.delay('https://a.example/0')?.waitMs ?? 0)
    expect(hosts.delay('https://a.example/0')).toBeUndefined()
    hosts.note('https://a.example/0', away, 60 * minute)
  }
  expect(hosts.delay('https://a.example/0')).toEqual({ why: 'unreachable', waitMs: minute })
})

test.each([-3_600_000, 86_400_000])('a clock that is set by %i ms changes none of it', (ms) => {
  const { hosts, clock } = open()
  for (let n = 0; n < 5; n++) hosts.note(`https://a.example/${n}`, away, minute)
  hosts.unavailable('https://b.example/x', limited(60_000))
  clock.set(clock.now() + ms)
  expect(hosts.delay('https://a.example/0')).toEqual({ why: 'unreachable', waitMs: 5_000 })
  expect(hosts.delay('https://b.example/x')).toEqual({ why: 'asked', waitMs: 60_000 })
})

test('a probe whose remote nobody follows any more makes way for another, and the host is told when it is reached', () => {
  const { hosts, clock, told, reached } = open()
  for (let n = 0; n < 5; n++) hosts.note(`https://a.example/${n}`, away, minute)
  clock.advance(5_000)
  expect(hosts.delay('https://a.example/0')).toBeUndefined()
  expect(hosts.delay('https://a.example/1')).toMatchObject({ why: 'unreachable' })
  hosts.remove('https://a.example/0')
  expect(hosts.delay('https://a.example/1')).toBeUndefined()
  hosts.note('https://a.example/1', undefined, minute)
  expect(reached).toEqual(['a.example'])
  expect(told).toEqual(['host not reached, asked by one look at a time', 'host reached again'])
})

test('that many wait for long is told once', () => {
  const { hosts, told } = open()
  for (let n = 0; n < 40; n++) void hosts.pass(`https://a.example/${n}`, false)
  expect(told).toEqual(['looks wait for their turn'])
})
