import { describe, expect, test } from 'vitest'
import {
  admitPoll,
  closedBreaker,
  mostFailures,
  nextBreaker,
  type CircuitBreaker,
  type BreakerEvent,
} from '../../../src/agent/hosts/circuit-breaker.js'

type Event = readonly [kind: BreakerEvent['kind'] | 'asks', remote: string, now: number]

function after(events: readonly Event[], breaker: CircuitBreaker = closedBreaker): CircuitBreaker {
  return events.reduce<CircuitBreaker>(
    (at, [kind, remote, now]) =>
      kind === 'asks'
        ? admitPoll(at, remote, now).breaker
        : nextBreaker(at, { kind, remote, now, intervalMs: 600_000 }),
    breaker,
  )
}

const failures = (count: number): readonly Event[] =>
  Array.from({ length: count }, (_, at) => ['unreachable', `r${at}`, 0])
const opened: CircuitBreaker = { kind: 'open', failures: 1, probeAt: 5_000, probe: undefined }

const steps: Readonly<Record<string, readonly [readonly Event[], CircuitBreaker]>> = {
  'a few failures leave it closed': [failures(mostFailures - 1), { kind: 'closed', failures: mostFailures - 1 }],
  'an answer resets the count': [
    [...failures(4), ['answered', 'r1', 0], ...failures(4)],
    { kind: 'closed', failures: 4 },
  ],
  'several failures in a row, over all remotes of the host, open it': [failures(mostFailures), opened],
  'polls that were in progress when it opened add no delay': [
    [...failures(mostFailures), ['unreachable', 'late', 100]],
    opened,
  ],
  'the first poll after the delay is the probe': [
    [...failures(5), ['asks', 'a', 5_000], ['asks', 'b', 5_000]],
    { ...opened, probe: 'a' },
  ],
  'a failed probe doubles the delay of the next one': [
    [...failures(5), ['asks', 'a', 5_000], ['unreachable', 'a', 6_000]],
    { kind: 'open', failures: 2, probeAt: 16_000, probe: undefined },
  ],
  'a probe without a result lets another remote probe': [
    [...failures(5), ['asks', 'a', 5_000], ['released', 'a', 6_000]],
    opened,
  ],
  'any answer closes it': [[...failures(5), ['answered', 'anybody', 100]], closedBreaker],
}
test.each(Object.entries(steps))('%s', (_, [events, expected]) => {
  expect(after(events)).toEqual(expected)
})

describe('a poll that is due', () => {
  const waits: Readonly<Record<string, readonly [CircuitBreaker, number, number]>> = {
    'to go while it is closed': [{ kind: 'closed', failures: 4 }, 0, 0],
    'to wait until it is time for a probe': [opened, 2_000, 3_000],
    'to go when it is time': [opened, 5_000, 0],
    'to wait while another one probes': [{ ...opened, probe: 'other' }, 6_000, 10_000],
    'to go where it is the probe itself': [{ ...opened, probe: 'me' }, 6_000, 0],
    'to wait for ten minutes at most': [{ kind: 'open', failures: 30, probeAt: 0, probe: 'other' }, 0, 600_000],
  }
  test.each(Object.entries(waits))('is %s', (_, [breaker, now, waitMs]) => {
    expect(admitPoll(breaker, 'me', now).waitMs).toBe(waitMs)
  })
})
