// Requests at the edges: load, lost answers, and answers that are not of InfluxDB.
import { expect, test } from 'vitest'
import { mostPauseMs, pausesMs } from '../../../src/influxdb/driver/server/api-client.js'
import { openHttpApi, sendJson } from './http-api.js'

const { signal } = new AbortController()
const get = { method: 'GET', path: '/api/v2/buckets?orgID=1' } as const
const post = { method: 'POST', path: '/api/v2/buckets', body: { name: 'raw' } } as const

test('a request has the token, and its JSON answer is read', async () => {
  await using api = await openHttpApi((_, response) => sendJson(response, { id: '1' }))
  expect(await api.client.request(post, signal)).toEqual({ id: '1' })
  expect(api.server.seen[0]!.headers).toMatchObject({
    authorization: 'Token the-token',
    'content-type': 'application/json',
  })
})

test('an answer without a body is no JSON, and no error', async () => {
  await using api = await openHttpApi((_, response) => void response.writeHead(204).end())
  expect(await api.client.request({ method: 'DELETE', path: '/api/v2/buckets/1' }, signal)).toBe(undefined)
})

test('a server with too much to do is asked again when it says, also for a creation', async () => {
  await using api = await openHttpApi((_, response, before) =>
    before === 0 ? void response.writeHead(429, { 'retry-after': '3' }).end() : sendJson(response, { id: '1' }),
  )
  expect(await api.client.request(post, signal)).toEqual({ id: '1' })
  expect(api.pauses).toEqual([3_000])
})

test('a server that asks for a long pause is not asked again', async () => {
  await using api = await openHttpApi((_, response) => void response.writeHead(429, { 'retry-after': '60' }).end())
  await expect(api.client.request(get, signal)).rejects.toMatchObject({
    code: 'influxdb/too-many-requests',
    retryAfterMs: 60_000,
  })
  expect(mostPauseMs).toBeLessThan(60_000)
  expect([api.server.seen.length, api.pauses]).toEqual([1, []])
})

test.each<[string, 'GET' | 'POST', number]>([
  ['is repeated', 'GET', 1 + pausesMs.length],
  ['that creates is not repeated: it may have taken effect', 'POST', 1],
])('a request whose connection is reset %s', async (_, method, times) => {
  await using api = await openHttpApi((request) => void request.socket.resetAndDestroy())
  await expect(api.client.request({ ...get, method }, signal)).rejects.toMatchObject({
    code: expect.stringMatching(/^influxdb\//) as string,
  })
  expect(api.server.seen).toHaveLength(times)
})

test.each<[string, string]>([
  ['an HTML page', '<!doctype html><title>Log in</title>'],
  ['truncated JSON', '{"buckets": [{"id": "1"'],
])('%s in place of an answer names the setting to check', async (_, body) => {
  await using api = await openHttpApi((_request, response) => void response.writeHead(200).end(body))
  await expect(api.client.request(post, signal)).rejects.toMatchObject({
    code: 'influxdb/not-json',
    hint: expect.stringContaining('targets.prod.url') as string,
  })
})

test('an answer that ends before its length is a lost answer', async () => {
  await using api = await openHttpApi((_, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{"id": "1"}', () => response.destroy())
  })
  await expect(api.client.request(post, signal)).rejects.toMatchObject({ name: 'Unavailable' })
  expect(api.server.seen).toHaveLength(1)
})

test('an answer beyond the limit is refused', async () => {
  const chunk = Buffer.alloc(1024 * 1024, ' ')
  await using api = await openHttpApi((_, response) => {
    let left = 66
    const more = (): void => {
      if (response.destroyed) return
      if (left-- === 0) return void response.end()
      response.write(chunk, more)
    }
    response.writeHead(200)
    more()
  })
  await expect(api.client.request(post, signal)).rejects.toThrow(/more than \d+ bytes/)
})
