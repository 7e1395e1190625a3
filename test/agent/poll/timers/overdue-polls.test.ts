import { describe, expect, test } from 'vitest'
import { OverduePolls } from '../../../../src/agent/poll/timers/overdue-polls.js'
import { label } from '../../../e2e/packages.js'
import { until } from '../../../e2e/until.js'
import { useWorld } from '../../../e2e/world.js'

const intervalMs = 10_000

function planned(): OverduePolls {
  const lateness = new OverduePolls()
  lateness.plan('a', 0, intervalMs)
  return lateness
}

const situations: Readonly<
  Record<string, { readonly lateness: () => OverduePolls; readonly now: number; readonly late: boolean }>
> = {
  'a poll that is due for three intervals is not late': { lateness: planned, now: 30_000, late: false },
  'a poll that is due for longer is late': { lateness: planned, now: 30_001, late: true },
  'a poll in progress is late after five minutes': { lateness: begun, now: 300_000, late: false },
  'a poll in progress for longer is late': { lateness: begun, now: 300_001, late: true },
  'a poll that ended is late only after the next one is due': { lateness: ended, now: 430_000, late: false },
  'an unfollowed remote is never late': { lateness: unfollowed, now: 1_000_000, late: false },
  'a poll in progress is not restarted when its remote is followed again': {
    lateness: followedAnew,
    now: 100_000,
    late: false,
  },
}

function begun(): OverduePolls {
  const lateness = planned()
  lateness.begin('a', 0)
  return lateness
}

function ended(): OverduePolls {
  const lateness = begun()
  lateness.plan('a', 400_000, intervalMs)
  return lateness
}

function unfollowed(): OverduePolls {
  const lateness = begun()
  lateness.remove('a')
  return lateness
}

function followedAnew(): OverduePolls {
  const lateness = begun()
  lateness.follow('a', 20_000, intervalMs)
  return lateness
}

test.each(Object.entries(situations))('%s', (_, { lateness, now, late }) => {
  expect(lateness().late(now)).toEqual(late ? { remote: 'a', lateMs: now } : undefined)
})

test('the remote that is overdue the longest is reported', () => {
  const lateness = planned()
  lateness.plan('b', -5_000, intervalMs)
  lateness.plan('c', 50_000, intervalMs)
  expect(lateness.late(40_000)).toEqual({ remote: 'b', lateMs: 45_000 })
  expect(lateness.oldestMs(40_000)).toBe(45_000)
  expect(new OverduePolls().oldestMs(40_000)).toBe(0)
})

describe('an agent', () => {
  const world = useWorld()

  test('is not ready while a poll does not end, and is ready again after it', async () => {
    await world().push(label('red'))
    await world().create('boards')
    expect(await world().ask.readiness()).toEqual({ ready: true, reason: 'ready' })
    let answer: () => void = () => {}
    let isPolled = false
    world().server.intercept(() => {
      isPolled = true
      return new Promise((resolve) => (answer = resolve))
    })
    world().clock.advance(60_000)
    await until('it is polled', () => isPolled)
    world().clock.advance(240_000)
    expect((await world().ask.readiness()).ready).toBe(true)
    world().clock.advance(120_000)
    expect(await world().ask.readiness()).toEqual({
      ready: false,
      reason: `${world().url} should have been polled 360 s ago`,
    })
    answer()
    await until('it has ended', async () => (await world().ask.readiness()).ready)
  })
})
