import { expect, test } from 'vitest'
import { WorkerThread } from '../../src/sandbox/worker-thread.js'

const program = 'answer = (question) => question + 1'

test('calls of an aborted caller fail, and do not reach the thread of the next caller', async () => {
  using thread = new WorkerThread<number, number>({ program, data: {}, memoryMb: 64 })
  const controller = new AbortController()
  let askLate: (() => Promise<number>) | undefined
  const aborted = thread.exclusively(async (ask) => {
    askLate = () => ask(1)
    return new Promise<never>(() => {})
  }, controller.signal)
  controller.abort(new Error('given up'))
  await expect(aborted).rejects.toThrow('given up')
  const next = thread.exclusively(async (ask) => [await ask(10), await ask(20)], new AbortController().signal)
  await expect(askLate!()).rejects.toThrow('aborted')
  expect(await next).toEqual([11, 21])
})
