import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { onAbort } from '../../../src/lib/async/on-abort.js'

test('all that waits for a signal is called once, in its order, by one listener', () => {
  const controller = new AbortController()
  const called: number[] = []
  for (const at of [1, 2, 3]) onAbort(controller.signal, () => called.push(at))
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
  controller.abort()
  controller.abort()
  expect(called).toEqual([1, 2, 3])
})

test('the same function may wait twice, and stops waiting once for each', () => {
  const controller = new AbortController()
  let calls = 0
  const count = (): void => void calls++
  const stop = onAbort(controller.signal, count)
  onAbort(controller.signal, count)
  stop()
  stop()
  controller.abort()
  expect(calls).toBe(1)
})

test('a signal has no listener when nothing waits for it, also if something waits again', () => {
  const { signal } = new AbortController()
  const [first, second] = [onAbort(signal, () => {}), onAbort(signal, () => {})]
  first()
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  second()
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  onAbort(signal, () => {})()
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('ten thousand wait for one signal in less than a second', () => {
  const { signal } = new AbortController()
  const began = performance.now()
  for (let at = 0; at < 10_000; at++) onAbort(signal, () => {})
  expect(performance.now() - began).toBeLessThan(1_000)
})
