// Clients that are slow, that lie, that come in large numbers: over a real socket, to a real agent.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createApi } from '../../../src/api/api.js'
import { digestToken } from '../../../src/api/server/access.js'
import { errorAnswerSchema } from '../../../src/views/errors/error.js'
import { serveApi, type RunningServer } from '../../../src/api/server/server.js'
import { label, yaml } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { useWorld } from '../../e2e/world.js'
import { RawClient } from './raw-client.js'

const world = useWorld()
const token = 'a-token-for-tests'
const head = `Host: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`
const json = 'Content-Type: application/json\r\n'
const list = '/api/v1/stacks'

let served: RunningServer
let serve: (requestMs: number) => Promise<RunningServer>
let clients: RawClient[]
const failed: object[] = []

beforeEach(async () => {
  clients = []
  failed.length = 0
  const log = {
    debug: () => {},
    info: () => {},
    error: (message: string, facts: object) => failed.push({ message, ...facts }),
  }
  const concurrency = { requests: 40, waiting: 20 }
  const api = createApi({
    call: world().call,
    tokenDigest: digestToken(token),
    hosts: [],
    version: '0',
    log,
    concurrency,
    extensions: [],
  })
  serve = (requestMs) =>
    serveApi(api, {
      host: '127.0.0.1',
      port: 0,
      graceMs: 100,
      limits: { headMs: requestMs / 2, requestMs, connections: 60 },
    })
  served = await serve(600)
  await world().push(label('red'))
  await world().create('boards')
})
afterEach(async () => {
  for (const client of clients) client.destroy()
  await served.close()
})

async function client(): Promise<RawClient> {
  const one = await RawClient.connect(served.url)
  clients.push(one)
  return one
}

/** The status and the error of an answer. */
function errorOf(answer: string): { readonly status: number; readonly code: string } {
  const [first = '', ...rest] = answer.split('\r\n\r\n')
  const { error } = errorAnswerSchema.parse(JSON.parse(rest.join('\r\n\r\n')))
  return { status: Number(first.split(' ')[1]), code: error.code }
}

/** It answers, and the agent syncs what is pushed. */
async function expectAtWork(): Promise<void> {
  await world().push(yaml(label('red'), label(`l${Date.now()}`)))
  expect((await world().sync('boards')).outcome).toBe('applied')
  const one = await client()
  one.write(`GET ${list} HTTP/1.1\r\n${head}Connection: close\r\n\r\n`)
  expect(await one.closed()).toMatch(/^HTTP\/1\.1 200/)
  expect(failed).toEqual([])
}

/** What is answered to each of these texts, all sent at once. */
async function answersTo(texts: Readonly<Record<string, string>>): Promise<Readonly<Record<string, object>>> {
  const answers = Object.entries(texts).map(async ([what, text]) => {
    const one = (await client()).write(text)
    await until('it is answered', () => one.text.includes('\r\n\r\n') && one.text.endsWith('}'))
    const error = errorOf(one.text)
    await one.closed()
    return [what, error] as const
  })
  return Object.fromEntries(await Promise.all(answers))
}

test('an unknown Expect header is ignored', async () => {
  const one = (await client()).write(
    `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: wonders\r\nConnection: close\r\n\r\n`,
  )
  expect(await one.closed()).toMatch(/^HTTP\/1\.1 200/)
})

describe('a request that does not arrive in time is closed', () => {
  test('with 408', async () => {
    const slow = {
      'headers that do not end': `GET ${list} HTTP/1.1\r\n${head}`,
      'a body that does not come': `POST ${list} HTTP/1.1\r\n${head}${json}Content-Length: 10\r\n\r\n`,
      'a body shorter than its length': `POST ${list} HTTP/1.1\r\n${head}${json}Content-Length: 10\r\n\r\n{}`,
      'chunks that do not end': `POST ${list} HTTP/1.1\r\n${head}${json}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`,
    }
    const closedOut = { status: 408, code: 'api/request-timeout' }
    expect(await answersTo(slow)).toEqual(Object.fromEntries(Object.keys(slow).map((what) => [what, closedOut])))
    await expectAtWork()
  })

  test('a body that arrives byte by byte', async () => {
    const one = (await client()).write(`POST ${list} HTTP/1.1\r\n${head}${json}Content-Length: 100000\r\n\r\n`)
    const drip = setInterval(() => one.write(' '), 20)
    expect(errorOf(await one.closed())).toEqual({ status: 408, code: 'api/request-timeout' })
    clearInterval(drip)
    await expectAtWork()
  })

  test('a silent connection is closed', async () => {
    await (await client()).closed()
    await expectAtWork()
  })

  test('a client that does not read its answers is dropped', async () => {
    const one = (await client()).stopReading()
    const ask = `GET /api/v1/openapi.json HTTP/1.1\r\n${head}\r\n`
    for (let i = 0; i < 2_000; i++) one.write(ask)
    await until('it is dropped', () => !one.write(ask).open)
    await expectAtWork()
  })
})

