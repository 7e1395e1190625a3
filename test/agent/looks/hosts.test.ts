import { expect, test } from 'vitest'
import { Hosts } from '../../../src/agent/looks/hosts.js'
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
  const hosts = new Hosts({ clock, log, stop: new AbortController().signal, hostLooks: 1, onReached: (host) => void reached.push(host) })
  return { hosts, clock, told, reached }
}

const away = new Unavailable('away', { code: 'source/unreachable' })
const busy = new Unavailable('busy', { code: 'source/server-error', retryAfterMs: 60_000 })

test('one host does not hold another, nor what is on this machine', () => {
  const { hosts } = open()
  for (let n = 0; n < 5; n++) hosts.note(`https://a.example/${n}`, away)
  hosts.askedToWait('https://b.example/x', 60_000)
  expect(hosts.holds('https://a.example/0')).toEqual({ why: 'unreachable', waitMs: 5_000 })
  expect(hosts.holds('https://b.example/y')).toEqual({ why: 'asked', waitMs: 60_000 })
  expect(hosts.holds('https://c.example/x')).toBeUndefined()
  hosts.askedToWait('file:///srv/boards', 60_000)
  expect(hosts.holds('file:///srv/boards')).toBeUndefined()
})

test('an answer of any kind is no failure to reach the host', () => {
  const { hosts } = open()
  for (let n = 0; n < 20; n++) hosts.note(`https://a.example/${n}`, n % 5 === 4 ? busy : away)
  expect(hosts.holds('https://a.example/0')).toBeUndefined()
})

test('the longest time that was asked for counts, and a look that sees something ends it', () => {
  const { hosts, clock } = open()
  hosts.askedToWait('https://a.example/x', 60_000)
  hosts.askedToWait('https://a.example/y', 1_000)
  clock.advance(10_000)
  expect(hosts.holds('https://a.example/z')).toEqual({ why: 'asked', waitMs: 50_000 })
  hosts.note('https://a.example/x', undefined)
  expect(hosts.holds('https://a.example/z')).toBeUndefined()
})

test.each([-3_600_000, 86_400_000])('a clock that is set by %i ms changes none of it', (ms) => {
  const { hosts, clock } = open()
  for (let n = 0; n < 5; n++) hosts.note(`https://a.example/${n}`, away)
  hosts.askedToWait('https://b.example/x', 60_000)
  clock.set(clock.now() + ms)
  expect(hosts.holds('https://a.example/0')).toEqual({ why: 'unreachable', waitMs: 5_000 })
  expect(hosts.holds('https://b.example/x')).toEqual({ why: 'asked', waitMs: 60_000 })
})

test('a probe whose remote nobody follows any more makes way for another, and the host is told when it is reached', () => {
  const { hosts, clock, told, reached } = open()
  for (let n = 0; n < 5; n++) hosts.note(`https://a.example/${n}`, away)
  clock.advance(5_000)
  expect(hosts.holds('https://a.example/0')).toBeUndefined()
  expect(hosts.holds('https://a.example/1')).toMatchObject({ why: 'unreachable' })
  hosts.forget('https://a.example/0')
  expect(hosts.holds('https://a.example/1')).toBeUndefined()
  hosts.note('https://a.example/1', undefined)
  expect(reached).toEqual(['a.example'])
  expect(told).toEqual(['host not reached, asked by one look at a time', 'host reached again'])
})

test('that many wait for long is told once', () => {
  const { hosts, told } = open()
  for (let n = 0; n < 40; n++) void hosts.pass(`https://a.example/${n}`, false)
  expect(told).toEqual(['looks wait for their turn'])
})
