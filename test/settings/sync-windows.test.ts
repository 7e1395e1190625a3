import { describe, expect, test } from 'vitest'
import type { SyncWindow } from '../../src/model/stacks/stack.js'
import { windowState } from '../../src/settings/sync-windows.js'

const hour = 3_600_000
const berlin = 'Europe/Berlin'
const newYork = 'America/New_York'

/** `22:00 on fridays for 56 h` as `deny '0 22 * * 5' 56`. */
const deny = (schedule: string, hours: number): SyncWindow => ({ kind: 'deny', schedule, durationMs: hours * hour })
const allow = (schedule: string, hours: number): SyncWindow => ({ kind: 'allow', schedule, durationMs: hours * hour })

function at(windows: readonly SyncWindow[], moment: string, timeZone = 'UTC'): string {
  const { isOpen, until } = windowState(windows, timeZone, Date.parse(`${moment}Z`))
  return `${isOpen ? 'open' : 'closed'} until ${until === null ? 'ever' : new Date(until).toISOString().slice(0, 16)}`
}

const weekend = deny('0 22 * * 5', 56)
const night = allow('0 2 * * *', 2)

/** 2026-01-02 is a Friday. */
const table: Readonly<
  Record<string, readonly [readonly SyncWindow[], moment: string, expected: string, timeZone?: string]>
> = {
  'without windows it is always open': [[], '2026-01-02T12:00:00', 'open until ever'],
  'before a window that denies it is open until that begins': [
    [weekend],
    '2026-01-02T21:59:59.999',
    'open until 2026-01-02T22:00',
  ],
  'from its first moment on it is closed': [[weekend], '2026-01-02T22:00:00', 'closed until 2026-01-05T06:00'],
  'in its last millisecond it is still closed': [[weekend], '2026-01-05T05:59:59.999', 'closed until 2026-01-05T06:00'],
  'when it has ended it is open': [[weekend], '2026-01-05T06:00:00', 'open until 2026-01-09T22:00'],
  'outside of the only window that allows it is closed': [
    [night],
    '2026-01-02T12:00:00',
    'closed until 2026-01-03T02:00',
  ],
  'within it it is open': [[night], '2026-01-03T03:00:00', 'open until 2026-01-03T04:00'],
  'a window that denies wins': [[night, deny('0 3 * * *', 1)], '2026-01-03T03:30:00', 'closed until 2026-01-04T02:00'],
  'a window that denies in the middle of one that allows splits it': [
    [allow('0 2 * * *', 4), deny('0 3 * * *', 1)],
    '2026-01-03T03:30:00',
    'closed until 2026-01-03T04:00',
  ],
  'windows that follow one another are one': [
    [deny('0 0 * * 1-5', 24)],
    '2026-01-05T12:00:00',
    'closed until 2026-01-10T00:00',
  ],
  'windows that overlap themselves end with the last': [
    [deny('*/5 8 * * *', 1)],
    '2026-01-05T08:01:00',
    'closed until 2026-01-05T09:55',
  ],
  'windows without end have none': [[deny('@daily', 24)], '2026-01-05T12:00:00', 'closed until ever'],
  'a window that begins in a skipped hour begins when that ends, and lasts as long': [
    [deny('30 2 29 3 *', 2)],
    '2026-03-29T01:00:00',
    'closed until 2026-03-29T03:00',
    berlin,
  ],
  'a window over a skipped hour lasts as long, and ends an hour later by the clock': [
    [deny('0 0 29 3 *', 5)],
    '2026-03-29T00:30:00',
    'closed until 2026-03-29T04:00',
    berlin,
  ],
  'a window over a repeated hour lasts as long, and ends an hour earlier by the clock': [
    [deny('0 0 25 10 *', 5)],
    '2026-10-25T00:30:00',
    'closed until 2026-10-25T03:00',
    berlin,
  ],
  'a window that begins in a repeated hour begins once, the first time': [
    [deny('30 1 * * *', 1)],
    '2026-11-01T06:30:00',
    'open until 2026-11-02T06:30',
    newYork,
  ],
  'a window over a skipped hour in New York lasts as long': [
    [allow('0 1 * * *', 2)],
    '2026-03-08T06:00:00',
    'open until 2026-03-08T08:00',
    newYork,
  ],
  'a window of leap days is closed for years': [
    [allow('0 0 29 2 *', 24)],
    '2026-01-01T00:00:00',
    'closed until 2028-02-29T00:00',
  ],
}

describe('sync windows', () => {
  test.each(Object.entries(table))('%s', (_, [windows, moment, expected, timeZone]) => {
    expect(at(windows, moment, timeZone)).toBe(expected)
  })

  test('each may have a time zone of its own', () => {
    const there = { ...night, timeZone: newYork }
    expect(at([there], '2026-01-03T03:00:00', berlin)).toBe('closed until 2026-01-03T07:00')
  })

  test('the window that denies is named', () => {
    const why = { ...weekend, reason: 'nobody is here' }
    expect(windowState([night, why], 'UTC', Date.UTC(2026, 0, 3, 3))).toMatchObject({
      deniedBy: { reason: 'nobody is here' },
      closedSince: Date.UTC(2026, 0, 2, 22),
    })
    expect(windowState([night], 'UTC', Date.UTC(2026, 0, 3, 12))).not.toHaveProperty('denied')
  })

  test('without an open window, it is closed since the last one ended', () => {
    const windows = [allow('0 8 * * 1-5', 10), allow('0 6 * * 6', 1)]
    expect(windowState(windows, berlin, Date.UTC(2026, 0, 4, 12))).toEqual({
      isOpen: false,
      until: Date.UTC(2026, 0, 5, 7),
      closedSince: Date.UTC(2026, 0, 3, 6),
    })
  })

  test('what is remembered of a state is not taken for an earlier moment: a clock may be set back', () => {
    expect(at([weekend], '2026-01-02T23:00:00')).toContain('closed')
    expect(at([weekend], '2026-01-02T12:00:00')).toContain('open')
    expect(at([weekend], '2026-01-02T23:00:00')).toContain('closed')
  })

  test('minute by minute over a year, it is as one would count it by hand', () => {
    const windows = [allow('0 8 * * 1-5', 10), deny('0 12 * * 3', 1)]
    const wrong: string[] = []
    for (let moment = Date.UTC(2026, 0, 1); moment < Date.UTC(2026, 3, 1); moment += 10 * 60_000) {
      const date = new Date(moment)
      const [day, clock] = [date.getUTCDay(), date.getUTCHours()]
      const expected = day >= 1 && day <= 5 && clock >= 8 && clock < 18 && !(day === 3 && clock === 12)
      if (windowState(windows, 'UTC', moment).isOpen !== expected) wrong.push(date.toISOString())
    }
    expect(wrong).toEqual([])
  })
})
