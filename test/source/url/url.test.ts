// A single file behind http: what is asked, what is kept, and everything a server may answer.
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Unavailable } from '../../../src/model/errors.js'
import type { SourceRevision } from '../../../src/source/source.js'
import { UrlSource, type UrlSourceOptions } from '../../../src/source/url/url-source.js'
import { startFileServer, type FileServer } from '../../file-server.js'
import { openAccess, type AccessOptions } from '../access.js'
import { errorOf, LIMITS, never } from '../git-world.js'

let root: string
let server: FileServer
let opened: AsyncDisposable[] = []
let source: UrlSource

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-url-')))
  server = await startFileServer()
  source = open()
})
afterEach(async () => {
  for (const one of opened) await one[Symbol.asyncDispose]()
  opened = []
  await server[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})

function open(options: Partial<UrlSourceOptions> & AccessOptions = {}): UrlSource {
  const access = openAccess(options)
  opened.push(access)
  return new UrlSource({ directory: join(root, 'url'), limits: LIMITS, networks: [], access, ...options })
}

const remote = (path = '/boards.yml', from = server): string => `url:${from.url}${path}`
const any = (): boolean => true

async function stateAt(at = source, of = remote()): Promise<string> {
  return ((await at.poll(of, [''], never)).get('') as SourceRevision).state
}
async function readAt(at: UrlSource, state: string, of = remote()): Promise<readonly [string, string]> {
  const [file] = await at.files(of, state, '', any, never)
  return [file!.path, Buffer.from(file!.bytes).toString('utf8')]
}
function copies(): readonly string[] {
  return existsSync(join(root, 'url')) ? readdirSync(join(root, 'url')).map((name) => join(root, 'url', name)) : []
}

describe('the stored copy', () => {
  test('an unchanged file costs an answer of 304, also after a restart, and is read from the copy', async () => {
    server.serve('/boards.yml', 'a: 1\n', { 'last-modified': 'Sat, 21 Nov 2026 04:00:00 GMT' })
    const state = await stateAt()
    server.reset()
    const again = open()
    expect(await stateAt(again)).toBe(state)
    expect(server.seen).toHaveLength(1)
    expect(server.seen[0]!.headers).toMatchObject({
      'if-none-match': expect.any(String) as string,
      'if-modified-since': 'Sat, 21 Nov 2026 04:00:00 GMT',
    })
    expect(await readAt(again, state)).toEqual(['boards.yml', 'a: 1\n'])
    expect(server.seen).toHaveLength(1)
  })

  test('copies of unused remotes are removed, others stay', async () => {
    server.serve('/boards.yml', 'a: 1\n')
    server.serve('/other.yml', 'b: 2\n')
    const state = await stateAt()
    await stateAt(source, remote('/other.yml'))
    expect(copies()).toHaveLength(2)
    const both = { remotes: [remote()], undecided: [remote('/other.yml')] }
    expect(await source.keepOnly(both)).toBe(0)
    expect(await source.keepOnly({ remotes: [remote()], undecided: [] })).toBe(1)
    expect(copies()).toHaveLength(1)
    server.reset()
    expect(await readAt(source, state)).toEqual(['boards.yml', 'a: 1\n'])
    expect(server.seen).toHaveLength(0)
  })

  test('a file without validators is downloaded again, and its digest shows no change', async () => {
    server.answer((_, response) => void response.end('a: 1\n'))
    const state = await stateAt()
    expect(await stateAt()).toBe(state)
    expect(server.seen[1]!.headers).not.toHaveProperty('if-none-match')
  })

  test.each([
    ['was cut', (bytes: Buffer) => bytes.subarray(0, -2)],
    ['was changed', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -1), Buffer.from('x')])],
    ['is empty', () => Buffer.alloc(0)],
  ])('a copy that %s is fetched again', async (_, damage) => {
    server.serve('/boards.yml', 'a: 1\n')
    const state = await stateAt()
    const [file] = copies()
    writeFileSync(file!, damage(readFileSync(file!)))
    server.reset()
    expect(await readAt(open(), state)).toEqual(['boards.yml', 'a: 1\n'])
    expect(server.seen[0]!.headers).not.toHaveProperty('if-none-match')
  })

  test('it is one file, of its owner alone', async () => {
    server.serve('/boards.yml', 'a: 1\n')
    await stateAt()
    server.serve('/boards.yml', 'a: 2\n')
    await stateAt()
    expect(copies()).toHaveLength(1)
    expect(statSync(copies()[0]!).mode & 0o777).toBe(0o600)
  })

  test('reading fails if the file changed since the poll', async () => {
    server.serve('/boards.yml', 'a: 1\n')
    const state = await stateAt()
    server.serve('/boards.yml', 'a: 2\n')
    await stateAt()
    expect(await errorOf(source.files(remote(), state, '', any, never))).toMatchObject({
      name: 'Unavailable',
      code: 'source/changed-meanwhile',
    })
  })
})

