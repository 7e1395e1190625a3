import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { answerLines } from '../../../src/api/server/line-stream.js'

function app(produce: Parameters<typeof answerLines>[1]): Hono {
  const api = new Hono()
  api.onError((error, c) => c.text(error.message, 500))
  return api.get('/', (c) => answerLines(c, produce))
}

test('each value is a line, sent before the next one is known', async () => {
  let proceed = (): void => {}
  const api = app(async (give) => {
    give({ name: 'a' })
    await new Promise<void>((resolve) => (proceed = resolve))
    give({ name: 'b' })
  })
  const { status, headers, body } = await api.request('/')
  expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader.read()).value).toBe('{"name":"a"}\n')
  proceed()
  expect((await reader.read()).value).toBe('{"name":"b"}\n')
  expect((await reader.read()).done).toBe(true)
})

test('nothing is an empty answer', async () => {
  const answer = await app(async () => {}).request('/')
  expect([answer.status, await answer.text()]).toEqual([200, ''])
})

test('an error before the first value is an error answer; later the answer breaks off', async () => {
  const early = await app(() => Promise.reject(new Error('early'))).request('/')
  expect([early.status, await early.text()]).toEqual([500, 'early'])
  const late = await app(async (give) => {
    give({ name: 'a' })
    throw new Error('late')
  }).request('/')
  expect(late.status).toBe(200)
  await expect(late.text()).rejects.toThrow('late')
})

test('a client that leaves stops nothing', async () => {
  let proceed = (): void => {}
  let isDone = false
  const api = app(async (give) => {
    give({ name: 'a' })
    await new Promise<void>((resolve) => (proceed = resolve))
    give({ name: 'b' })
    isDone = true
  })
  await (await api.request('/')).body!.cancel()
  proceed()
  await new Promise((resolve) => setImmediate(resolve))
  expect(isDone).toBe(true)
})
