import { setImmediate as nextIteration, setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { LoopMonitor } from '../../../src/agent/watch/loop-monitor.js'

let monitor = new LoopMonitor()
afterEach(() => monitor[Symbol.dispose]())

function holdLoop(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('measures the longest stall, and names the requests and runs that were in progress', async () => {
  monitor = new LoopMonitor(() => ['planning'])
  monitor.start()
  await nextIteration()
  {
    using _request = monitor.track('GET /slow')
    holdLoop(300)
  }
  await nextIteration()
  await nextIteration()
  expect(monitor.longest!.ms).toBeGreaterThanOrEqual(299)
  expect(monitor.longest!.during).toBe('GET /slow, a run (planning)')
  expect(monitor.check()).toMatchObject({
    name: 'event loop',
    state: 'ok',
    message: expect.stringMatching(/^longest stall: \d+ ms, at .*, during GET \/slow, a run \(planning\)$/) as string,
  })
})

test('counts runs in the same phase', async () => {
  monitor = new LoopMonitor(() => ['fetching', 'planning', 'fetching'])
  monitor.start()
  holdLoop(300)
  await nextIteration()
  await nextIteration()
  expect(monitor.longest!.during).toBe('a run (fetching) × 2, a run (planning)')
})

test('does not count the time that the loop sleeps', async () => {
  monitor = new LoopMonitor()
  monitor.start()
  await sleep(1_000)
  await nextIteration()
  await nextIteration()
  expect(monitor.longest!.ms).toBeLessThan(900)
})

/** Rounds of the loop while nothing but what is there already wakes it. */
async function roundsWithin(ms: number): Promise<number> {
  let rounds = 0
  const count = (): void => {
    rounds++
    hook = setImmediate(count).unref()
  }
  let hook = setImmediate(count).unref()
  await sleep(ms)
  clearImmediate(hook)
  return rounds
}

test('never wakes an idle loop', async () => {
  const before = await roundsWithin(500)
  monitor = new LoopMonitor()
  monitor.start()
  // A timer of 1 ms, or an immediate that is not unreferenced, would add hundreds.
  expect(await roundsWithin(500)).toBeLessThan(before + 100)
})
