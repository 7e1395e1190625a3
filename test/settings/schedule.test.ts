import { describe, expect, test } from 'vitest'
import { cronProblem, nextTime, scheduleProblem, timeZoneProblem } from '../../src/settings/schedule.js'

const berlin = 'Europe/Berlin'
const newYork = 'America/New_York'

/** The next times, in UTC, without what is always the same. */
function times(schedule: string, timeZone: string, from: string, count: number): readonly string[] {
  const found: string[] = []
  for (let at = Date.parse(`${from}:00Z`); found.length < count; found.push(new Date(at).toISOString().slice(0, 16)))
    at = nextTime(schedule, timeZone, at)!
  return found
}

const tables: Readonly<
  Record<string, readonly [schedule: string, timeZone: string, from: string, times: readonly string[]]>
> = {
  'at the same time of day on both sides of a change': [
    '0 9 * * *',
    berlin,
    '2026-03-27T12:00',
    ['2026-03-28T08:00', '2026-03-29T07:00', '2026-03-30T07:00'],
  ],
  'when a skipped hour ends, for a time in it': [
    '30 2 * * *',
    berlin,
    '2026-03-28T12:00',
    ['2026-03-29T01:00', '2026-03-30T00:30'],
  ],
  'when a skipped hour ends, in New York': [
    '30 2 * * *',
    newYork,
    '2026-03-07T12:00',
    ['2026-03-08T07:00', '2026-03-09T06:30'],
  ],
  'once, the first time that it is shown, for a time in a repeated hour': [
    '30 2 * * *',
    berlin,
    '2026-10-24T12:00',
    ['2026-10-25T00:30', '2026-10-26T01:30'],
  ],
  'once in a repeated hour, in New York': [
    '30 1 * * *',
    newYork,
    '2026-10-31T12:00',
    ['2026-11-01T05:30', '2026-11-02T06:30'],
  ],
  'every hour, the repeated one twice': [
    '0 * * * *',
    berlin,
    '2026-10-25T00:00',
    ['2026-10-25T01:00', '2026-10-25T02:00'],
  ],
  'every hour, the skipped one not': [
    '0 * * * *',
    berlin,
    '2026-03-29T00:00',
    ['2026-03-29T01:00', '2026-03-29T02:00'],
  ],
  'on leap days': ['0 0 29 2 *', 'UTC', '2026-01-01T00:00', ['2028-02-29T00:00', '2032-02-29T00:00']],
  'over the year 2100, which has no leap day': ['0 0 29 2 *', 'UTC', '2096-03-01T00:00', ['2104-02-29T00:00']],
  'by names of days': [
    '0 0 * * sat,sun',
    'UTC',
    '2026-01-01T00:00',
    ['2026-01-03T00:00', '2026-01-04T00:00', '2026-01-10T00:00'],
  ],
  'by a word': ['@daily', newYork, '2026-01-01T00:00', ['2026-01-01T05:00']],
}

test.each(Object.entries(tables))('a schedule comes %s', (_, [schedule, timeZone, from, expected]) => {
  expect(times(schedule, timeZone, from, expected.length)).toEqual(expected)
})

test('the next time comes after the moment, never at it', () => {
  const midnight = Date.UTC(2026, 0, 2)
  expect(nextTime('@daily', 'UTC', midnight - 1)).toBe(midnight)
  expect(nextTime('@daily', 'UTC', midnight)).toBe(midnight + 86_400_000)
})

test('a schedule that is never has no next time', () => {
  expect(nextTime('never', 'UTC', 0)).toBeUndefined()
})

describe('refused', () => {
  test.each<[string, string, string]>([
    ['a day that no month has', '0 0 31 2 *', 'never occurs'],
    ['too few fields', '0 0 * *', '5 fields'],
    ['a year', '0 0 0 1 1 * 2030', '5 fields'],
    ['one moment', '2026-01-01T00:00:00', '5 fields'],
    ['an unknown word', '@reboot', '@hourly'],
    ['nothing', '', '5 fields'],
    ['a value that cannot be', '60 * * * *', 'minute: 60'],
    ['a flood', `${'1,'.repeat(200)}1 * * * *`, '5 fields'],
  ])('is %s', (_, expression, said) => {
    expect(cronProblem(expression)).toContain(said)
    expect(scheduleProblem(expression)).toContain(said)
  })

  test('is a schedule of every second, which a window may have', () => {
    expect(scheduleProblem('* * * * * *')).toContain('every 5 s')
    expect(scheduleProblem('0,5,10 * * * * *')).toBeUndefined()
    expect(cronProblem('* * * * * *')).toBeUndefined()
  })

  test.each(['Mars/Base', '', '+01:00', 'Europe/Berlin\n'])('is the time zone %j', (zone) => {
    expect(timeZoneProblem(zone)).toContain('must be the name of a time zone')
  })

  test.each(['UTC', berlin, newYork])('is not the time zone %s', (zone) => {
    expect(timeZoneProblem(zone)).toBeUndefined()
  })
})
