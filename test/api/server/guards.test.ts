import { describe, expect, test } from 'vitest'
import { setImmediate as nextRound } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { bodyLimits } from '../../../src/api/server/bounded-body.js'
import { isKnownHost } from '../../../src/api/server/access.js'
import { mostSchemaProblems } from '../../../src/settings/schema/strict-object.js'
import { openDoor, sampleToken } from '../request-api.js'
import { cpuMs } from '../../cpu-time.js'

const stacks = '/api/v1/stacks'

describe('requests need the token:', () => {
  const refused: Readonly<Record<string, string>> = {
    'no token': '',
    'another token': 'Bearer nobody-knows',
    'a prefix of the token': `Bearer ${sampleToken.slice(0, -1)}`,
    'another scheme': `Basic ${sampleToken}`,
    'the token without scheme': sampleToken,
  }
  test.each(Object.entries(refused))('%s is refused', async (_, header) => {
    const door = openDoor()
    const { status, headers, body } = await door.request('GET', stacks, undefined, { Authorization: header })
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe('Bearer realm="gitmoor"')
    expect(body.error).toMatchObject({ status: 'auth', code: 'api/token' })
    expect(door.calls).toEqual([])
  })

  test.each(['Bearer', 'bearer', 'Token'])('the scheme %s is accepted', async (scheme) => {
    const { status } = await openDoor().request('GET', stacks, undefined, { Authorization: `${scheme} ${sampleToken}` })
    expect(status).toBe(200)
  })

  test('without the token, a missing path is not revealed', async () => {
    expect((await openDoor().request('GET', '/nowhere', undefined, { Authorization: '' })).status).toBe(401)
    expect((await openDoor().request('GET', '/api/v1/openapi.json', undefined, { Authorization: '' })).status).toBe(401)
  })
})

describe('allowed Host names:', () => {
  const known = new Set(['moor.example', '10.0.0.7:4470'])
  test.each([
    ['localhost', true],
    ['localhost:4470', true],
    ['127.0.0.1:1', true],
    ['127.1.2.3', true],
    ['[::1]:4470', true],
    ['moor.example', true],
    ['moor.example:8080', true],
    ['10.0.0.7:4470', true],
    ['10.0.0.7:4471', false],
    ['evil.example', false],
    ['localhost.evil.example', false],
    ['127.0.0.1.evil.example', false],
    ['127.0.0.1@evil.example', false],
    ['', false],
  ])('%s: %s', (host, expected) => {
    expect(isKnownHost(host, known)).toBe(expected)
  })

  test('an unknown Host is answered 421, with or without the token', async () => {
    const { status, body } = await openDoor().request('GET', stacks, undefined, { Host: 'evil.example' })
    expect(status).toBe(421)
    expect(body.error.hint).toContain('hosts')
  })

  test('health needs no token, under any Host', async () => {
    const door = openDoor({ readiness: async () => ({ ready: false, reason: 'stopping' }) })
    const strange = { Host: 'evil.example', Authorization: '' }
    expect(await door.request('GET', '/healthz', undefined, strange)).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    })
    expect(await door.request('GET', '/readyz', undefined, strange)).toMatchObject({
      status: 503,
      body: { ready: false, reason: 'stopping' },
    })
    expect(await openDoor().request('GET', '/readyz', undefined, strange)).toMatchObject({ status: 200 })
  })

  test('an error of a health check is logged and answered', async () => {
    const logged: string[] = []
    const ignore = (): void => {}
    const log = { debug: ignore, info: ignore, error: (message: string) => void logged.push(message) }
    const readiness = async (): Promise<never> => Promise.reject(new TypeError('broken'))
    expect(await openDoor({ readiness }, { log }).request('GET', '/readyz')).toMatchObject({ status: 500 })
    expect(logged).toEqual(['request failed'])
  })
})

