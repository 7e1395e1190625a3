import { expect, test } from 'vitest'
import {
  nextProof,
  stretchedMs,
  type PollFound,
  type WebhookProof,
} from '../../../../src/agent/poll/timers/webhook-proof.js'

const minute = 60_000
const by = 'github'
const found = (moved: boolean, notified: boolean, now = 0): PollFound => ({
  moved,
  notifiedBy: notified ? by : undefined,
  now,
})
const quiet = (now = 0): PollFound => found(false, false, now)
const after = (polls: readonly PollFound[]): WebhookProof => polls.reduce<WebhookProof>(nextProof, { kind: 'unproven' })
const proven = found(true, true)
const missed = (now: number): PollFound => found(true, false, now)

const situations: Readonly<Record<string, readonly [readonly PollFound[], WebhookProof]>> = {
  'a change that was reported before a poll found it proves the webhook': [[proven], { kind: 'proven', by, quiet: 0 }],
  'polls alone prove nothing': [[quiet(), missed(0), quiet()], { kind: 'unproven' }],
  'a report without a change proves nothing': [[found(false, true)], { kind: 'unproven' }],
  'polls that find no change are counted': [[proven, quiet(), quiet()], { kind: 'proven', by, quiet: 2 }],
  'another reported change resets the count': [[proven, quiet(), quiet(), proven], { kind: 'proven', by, quiet: 0 }],
  'a change that was not reported makes the webhook doubted': [
    [proven, quiet(), missed(5)],
    { kind: 'doubted', since: 5 },
  ],
  'a report within a minute restores it': [
    [proven, missed(5), quiet(10), found(false, true, minute)],
    { kind: 'proven', by, quiet: 0 },
  ],
  'a minute later it is unproven': [[proven, missed(0), quiet(minute + 1)], { kind: 'unproven' }],
  'a later report does not restore it': [[proven, missed(0), found(false, true, minute + 1)], { kind: 'unproven' }],
  'the next reported change proves it again': [
    [proven, missed(0), found(true, true, 2 * minute)],
    { kind: 'proven', by, quiet: 0 },
  ],
}
test.each(Object.entries(situations))('%s', (_, [polls, proof]) => {
  expect(after(polls)).toEqual(proof)
})

test.each([
  ['an unproven webhook keeps the interval', { kind: 'unproven' }, minute, minute],
  ['a doubted webhook keeps the interval', { kind: 'doubted', since: 0 }, minute, minute],
  ['a webhook that was just proven keeps the interval', { kind: 'proven', by, quiet: 0 }, minute, minute],
  ['the interval doubles with each poll that finds no change', { kind: 'proven', by, quiet: 2 }, minute, 4 * minute],
  ['a webhook that is proven for long makes it ten minutes', { kind: 'proven', by, quiet: 100 }, minute, 10 * minute],
  ['a webhook never shortens a long interval', { kind: 'proven', by, quiet: 3 }, 60 * minute, 60 * minute],
] as const)('%s', (_, proof, intervalMs, expected) => {
  expect(stretchedMs(intervalMs, proof)).toBe(expected)
})
