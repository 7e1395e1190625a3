import { expect, test } from 'vitest'
import { fullBucket, takeToken } from '../../src/lib/token-bucket.js'

const rate = { perSecond: 10, burst: 3 }

/** How long callers at these times must wait. */
function waits(times: readonly number[]): readonly number[] {
  let bucket = fullBucket(rate, 0)
  return times.map((now) => {
    const taken = takeToken(bucket, rate, now)
    bucket = taken.bucket
    return taken.waitMs
  })
}

const situations: Readonly<Record<string, { readonly times: readonly number[]; readonly waits: readonly number[] }>> = {
  'as many as the burst go at once': { times: [0, 0, 0, 0], waits: [0, 0, 0, 100] },
  'then one goes every tenth of a second': { times: [0, 0, 0, 50, 100, 150, 200], waits: [0, 0, 0, 50, 0, 50, 0] },
  'a pause fills it up, to the burst and no more': {
    times: [0, 0, 0, 60_000, 60_000, 60_000, 60_000],
    waits: [0, 0, 0, 0, 0, 0, 100],
  },
  'a caller that must wait takes no token': { times: [0, 0, 0, 0, 0, 100], waits: [0, 0, 0, 100, 100, 0] },
  'time that goes back gives nothing': { times: [1000, 1000, 1000, 500], waits: [0, 0, 0, 100] },
}
test.each(Object.entries(situations))('%s', (_, { times, waits: expected }) => {
  expect(waits(times)).toEqual(expected)
})
