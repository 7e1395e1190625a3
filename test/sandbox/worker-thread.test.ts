import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
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

test('a thread that ended by itself is not asked again: the next call starts a new one', async () => {
  const endsAfter0 = `${program}
    const next = answer
    answer = (question) => {
      if (question === 0) setImmediate(() => process.exit())
      return next(question)
    }`
  using thread = new WorkerThread<number, number>({ program: endsAfter0, data: {}, memoryMb: 64 })
  const ask = (question: number): Promise<number> =>
    thread.exclusively((given) => given(question), new AbortController().signal)
  const ended = once(process, 'worker').then(([worker]) => once(worker as Worker, 'exit'))
  expect(await ask(0)).toBe(1)
  await ended
  expect(await ask(10)).toBe(11)
})