describe('a body is bounded and JSON:', () => {
  const post = (body: string, headers: Readonly<Record<string, string>> = {}) =>
    openDoor().request('POST', `${stacks}/boards/plan`, body, headers)

  test('more than 4 MiB are refused', async () => {
    const { status, body } = await post(JSON.stringify({ ref: 'x'.repeat(bodyLimits.bytes) }))
    expect(status).toBe(413)
    expect(body.error.code).toBe('api/body-too-large')
  })

  test('more than 4 MiB are refused, also without a Content-Length', async () => {
    const piece = new Uint8Array(1024 * 1024).fill(32)
    let sent = 0
    const endless = new ReadableStream({
      pull: (controller) => {
        sent++
        controller.enqueue(piece)
      },
    })
    const headers = { Authorization: `Bearer ${sampleToken}`, 'Content-Type': 'application/json' }
    const request = new Request(`http://localhost${stacks}/boards/plan`, {
      method: 'POST',
      headers,
      body: endless,
      duplex: 'half',
    })
    expect((await openDoor().api.request(request)).status).toBe(413)
    expect(sent).toBeLessThan(8)
  })

  test('a compressed body is decompressed, and limited by its decompressed size', async () => {
    const send = async (
      body: Uint8Array<ArrayBuffer>,
      encoding = 'gzip',
    ): Promise<{ readonly status: number; readonly code?: string }> => {
      const headers = {
        Authorization: `Bearer ${sampleToken}`,
        'Content-Type': 'application/json',
        'Content-Encoding': encoding,
      }
      const answer = await openDoor().api.request(`${stacks}/boards/plan`, { method: 'POST', headers, body })
      const { error } = (await answer.json()) as { readonly error?: { readonly code: string } }
      return { status: answer.status, ...(error === undefined ? {} : { code: error.code }) }
    }
    const packed = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(gzipSync(text))
    expect(await send(packed('{}'))).toEqual({ status: 200 })
    expect(await send(packed(' '.repeat(bodyLimits.bytes + 1)))).toEqual({ status: 413, code: 'api/body-too-large' })
    expect(await send(new TextEncoder().encode('{}'))).toEqual({ status: 400, code: 'api/malformed-encoding' })
    expect(await send(packed('{}'), 'br')).toEqual({ status: 415, code: 'api/content-encoding' })
  })

  test('all bodies that are being read share one limit', async () => {
    const door = openDoor({}, { bodies: { budgetBytes: 2_000 } })
    let release = (): void => {}
    const slow = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(`{${' '.repeat(1_500)}`))
        release = () => (controller.enqueue(new TextEncoder().encode('}')), controller.close())
      },
    })
    const headers = { Authorization: `Bearer ${sampleToken}`, 'Content-Type': 'application/json' }
    const first = door.api.request(
      new Request(`http://localhost${stacks}/boards/plan`, { method: 'POST', headers, body: slow, duplex: 'half' }),
    )
    await nextRound()
    const second = await door.request('POST', `${stacks}/boards/plan`, `{${' '.repeat(1_000)}}`)
    expect(second).toMatchObject({ status: 503, body: { error: { code: 'api/overloaded' } } })
    expect(second.headers.get('retry-after')).toBe('1')
    release()
    expect((await first).status).toBe(200)
    expect((await door.request('POST', `${stacks}/boards/plan`, `{${' '.repeat(1_000)}}`)).status).toBe(200)
  })

  test('a request without the token is refused before its body is read', async () => {
    let read = 0
    const body = new ReadableStream<Uint8Array>(
      { pull: (controller) => (read++, controller.enqueue(new Uint8Array(1_000))) },
      { highWaterMark: 0 },
    )
    const request = new Request('http://localhost/api/v2/templates/apply', { method: 'POST', body, duplex: 'half' })
    expect((await openDoor().api.request(request)).status).toBe(401)
    expect(read).toBe(0)
  })

  test.each([
    ['another content type', '{}', { 'Content-Type': 'text/plain' }, 415, 'api/content-type'],
    ['JSON that is cut off', '{"ref":', {}, 400, 'api/malformed-json'],
    ['a list', '[]', {}, 422, 'api/invalid'],
    ['an unknown key', '{"reff":"beta"}', {}, 422, 'api/invalid'],
  ])('%s is refused', async (_, text, headers, status, code) => {
    const answer = await post(text, headers)
    expect(answer.status).toBe(status)
    expect(answer.body.error).toMatchObject({ status: 'usage', code })
  })

  test.each([
    ['DELETE', '/boards?uninstall=true', undefined],
    ['POST', '/boards/uninstall', { digest: 'true' }],
  ] as const)('a plan that is none says how to have one: %s %s', async (method, path, given) => {
    const { status, body } = await openDoor().request(method, stacks + path, given)
    expect(status).toBe(given === undefined ? 400 : 422)
    expect(body.error.message).toBe(
      `"${given === undefined ? 'uninstall' : 'digest'}" must be the digest of an uninstall plan: 12 to 64 hex digits, from \`POST …/plan\` with \`{"uninstall": true}\`.`,
    )
  })

  test('a digest to approve that is none says where it is printed', async () => {
    const { status, body } = await openDoor().request('POST', `${stacks}/boards/approve`, { digest: 'abc' })
    expect(status).toBe(422)
    expect(body.error.message).toBe('"digest" must be the digest of a plan: 12 to 64 hex digits.')
  })

  test.each(['/healthz', '/readyz', '/metrics'])('%s accepts any query parameter', async (path) => {
    expect((await openDoor().request('GET', `${path}?x=1&x=2`)).status).toBe(
      (await openDoor().request('GET', path)).status,
    )
  })

  test.each([
    ['a key twice', '{"ref":"a","ref":"b"}', 'api/duplicate', 'ref', 'The body repeats the key "ref".'],
    [
      'a key twice, once escaped, below others',
      '{"sources":[{},{"ref":"a","r\\u0065f":"b"}]}',
      'api/duplicate',
      'sources[1].ref',
      'The body repeats the key "sources[1].ref".',
    ],
    [
      'half of a character',
      '{"spec":{"description":"\\ud800"}}',
      'api/malformed-json',
      'spec.description',
      'The body is not valid JSON: "spec.description": an escape in the string that begins here is half of a character (a lone surrogate).',
    ],
    [
      'a number that is too large',
      '{"maxDeletes":1e999}',
      'api/malformed-json',
      'maxDeletes',
      'The body is not valid JSON: "maxDeletes": the number 1e999 is too large.',
    ],
  ])('%s is refused with its field', async (_, text, code, field, message) => {
    const { status, body } = await post(text)
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ status: 'usage', code, message, problems: [{ code, field, message }] })
  })

  test('a character that is written as two escapes is accepted', async () => {
    expect((await post('{"revision":"\\ud83d\\ude00"}')).body.error?.code).not.toBe('api/malformed-json')
  })

  test('the largest body is read within a slice of the event loop', async () => {
    const text = `{"revision":"${'x'.repeat(4_000_000)}"}`
    expect(await cpuMs(() => post(text))).toBeLessThan(5_000)
  })

  test('too many values are refused before they are read', async () => {
    const { status, body } = await post(`{"x":[${'1,'.repeat(300_000)}1]}`)
    expect(status).toBe(400)
    expect(body.error.code).toBe('api/too-many-values')
  })

  test('of many unknown keys and wrong values, the first hundred are described and the others counted', async () => {
    const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`unknown${at}`, 1]))
    const refused = await openDoor().request('POST', stacks, keys)
    const unknown = refused.body.error.problems as { message: string }[]
    expect(unknown).toHaveLength(mostSchemaProblems)
    expect(unknown.at(-1)!.message).toMatch(/^There are 199\d\d more problems\.$/)
    expect(refused.body.error.message).toMatch(/^The request has 200\d\d problems\.$/)
    const document = {
      name: 'boards',
      sources: [],
      dependsOn: Array.from({ length: 20_000 }, () => 1),
      ['x'.repeat(1_000)]: 1,
    }
    const wrong = await openDoor().request('POST', stacks, document)
    expect(wrong.status).toBe(422)
    expect(JSON.stringify(wrong.body).length).toBeLessThan(50_000)
  })

  test('all problems are reported at once, each with its field', async () => {
    const document = { name: 'Not A Label', sources: [], intervall: '30s', drift: 'corect' }
    const { status, body } = await openDoor().request('POST', stacks, document)
    expect(status).toBe(422)
    const problems = body.error.problems as { field: string; message: string }[]
    expect(problems.map((problem) => problem.field).sort()).toEqual(['drift', 'intervall', 'name', 'sources'])
    expect(JSON.stringify(problems)).toContain('interval')
    expect(JSON.stringify(problems)).toContain('correct')
  })
})

