// Packages that a request names by their addresses: nobody learns from here which hosts there are inwards, and no
// answer costs more than is allowed.
import type { LookupAddress } from 'node:dns'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { HttpPackages, HttpPackagesOptions } from '../../../src/source/url/http-packages.js'
import { packageUrl } from '../../../src/source/url/package-url.js'
import { startFileServer, type FileServer } from '../../file-server.js'
import type { AccessOptions } from '../access.js'
import { errorOf, never } from '../git-world.js'
import { openRemotes, REMOTE_LIMITS } from '../remotes.js'

let server: FileServer
let opened: AsyncDisposable[] = []
let remotes: HttpPackages

beforeEach(async () => {
  server = await startFileServer()
  remotes = open()
})
afterEach(async () => {
  for (const one of opened) await one[Symbol.asyncDispose]()
  opened = []
  await server[Symbol.asyncDispose]()
})

/** The host key of the test is the only address of this machine that is allowed. */
function open(options: Partial<HttpPackagesOptions> & AccessOptions = {}): HttpPackages {
  const one = openRemotes({ networks: ['127.0.0.1/32'], ...options })
  opened.push(one)
  return one
}
const fails = (url: string, at = remotes): Promise<Error> => errorOf(at.fetch(url, never))
const shorter = (limits: Partial<HttpPackagesOptions['limits']>): HttpPackages =>
  open({ limits: { ...REMOTE_LIMITS, ...limits } })
const noSuchHost = { name: 'Rejected', code: 'source/no-such-host' }

/** The addresses of names, in turn; the last one stays. */
function named(turns: Readonly<Record<string, readonly (readonly string[])[]>>): {
  readonly at: HttpPackages
  readonly hosts: readonly string[]
} {
  const hosts: string[] = []
  const at = open({
    resolveHost: (host, _options, done) => {
      const turn = hosts.filter((one) => one === host).length
      hosts.push(host)
      const found = turns[host]?.at(turn) ?? turns[host]?.at(-1)
      if (found === undefined)
        return done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }), [])
      done(
        null,
        found.map((address): LookupAddress => ({ address, family: 4 })),
      )
    },
  })
  return { at, hosts }
}
const port = (): string => new URL(server.url).port

describe('a remote package', () => {
  test('has its requested address, its bytes and its content type', async () => {
    server.serve('/a.json?raw=1', '[]', { 'content-type': 'Application/JSON; charset=utf-8' })
    const url = `${server.url}/a.json?raw=1`
    expect(await remotes.fetch(url, never)).toEqual({ url, contentType: 'application/json', bytes: Buffer.from('[]') })
  })

  test('is requested with the credential for its address', async () => {
    server.serve('/a.yml', 'a: 1')
    await open({ authorization: () => Promise.resolve({ authorization: 'Basic x' }) }).fetch(
      `${server.url}/a.yml`,
      never,
    )
    expect(server.seen[0]!.headers.authorization).toBe('Basic x')
  })

  test.each([404, 401, 500, 418, 204, 304])(
    'that is answered by %i is refused with address and status, without its query',
    async (status) => {
      server.answer((_, response) => void response.writeHead(status).end())
      const { message } = await fails(`${server.url}/a.yml?token=s3cret`)
      expect(message).toContain(`${server.url}/a.yml`)
      expect(message).toContain(`answered ${status}`)
      expect(message).not.toContain('s3cret')
    },
  )

  test('that is too large is not read to its end', async () => {
    let sent = 0
    server.answer((_, response) => {
      const more = (): void => {
        while (!response.destroyed && sent < 100_000_000) {
          sent += 65_536
          if (!response.write(Buffer.alloc(65_536, 'a'))) return void response.once('drain', more)
        }
      }
      more()
    })
    expect(await fails(`${server.url}/a.yml`)).toMatchObject({
      code: 'source/file-too-large',
      hint: 'Split it, or raise limits.remoteBytes.',
    })
    expect(sent).toBeLessThan(40_000_000)
  })

  test('that comes byte by byte ends with the time for all of it', async () => {
    server.answer((_, response) => {
      const timer = setInterval(() => response.write('a'), 20)
      response.on('close', () => clearInterval(timer))
    })
    expect(await fails(`${server.url}/a.yml`, shorter({ remoteMs: 300 }))).toMatchObject({
      code: 'source/timeout',
      message: `${server.url}/a.yml did not finish within 0.3 s (limits.remote).`,
    })
  })

  test('ends when its signal aborts', async () => {
    server.answer(() => undefined)
    const stop = new AbortController()
    const fetching = errorOf(remotes.fetch(`${server.url}/a.yml`, stop.signal))
    stop.abort(new Error('stop now'))
    expect((await fetching).message).toBe('stop now')
  })

  test('follows at most five redirects', async () => {
    const hops = (most: number): void =>
      server.answer((request, response) => {
        const at = Number(/\d+/.exec(request.url!)?.[0] ?? 0)
        if (at === most) response.end('a: 1')
        else response.writeHead(302, { location: `/${at + 1}` }).end()
      })
    hops(5)
    expect(Buffer.from((await remotes.fetch(`${server.url}/0`, never)).bytes).toString()).toBe('a: 1')
    hops(6)
    expect(await fails(`${server.url}/0`)).toMatchObject({
      code: 'source/redirected',
      message: expect.stringContaining('5 times') as string,
    })
  })
})

