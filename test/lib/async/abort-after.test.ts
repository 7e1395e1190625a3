import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { abortAfter } from '../../../src/lib/async/abort-after.js'
import { collectGarbage } from '../../collect-garbage.js'

/** Waits as nested code does: each level refers to a signal of its own. */
function aborted(signal: AbortSignal): Promise<unknown> {
  const inner = AbortSignal.any([signal, new AbortController().signal])
  return new Promise((resolve) => inner.addEventListener('abort', () => resolve(inner.reason), { once: true }))
}

test('aborts after its time, even if only other signals refer to it', async () => {
  const waits = [aborted(abortAfter(100)), aborted(abortAfter(100, new AbortController().signal))]
  await pause(20)
  collectGarbage()
  expect(await Promise.all(waits)).toMatchObject([{ name: 'TimeoutError' }, { name: 'TimeoutError' }])
})

test('aborts with the outer signal', () => {
  const outer = new AbortController()
  const signal = abortAfter(60_000, outer.signal)
  outer.abort('over')
  expect(signal.reason).toBe('over')
})