test.each([
  ['/boards.yaml', 'text/plain', 'a: 1', 'boards.yaml'],
  ['/boards.JSON', 'text/plain', '[]', 'boards.json'],
  ['/boards', 'application/json; charset=utf-8', '[]', 'boards.json'],
  ['/boards', 'application/vnd.acme+json', '{}', 'boards.json'],
  ['/boards', '', ' [1]', 'boards.json'],
  ['/boards', 'application/yaml', 'a: 1', 'boards.yml'],
  ['/', '', 'a: 1', 'package.yml'],
  ['/.hidden.yml', '', 'a: 1', 'hidden.yml'],
  ['/a%20b.yml', '', 'a: 1', 'a-20b.yml'],
])('the file at %s of type %j that begins with %j is named %s', async (path, type, text, name) => {
  server.answer((_, response) => void response.writeHead(200, type === '' ? {} : { 'content-type': type }).end(text))
  const of = source.remoteOf({ kind: 'url', url: server.url + path })
  expect((await readAt(source, await stateAt(source, of), of))[0]).toBe(name)
})

test('a required digest is compared with the file, for each ref', async () => {
  server.serve('/boards.yml', 'a: 1\n')
  const state = await stateAt()
  const other = `sha256:${'0'.repeat(64)}`
  const seen = await source.poll(remote(), ['', state, other], never)
  expect(seen.get('')).toEqual({ name: '', state })
  expect(seen.get(state)).toEqual({ name: '', state })
  expect(seen.get(other)).toMatchObject({
    name: 'Rejected',
    code: 'source/digest-mismatch',
    hint: expect.stringContaining(state) as string,
  })
})

