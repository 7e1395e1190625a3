// The transfer of JSON: compressed, and not at all if the client has it.
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openDoor, sampleToken } from '../request-api.js'
import { sampleMove } from '../sample-views.js'

const many = { listMoves: async () => ({ items: Array.from({ length: 40 }, () => sampleMove), next: null }) }
const path = '/api/v1/channels/moves'

async function ask(
  headers: Readonly<Record<string, string>>,
  { method = 'GET', at = path } = {},
): Promise<{ readonly answer: Response; readonly bytes: Buffer }> {
  const given = { Authorization: `Bearer ${sampleToken}`, ...headers }
  const answer = await openDoor(many).api.fetch(new Request(`http://localhost${at}`, { method, headers: given }))
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) }
}

describe('JSON is compressed', () => {
  test.each([
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
  ] as const)('if the client accepts %s: by %s', async (accepted, encoding, decompress) => {
    const plain = await ask({})
    const { answer, bytes } = await ask({ 'Accept-Encoding': accepted })
    expect(answer.headers.get('Content-Encoding')).toBe(encoding)
    expect(answer.headers.get('Vary')).toBe('Accept-Encoding')
    expect(answer.headers.get('Content-Length')).toBe(String(bytes.length))
    expect(bytes.length).toBeLessThan(plain.bytes.length / 5)
    expect(decompress(bytes).toString()).toBe(plain.bytes.toString())
    expect(plain.answer.headers.get('Content-Encoding')).toBeNull()
    expect(plain.answer.headers.get('Vary')).toBe('Accept-Encoding')
  })

  test('but not a small answer, an error, or the answer of another method', async () => {
    const headers = { 'Accept-Encoding': 'gzip' }
    for (const one of [
      await ask(headers, { at: '/api/v1/overview/matrix?limit=0' }),
      await ask(headers, { at: '/api/v1/targets' }),
      await ask(headers, { at: '/api/v1/stacks/boards/suspend', method: 'POST' }),
    ])
      expect(one.answer.headers.get('Content-Encoding')).toBeNull()
  })
})

describe('a client that has the answer', () => {
  test('gets 304 without a body, whatever encoding it accepts', async () => {
    const tag = (await ask({})).answer.headers.get('ETag')!
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/)
    for (const given of [tag, `"other", ${tag}`, tag.replace('W/', ''), '*']) {
      const { answer, bytes } = await ask({ 'If-None-Match': given, 'Accept-Encoding': 'gzip' })
      expect([given, answer.status, bytes.length]).toEqual([given, 304, 0])
      expect(answer.headers.get('ETag')).toBe(tag)
      expect(answer.headers.get('Vary')).toBe('Accept-Encoding')
      expect(answer.headers.get('X-Request-Id')).not.toBeNull()
    }
    expect((await ask({ 'If-None-Match': 'W/"other"' })).answer.status).toBe(200)
  })

  test('gets the whole stack: its tag is for If-Match, and does not cover the status', async () => {
    const at = '/api/v1/stacks/boards'
    const tag = (await ask({}, { at })).answer.headers.get('ETag')!
    expect(tag).not.toMatch(/^W/)
    expect((await ask({ 'If-None-Match': tag }, { at })).answer.status).toBe(200)
  })

  test('asks with HEAD, and gets the headers of GET', async () => {
    const headers = { 'Accept-Encoding': 'gzip' }
    const get = await ask(headers)
    const head = await ask(headers, { method: 'HEAD' })
    expect(head.bytes.length).toBe(0)
    for (const name of ['ETag', 'Content-Length', 'Content-Encoding', 'Vary'])
      expect([name, head.answer.headers.get(name)]).toEqual([name, get.answer.headers.get(name)])
  })
})