describe('an inward address', () => {
  test.each([
    'http://127.0.0.2/a.yml',
    'http://2130706434/a.yml',
    'http://0x7f.2/a.yml',
    'http://10.0.0.1/a.yml',
    'http://172.16.0.1/a.yml',
    'http://192.168.0.1/a.yml',
    'http://169.254.169.254/latest/meta-data/',
    'http://0.0.0.0/a.yml',
    'http://[::1]/a.yml',
    'http://[::ffff:127.0.0.2]/a.yml',
    'http://[fe80::1]/a.yml',
    'http://[fd12::1]/a.yml',
  ])('is no such host: %s', async (url) => {
    const { hostname } = new URL(url)
    expect(await fails(url)).toMatchObject({
      ...noSuchHost,
      message: `${hostname.replace(/[[\]]/g, '')}: no such host.`,
    })
  })

  test('behind a name gives the same error as an unknown name', async () => {
    const { at } = named({ 'inner.example': [['10.0.0.1']] })
    const inner = await fails('http://inner.example/a.yml', at)
    const unknown = await fails('http://outer.example/a.yml', at)
    expect(inner).toMatchObject(noSuchHost)
    expect(unknown).toMatchObject(noSuchHost)
    expect([unknown.message.replace('outer', 'inner'), unknown.cause]).toEqual([inner.message, inner.cause])
  })

  test('as the target of a redirect gives "no such host", without a request', async () => {
    await using inner = await startFileServer()
    server.answer(
      (_, response) => void response.writeHead(302, { location: inner.url.replace('127.0.0.1', '127.0.0.2') }).end(),
    )
    expect(await fails(`${server.url}/a.yml`)).toMatchObject({ ...noSuchHost, message: '127.0.0.2: no such host.' })
    expect(inner.seen).toEqual([])
  })

  test('as the named target of a redirect gives "no such host"', async () => {
    server.answer((_, response) => void response.writeHead(302, { location: 'http://inner.example/a.yml' }).end())
    const { at, hosts } = named({ 'inner.example': [['192.168.7.7']], 'files.example': [['127.0.0.1']] })
    expect(await fails(`http://files.example:${port()}/a.yml`, at)).toMatchObject({
      ...noSuchHost,
      message: 'inner.example: no such host.',
    })
    expect(hosts).toEqual(['files.example', 'inner.example'])
  })

  test('that a name resolves to only the second time is not reached: the checked address is the connected one', async () => {
    server.answer((_, response) => void response.writeHead(302, { location: '/b.yml', connection: 'close' }).end())
    const { at, hosts } = named({ 'files.example': [['127.0.0.1'], ['10.0.0.1']] })
    expect(await fails(`http://files.example:${port()}/a.yml`, at)).toMatchObject(noSuchHost)
    expect(hosts).toEqual(['files.example', 'files.example'])
    expect(server.seen).toHaveLength(1)
  })

  test('among others of a name is ignored', async () => {
    server.serve('/a.yml', 'a: 1')
    const { at } = named({ 'files.example': [['10.0.0.1', '127.0.0.1']] })
    expect((await at.fetch(`http://files.example:${port()}/a.yml`, never)).bytes).toEqual(Buffer.from('a: 1'))
  })

  test('is reached where allow.networks covers it', async () => {
    server.serve('/a.yml', 'a: 1')
    expect(await fails(`${server.url}/a.yml`, open({ networks: [] }))).toMatchObject(noSuchHost)
    expect((await remotes.fetch(`${server.url}/a.yml`, never)).bytes).toHaveLength(4)
  })
})

describe('an address', () => {
  test.each([
    ['file:///etc/passwd', 'source/scheme'],
    ['ftp://x/a.yml', 'source/scheme'],
    ['javascript:alert(1)', 'source/scheme'],
    ['/etc/passwd', 'source/bad-address'],
    ['a.yml', 'source/bad-address'],
    ['http://', 'source/bad-address'],
    ['https://x/a b', 'source/bad-address'],
    ['https://x\\a.yml', 'source/bad-address'],
    ['https://x/\u202e.yml', 'source/bad-address'],
    [`https://x/${'a'.repeat(2000)}`, 'source/bad-address'],
    ['https://user:s3cret@x/a.yml', 'source/user-information'],
  ])('of %s is refused as %s', async (url, code) => {
    const error = await fails(url)
    expect(error).toMatchObject({ name: 'Rejected', code })
    expect(error.message).not.toContain('s3cret')
  })

  const raw = 'https://raw.githubusercontent.com'
  test.each([
    ['https://github.com/acme/boards/blob/main/a/b.yml', `${raw}/acme/boards/main/a/b.yml`],
    ['http://github.com/acme/boards/blob/v1/b.jsonnet?raw=1#L3', `${raw}/acme/boards/v1/b.jsonnet?raw=1`],
    ['https://github.com/acme/boards/blob/main/README.md', 'https://github.com/acme/boards/blob/main/README.md'],
    ['https://github.com/acme/boards/blob/b.yml', 'https://github.com/acme/boards/blob/b.yml'],
    ['https://github.com/acme/boards/tree/main/b.yml', 'https://github.com/acme/boards/tree/main/b.yml'],
    [
      'https://github.com.example/acme/boards/blob/main/b.yml',
      'https://github.com.example/acme/boards/blob/main/b.yml',
    ],
    [`${raw}/acme/boards/main/b.yml`, `${raw}/acme/boards/main/b.yml`],
  ])('of %s is read from %s', (url, from) => {
    expect(packageUrl(url).href).toBe(from)
  })
})