describe('parameters of a list are checked:', () => {
  test.each(['limit=0', 'limit=501', 'limit=many', `after=${'x'.repeat(4_001)}`])('%s', async (query) => {
    const { status, body } = await openDoor().request('GET', `${stacks}?${query}`)
    expect(status).toBe(400)
    expect(body.error.problems[0].field).toBe(query.split('=')[0])
  })

  test('the limit is at most 500', async () => {
    const door = openDoor()
    expect((await door.request('GET', `${stacks}?limit=500`)).status).toBe(200)
    expect(door.calls).toEqual([{ verb: 'listStacks', args: [{ limit: 500 }] }])
  })
})

test('requests wait until the agent has started; probes do not', async () => {
  let start = (): void => {}
  const door = openDoor({}, { started: new Promise<void>((resolve) => (start = resolve)) })
  const early = door.request('GET', '/api/v1/stacks')
  expect((await door.request('GET', '/healthz')).status).toBe(200)
  expect(door.calls).toEqual([])
  start()
  expect((await early).status).toBe(200)
})

describe('the name of the sender:', () => {
  test('without a name it is api', async () => {
    const door = openDoor()
    await door.request('POST', `${stacks}/boards/sync`)
    expect(door.calls[0]?.args).toEqual(['boards', 'api'])
  })

  test.each([
    ['ann', 'ann'],
    ['Bob M%C3%BCller', 'Bob Müller'],
    ['%E5%B1%B1%E7%94%B0 \\ %41nn', '山田 \\ Ann'],
  ])('%s is %s', async (header, name) => {
    const door = openDoor()
    await door.request('POST', `${stacks}/boards/sync`, undefined, { 'X-Gitmoor-By': header })
    expect(door.calls[0]?.args).toEqual(['boards', name])
  })

  const badHeaders = ['a%E2%80%AEb', 'a%1Bb', 'a%0Ab', 'Müller', 'a%', '%FF', '%ED%A0%80']
  test.each([...badHeaders, '\u009b31m', 'a\tb', '<script>', 'x'.repeat(101), ''])('%j is not a name', async (name) => {
    const { status, body } = await openDoor().request('POST', `${stacks}/boards/sync`, undefined, {
      'X-Gitmoor-By': name,
    })
    expect(status).toBe(400)
    expect(body.error.code).toBe('api/bad-name')
  })
})

describe('paths and methods:', () => {
  test('an unknown path is not found', async () => {
    const { status, body } = await openDoor().request('GET', '/api/v1/stack')
    expect(status).toBe(404)
    expect(body.error).toMatchObject({ status: 'not-found', code: 'api/not-found' })
  })

  test('a wrong method is answered with the allowed ones', async () => {
    const { status, headers, body } = await openDoor().request('PUT', `${stacks}/boards`)
    expect(status).toBe(405)
    expect(headers.get('allow')).toBe('DELETE, GET, PATCH')
    expect(body.error.hint).toContain('PATCH')
  })

  test('answers are not stored, not sniffed, and carry the id of their request', async () => {
    for (const path of [stacks, '/nowhere', '/healthz']) {
      const { headers } = await openDoor().request('GET', path)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('access-control-allow-origin')).toBeNull()
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(headers.get('content-type')).toContain('application/json')
    }
  })
})