test('malformed and oversized HTTP is refused in the shape of every error', async () => {
  const large = 5 * 1024 * 1024
  const post = `POST ${list} HTTP/1.1\r\n${head}${json}`
  const chunk = `${large.toString(16)}\r\n${' '.repeat(large)}\r\n0\r\n\r\n`
  const refused: Readonly<Record<string, readonly [text: string, status: number, code: string]>> = {
    'no HTTP at all': ['\u0016\u0003\u0001 hello\r\n\r\n', 400, 'api/malformed'],
    'headers of 20 KiB': [
      `GET ${list} HTTP/1.1\r\n${head}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'api/head-too-large',
    ],
    'two lengths': [`${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400, 'api/malformed'],
    'a length and chunks': [
      `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'api/malformed',
    ],
    'a negative length': [`${post}Content-Length: -1\r\n\r\n`, 400, 'api/malformed'],
    'malformed chunks': [`${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`, 400, 'api/malformed'],
    'a backslash for a path': [`GET \\evil HTTP/1.1\r\n${head}Connection: close\r\n\r\n`, 400, 'api/malformed'],
    'HTTP/1.0 without a host': [`GET ${list} HTTP/1.0\r\nAuthorization: Bearer ${token}\r\n\r\n`, 400, 'api/malformed'],
    'HTTP/1.1 without a host': [
      `GET ${list} HTTP/1.1\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
      400,
      'api/malformed',
    ],
    '5 MiB with a Content-Length': [
      `${post}Content-Length: ${large}\r\nConnection: close\r\n\r\n`,
      413,
      'api/body-too-large',
    ],
    '5 MiB in chunks': [
      `${post}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunk}`,
      413,
      'api/body-too-large',
    ],
    '5 MiB without the token': [
      `POST ${list} HTTP/1.1\r\nHost: 127.0.0.1\r\n${json}Content-Length: ${large}\r\nConnection: close\r\n\r\n`,
      401,
      'api/token',
    ],
  }
  const answers = await answersTo(Object.fromEntries(Object.entries(refused).map(([what, [text]]) => [what, text])))
  expect(answers).toEqual(
    Object.fromEntries(Object.entries(refused).map(([what, [, status, code]]) => [what, { status, code }])),
  )
  await expectAtWork()
})

describe('unusual but valid requests are served:', () => {
  test('HTTP/1.0', async () => {
    const one = (await client()).write(`GET ${list} HTTP/1.0\r\n${head}\r\n`)
    expect(await one.closed()).toMatch(/^HTTP\/1\.1 200 [^]*"boards"/)
  })

  test('pipelined requests, in their order', async () => {
    const paths = ['/healthz', list, '/nowhere', '/readyz', `${list}/boards`, `${list}/nothing`]
    const one = await client()
    one.write(
      paths
        .map(
          (path, at) => `GET ${path} HTTP/1.1\r\n${head}${at === paths.length - 1 ? 'Connection: close\r\n' : ''}\r\n`,
        )
        .join(''),
    )
    await one.closed()
    expect(one.statuses()).toEqual([200, 200, 404, 200, 200, 404])
  })
})

describe('pipelined requests', () => {
  const pipelined = (count: number): string => 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(count)

  test('are answered one per turn of the event loop', async () => {
    const one = (await client()).write(pipelined(50))
    let turns = 0
    let next = setImmediate(function count() {
      turns++
      next = setImmediate(count)
    })
    await until('all are answered', () => one.statuses().length === 50)
    clearImmediate(next)
    expect(turns).toBeGreaterThan(50)
  })

  test('are limited, then the connection is closed', async () => {
    const one = (await client()).write(pipelined(1_000))
    expect((await one.closed()).length).toBeLessThan(1_000)
    await expectAtWork()
  })
})

describe('many clients at once', () => {
  const waiting = `${list}/boards/wait`
  const body = JSON.stringify({ revision: 'abcdef0', timeoutMs: 60_000 })
  const wait = `POST ${waiting} HTTP/1.1\r\n${head}${json}Content-Length: ${body.length}\r\n\r\n${body}`
  const probe = async (): Promise<string> =>
    (await client()).write(`GET ${list}/boards/runs/1?waitMs=1 HTTP/1.1\r\n${head}Connection: close\r\n\r\n`).closed()

  test('that wait: a limited number is served, others get 503 at once, and ordinary requests still work', async () => {
    await served.close()
    served = await serve(60_000)
    const all = await Promise.all(Array.from({ length: 30 }, client))
    for (const one of all) one.write(wait)
    await until('ten are answered', () => all.filter(({ text }) => text.endsWith('}')).length === 10)
    for (const { text } of all.filter(({ text }) => text !== '')) {
      expect(errorOf(text)).toEqual({ status: 503, code: 'api/overloaded' })
      expect(text).toMatch(/retry-after: 1/i)
    }
    await expectAtWork()
    for (const one of all) one.destroy()
    await until('there is room again', async () => (await probe()).startsWith('HTTP/1.1 200'))
  })

  test('on one connection count once', async () => {
    await served.close()
    served = await serve(60_000)
    const one = (await client()).write(wait.repeat(100))
    for (let i = 0; i < 3; i++) expect(await probe()).toMatch(/^HTTP\/1\.1 200/)
    expect([one.open, one.text]).toEqual([true, ''])
    await expectAtWork()
  })

  test('with requests in progress: further connections get 503, health checks still work, and later there is room', async () => {
    await served.close()
    served = await serve(60_000)
    const all = await Promise.all(Array.from({ length: 60 }, client))
    // Bodies that never end.
    for (const one of all) one.write(`POST ${list} HTTP/1.1\r\n${head}${json}Content-Length: 10\r\n\r\n{`)
    const ask = async (path: string): Promise<string> =>
      (await client()).write(`GET ${path} HTTP/1.1\r\n${head}Connection: close\r\n\r\n`).closed()
    expect(errorOf(await ask(list))).toEqual({ status: 503, code: 'api/overloaded' })
    expect(await ask('/healthz')).toMatch(/^HTTP\/1\.1 200/)
    for (const one of all) one.destroy()
    await until('there is room again', async () => (await ask(list)).startsWith('HTTP/1.1 200'))
    await expectAtWork()
  })

  test.each<readonly [what: string, text: string]>([
    ['that are silent', ''],
    ['with headers that never end', `GET ${list}/boards HTTP/1.1\r\nHost: 127.0.0.1\r\n`],
    ['that are kept open', `GET /healthz HTTP/1.1\r\n${head}\r\n`],
  ])('of connections %s make room for new ones', async (_, text) => {
    const all: RawClient[] = []
    for (let at = 0; at < 300; at++) {
      const one = await client()
      if (text !== '') one.write(text)
      all.push(one)
    }
    const health = (await client()).write(`GET /healthz HTTP/1.1\r\n${head}Connection: close\r\n\r\n`)
    expect(await health.closed()).toMatch(/^HTTP\/1\.1 200/)
    const ordinary = (await client()).write(`GET ${list} HTTP/1.1\r\n${head}Connection: close\r\n\r\n`)
    expect(await ordinary.closed()).toMatch(/^HTTP\/1\.1 200/)
    await until('no more are open than there may be', () => all.filter(({ open }) => open).length <= 60)
    await expectAtWork()
  })

  test('that disconnect leave nothing behind', async () => {
    for (let round = 0; round < 5; round++) {
      const all = await Promise.all(Array.from({ length: 20 }, client))
      for (const one of all) one.write(wait)
      await until('they wait', () => world().server.seen.length > 0)
      for (const one of all) one.destroy()
    }
    await until('all are let go', async () => (await probe()).startsWith('HTTP/1.1 200'))
    await expectAtWork()
  })
})
