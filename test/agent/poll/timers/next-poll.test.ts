import { expect, test } from 'vitest'
import { firstPollMs, nextPoll, type EndedPoll } from '../../../../src/agent/poll/timers/next-poll.js'
import { Rejected, Unavailable } from '../../../../src/model/errors.js'

const minute = 60_000
const fine: EndedPoll = { intervalMs: minute, failures: 0, error: undefined, proof: { kind: 'unproven' } }
const away = (retryAfterMs?: number): Unavailable =>
  new Unavailable('away', { code: 'source/server-error', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })

const situations: Readonly<Record<string, readonly [EndedPoll, number, string | null]>> = {
  'a remote that answered is polled after its interval': [fine, minute, null],
  'a remote with a proven webhook is polled less often': [
    { ...fine, proof: { kind: 'proven', by: 'github', quiet: 3 } },
    8 * minute,
    'webhook',
  ],
  'a remote that failed once is polled soon': [{ ...fine, failures: 1, error: away() }, 5_000, null],
  'each further failure doubles the delay': [{ ...fine, failures: 3, error: away() }, 20_000, null],
  'a remote that fails for long is polled at its interval': [{ ...fine, failures: 40, error: away() }, minute, null],
  'so is a remote that refuses polls': [
    { ...fine, failures: 40, error: new Rejected('no', { code: 'source/unauthorized' }) },
    minute,
    null,
  ],
  'a long interval delays the next poll by ten minutes at most': [
    { ...fine, intervalMs: 60 * minute, failures: 40, error: away() },
    10 * minute,
    null,
  ],
  'a remote that is delayed after a crash is polled at the end of the delay': [
    {
      ...fine,
      failures: 1,
      error: new Unavailable('delayed', { code: 'source/delayed-after-crash', retryAfterMs: 30_000 }),
    },
    30_000,
    'crashed',
  ],
  'a Retry-After is respected': [{ ...fine, failures: 1, error: away(30 * minute) }, 30 * minute, 'retry-after'],
  'a Retry-After shorter than the backoff changes nothing': [
    { ...fine, failures: 40, error: away(1000) },
    minute,
    null,
  ],
}
test.each(Object.entries(situations))('%s', (_, [last, ms, why]) => {
  expect(nextPoll(last, 0.5)).toEqual({ ms, why })
})

test('times have a jitter of 10 %, but none is before the Retry-After', () => {
  for (const random of [0, 0.3, 1]) {
    expect(nextPoll(fine, random).ms).toBe(Math.round(minute * (0.9 + 0.2 * random)))
    expect(nextPoll({ ...fine, failures: 1, error: away(30 * minute) }, random).ms).toBe(30 * minute)
  }
})

test('after a start, the first polls of a thousand remotes are spread over seconds, within their interval', () => {
  expect([0, 49, 50, 51, 150, 1000].map((nth) => firstPollMs(nth, minute))).toEqual([0, 0, 0, 10, 1_000, 9_500])
  expect(firstPollMs(100_000, 5_000)).toBe(5_000)
})