describe('an answer', () => {
  test.each([
    [401, 'Rejected', 'source/unauthorized'],
    [403, 'Rejected', 'source/unauthorized'],
    [404, 'Rejected', 'source/not-found'],
    [410, 'Rejected', 'source/not-found'],
    [204, 'Rejected', 'source/not-a-file'],
    [206, 'Rejected', 'source/not-a-file'],
    [418, 'Rejected', 'source/not-a-file'],
    [500, 'Unavailable', 'source/server-error'],
    [503, 'Unavailable', 'source/server-error'],
    [304, 'Unavailable', 'source/server-error'],
  ])('of %i is %s %s', async (status, name, code) => {
    server.answer((_, response) => void response.writeHead(status).end())
    const error = await errorOf(source.poll(remote(), [''], never))
    expect(error).toMatchObject({ name, code })
    expect(error.message).toContain(`${server.url}/boards.yml`)
  })

  test('of 429 says when to ask again', async () => {
    server.answer((_, response) => void response.writeHead(429, { 'retry-after': '120' }).end())
    expect(await errorOf(source.poll(remote(), [''], never))).toMatchObject({
      code: 'source/too-many-requests',
      retryAfterMs: 120_000,
    })
  })

  test.each([
    ['by its type', { 'content-type': 'text/html; charset=utf-8' }, 'sign in'],
    ['by its text', { 'content-type': 'text/plain' }, '\n<!DOCTYPE html><html><body>sign in</body></html>'],
  ])('that is a page %s is refused as one', async (_, headers, text) => {
    server.answer((_request, response) => void response.writeHead(200, headers).end(text))
    expect(await errorOf(source.poll(remote(), [''], never))).toMatchObject({
      name: 'Rejected',
      code: 'source/not-a-file',
      message: expect.stringContaining('answered with an HTML page') as string,
    })
    expect(copies()).toEqual([])
  })

  test('that is larger than limits.fileBytes is not read to its end', async () => {
    let sent = 0
    server.answer((_, response) => {
      const chunk = Buffer.alloc(64 * 1024, 'a')
      const more = (): void => {
        while (!response.destroyed && sent < 200_000_000) {
          sent += chunk.length
          if (!response.write(chunk)) return void response.once('drain', more)
        }
      }
      more()
    })
    expect(await errorOf(source.poll(remote(), [''], never))).toMatchObject({
      name: 'Rejected',
      code: 'source/file-too-large',
    })
    expect(sent).toBeLessThan(60_000_000)
  })

  test('that is encoded is refused, since its size would not be known', async () => {
    server.answer((_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'))
    expect(await errorOf(source.poll(remote(), [''], never))).toMatchObject({ code: 'source/not-a-file' })
  })

  test('that is cut short is not kept', async () => {
    server.answer((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('a: 1')
      setImmediate(() => response.destroy())
    })
    expect(await errorOf(source.poll(remote(), [''], never))).toMatchObject({
      name: 'Unavailable',
      code: 'source/unreachable',
    })
    expect(copies()).toEqual([])
  })

  test('of a byte now and then ends with the time for all of it', async () => {
    let timer: NodeJS.Timeout | undefined
    server.answer((_, response) => {
      response.writeHead(200)
      timer = setInterval(() => response.write('a'), 20)
      response.on('close', () => clearInterval(timer))
    })
    const slow = open({ limits: { ...LIMITS, gitRequestMs: 200, fetchMs: 400 } })
    expect(await errorOf(slow.poll(remote(), [''], never))).toMatchObject({
      name: 'Unavailable',
      code: 'source/timeout',
      message: expect.stringContaining('did not finish') as string,
    })
    clearInterval(timer)
  })

  test('that never comes ends with the time for silence', async () => {
    server.answer(() => undefined)
    const slow = open({ limits: { ...LIMITS, gitRequestMs: 100 } })
    expect(await errorOf(slow.poll(remote(), [''], never))).toMatchObject({
      code: 'source/timeout',
      message: expect.stringContaining('sent nothing') as string,
    })
  })

  test('ends when its signal aborts', async () => {
    server.answer(() => undefined)
    const stop = new AbortController()
    const looking = errorOf(source.poll(remote(), [''], stop.signal))
    stop.abort(new Error('stop now'))
    expect((await looking).message).toBe('stop now')
  })
})

describe('a redirect', () => {
  const to = (location: string): void =>
    server.answer((request, response) => {
      if (request.url === '/real.yml') return void response.end('a: 1\n')
      response.writeHead(302, { location }).end()
    })

  test('within the same origin is followed', async () => {
    to('/real.yml')
    expect(await stateAt()).toMatch(/^sha256:/)
  })

  test('without an address, with a password, or to another scheme is refused', async () => {
    for (const location of ['http://', 'http://user:secret@127.0.0.1/x', 'ftp://127.0.0.1/x', 'file:///etc/passwd']) {
      to(location)
      const error = await errorOf(source.poll(remote(), [''], never))
      expect(error).toMatchObject({ name: 'Rejected' })
      expect(error.message).not.toContain('secret')
    }
  })

  test('in a circle has a message of its own', async () => {
    server.answer(
      (request, response) =>
        void response.writeHead(302, { location: request.url === '/a' ? '/boards.yml' : '/a' }).end(),
    )
    expect(await errorOf(source.poll(remote(), [''], never))).toMatchObject({ code: 'source/redirect-loop' })
    expect(server.seen).toHaveLength(2)
  })

  test('is followed three times and no more', async () => {
    const hops = (most: number): void =>
      server.answer((request, response) => {
        const n = Number(request.url!.slice(2)) || 0
        if (n === most) response.end('a: 1\n')
        else response.writeHead(307, { location: `/h${n + 1}` }).end()
      })
    hops(3)
    expect(await stateAt()).toMatch(/^sha256:/)
    hops(4)
    expect(await errorOf(source.poll(remote(), [''], never))).toMatchObject({
      code: 'source/redirected',
      message: expect.stringContaining('more than 3 times') as string,
    })
  })

  test.each([
    'http://127.0.0.1:9/x',
    'http://10.1.2.3/x',
    'http://169.254.169.254/x',
    'http://[::1]/x',
    'http://[::ffff:10.0.0.1]/x',
    'http://0.0.0.0/x',
    'http://100.64.0.1/x',
    'http://[fd00::1]/x',
    'http://[2002:7f00:1::]/x',
    'http://192.168.1.1/x',
    'http://172.31.0.1/x',
    'http://224.0.0.1/x',
  ])('to %s is refused without a connection', async (location) => {
    to(location)
    expect(await errorOf(source.poll(remote(), [''], never))).toMatchObject({
      name: 'Rejected',
      code: 'source/redirected',
      message: expect.stringContaining('private network') as string,
    })
  })

  test('to a name with a private address is refused by the address at connection time', async () => {
    to('http://inner.example/x')
    const looked: string[] = []
    const named = open({
      resolveHost: (host, _options, done) => {
        looked.push(host)
        done(null, [{ address: host === 'inner.example' ? '10.0.0.1' : '127.0.0.1', family: 4 }])
      },
    })
    const of = remote().replace('127.0.0.1', 'files.example')
    expect(await errorOf(named.poll(of, [''], never))).toMatchObject({
      name: 'Rejected',
      code: 'source/address-refused',
    })
    expect(looked).toEqual(['files.example', 'inner.example'])
  })

  test('inwards is followed where allow.networks covers it, and each address gets its own credential only', async () => {
    await using other = await startFileServer()
    other.serve('/real.yml', 'a: 1\n')
    to(`${other.url}/real.yml`)
    const wide = open({
      networks: ['127.0.0.0/8'],
      authorization: (url) => Promise.resolve(url.startsWith(server.url) ? { authorization: 'Basic here' } : {}),
    })
    expect(await stateAt(wide)).toMatch(/^sha256:/)
    expect(server.seen[0]!.headers.authorization).toBe('Basic here')
    expect(other.seen[0]!.headers).not.toHaveProperty('authorization')
  })
})

describe('what cannot be reached', () => {
  test('an unknown host name is reported', async () => {
    const error = await errorOf(source.poll('url:http://gitmoor.invalid/a.yml', [''], never))
    expect(error).toMatchObject({ name: 'Unavailable', code: 'source/unreachable' })
    expect(error.message).toMatch(/host name/)
  })

  test('a closed port is reported, and the source recovers when it opens', async () => {
    await server[Symbol.asyncDispose]()
    expect(await errorOf(source.poll(remote(), [''], never))).toMatchObject({ code: 'source/unreachable' })
    server = await startFileServer()
    server.serve('/boards.yml', 'a: 1\n')
    expect(await stateAt()).toMatch(/^sha256:/)
  })

  test('a server without TLS is reported', async () => {
    const plain = createServer((socket) => {
      socket.on('error', () => undefined).resume()
      socket.end('HTTP/1.0 400 Bad Request\r\n\r\n')
    })
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    const of = `url:https://127.0.0.1:${(plain.address() as AddressInfo).port}/a.yml`
    expect(await errorOf(source.poll(of, [''], never))).toBeInstanceOf(Unavailable)
    expect(await errorOf(source.poll(of, [''], never))).toMatchObject({ code: 'source/tls' })
    await new Promise((resolve) => plain.close(resolve))
  })

  test('a link-local address is refused before any request, unless it is allowed', () => {
    expect(() => source.remoteOf({ kind: 'url', url: 'http://169.254.1.1/a.yml' })).toThrow('link-local')
    expect(open({ networks: ['169.254.0.0/16'] }).remoteOf({ kind: 'url', url: 'http://169.254.1.1/a.yml' })).toBe(
      'url:http://169.254.1.1/a.yml',
    )
    expect(() => source.remoteOf({ kind: 'url', url: 'file:///etc/passwd' })).toThrow('not an http or https URL')
  })
})
