import { expect, test } from 'vitest'
import { PollRequests, requestedApartMs } from '../../../src/agent/poll/poll-requests.js'
import { ManualClock } from '../../manual-clock.js'

const never = new AbortController().signal

test('a request waits after a failed poll, and no longer once a poll succeeds', async () => {
  const clock = new ManualClock()
  const requests = new PollRequests({ clock, stop: never })
  await requests.add('a', never)
  requests.countFailures('a', new Error('The server is away.'), true)
  const waiting = requests.add('a', never)
  expect(requests.waitingUntil(['a', 'b'])).toBe(clock.now() + requestedApartMs)
  requests.countFailures('b', undefined, false)
  expect(requests.waitingUntil(['a'])).not.toBeNull()
  requests.countFailures('a', undefined, false)
  await waiting
  expect(requests.waitingUntil(['a'])).toBeNull()
})

test('a request that waits ends with the reason of its signal, or when the agent stops', async () => {
  const stop = new AbortController()
  const requests = new PollRequests({ clock: new ManualClock(), stop: stop.signal })
  await requests.add('a', never)
  requests.countFailures('a', new Error('The server is away.'), true)
  const given = new AbortController()
  const [first, second] = [requests.add('a', given.signal), requests.add('a', never)]
  given.abort(new Error('enough'))
  await expect(first).rejects.toThrow('enough')
  stop.abort(new Error('stopping'))
  await expect(second).rejects.toThrow('stopping')
  expect(requests.waitingUntil(['a'])).toBeNull()
})
