import { describe, expect, test } from 'vitest'
import {
  withPlausibleTimes,
  driftDueAt,
  dueAt,
  isDriftDue,
  isRetryDue,
  overdueCheckAt,
} from '../../../src/agent/runs/due.js'
import type { Failure, Stack } from '../../../src/model/stacks/stack.js'
import { stackDefaults } from '../../../src/settings/stack-settings.js'

const minute = 60_000
const applied = { revision: 'main@sha1:aa', content: 't', files: 'f', place: 'x', run: '7' }
const failure = (retry: Failure['retry']): Failure => ({ reason: 'ApplyFailed', code: 'x/y', message: 'no', retry })

function stackWith(changed: Partial<Stack>): Stack {
  const spec = { name: 'boards', ...stackDefaults, sources: [] }
  const nothing = {
    suspended: null,
    pinned: null,
    pushed: null,
    observed: null,
    attempted: null,
    consent: null,
    failure: null,
    retryAt: null,
  }
  return {
    id: 'a',
    spec,
    managedBy: 'api',
    createdAt: 0,
    ...nothing,
    applied,
    checkedAt: 100 * minute,
    drifted: 0,
    driftedSince: null,
    unhealthy: null,
    unhealthySince: null,
    retries: 0,
    ...changed,
  }
}

const at = (stack: Stack, isOpen = false): number | undefined => dueAt({ stack, last: undefined, isOpen }, 0.5)

describe('a drift check', () => {
  test('is due after the interval, in steps of a sixtieth of it, so that checks come together', () => {
    const due = [0, 1, 2, 3].map((second) => driftDueAt(stackWith({ checkedAt: 100 * minute + second * 1_000 }), 0.5))
    expect(due).toEqual([105 * minute, 105 * minute, 105 * minute, 105 * minute])
  })

  test('is never due before nine tenths of the interval', () => {
    const stack = stackWith({ checkedAt: 100 * minute + 4_000 })
    const earliest = 100 * minute + 4_000 + 4.5 * minute
    expect(driftDueAt(stack, 0)).toBe(earliest)
    expect(isDriftDue(stack, earliest - 1)).toBe(false)
    expect(isDriftDue(stack, earliest)).toBe(true)
  })

  test('that is overdue at a start follows the one before it, within a quarter of the interval', () => {
    const { spec } = stackWith({})
    const all = Array.from({ length: 3_000 }, (_, nth) => overdueCheckAt(7, spec, nth) - 7)
    expect(all.slice(0, 3)).toEqual([0, 50, 100])
    expect(Math.max(...all)).toBeLessThan(spec.driftIntervalMs / 4)
    expect(Math.max(...new Map(all.map((at) => [at, all.filter((one) => one === at).length])).values())).toBe(2)
  })

  test.each<[string, Partial<Stack>, boolean]>([
    ['where nothing is applied', { applied: null }, false],
    ['where something went wrong', { failure: failure('change') }, false],
    ['while the journal is open', {}, true],
  ])('is not due %s', (_, changed, isOpen) => {
    expect(at(stackWith(changed), isOpen)).toBeUndefined()
  })
})

test('a suspended stack is due when the suspension ends', () => {
  expect(at(stackWith({ suspended: { reason: 'lunch', by: 'ann', until: 5 } }))).toBe(5)
  expect(at(stackWith({ suspended: { reason: 'lunch', by: 'ann', until: null } }))).toBeUndefined()
})

test('a retry is due at its time, and at once if the agent ended before it stored a time', () => {
  expect(at(stackWith({ failure: failure('soon'), retryAt: 9 }))).toBe(9)
  expect(isRetryDue(stackWith({ failure: failure('soon') }), 0)).toBe(true)
  expect(isRetryDue(stackWith({ failure: failure('change') }), 0)).toBe(false)
})

test('impossible times are ignored: the clock was set back', () => {
  const soon = failure('soon')
  const now = 50 * minute
  expect(withPlausibleTimes(stackWith({ failure: soon, retries: 1, retryAt: 110 * minute }), now)).toMatchObject({
    checkedAt: null,
    retryAt: now,
  })
  const right = stackWith({ checkedAt: now, failure: soon, retries: 1, retryAt: now + 5_500 })
  expect(withPlausibleTimes(right, now)).toEqual(right)
  const fights = stackWith({ checkedAt: now, failure: { ...soon, code: 'agent/fighting' }, retryAt: now + 11 * minute })
  expect(withPlausibleTimes(fights, now)).toEqual(fights)
})
