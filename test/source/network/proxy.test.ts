// Which proxy leads to an address, and what is asked of a real one.
import { describe, expect, test } from 'vitest'
import { Redactor } from '../../../src/secrets/redact/redact.js'
import type { HostConnection } from '../../../src/source/network/connection.js'
import { environmentProxy, proxyProblem } from '../../../src/source/network/proxy.js'
import { UrlSource } from '../../../src/source/url/url-source.js'
import { startFileServer } from '../../file-server.js'
import { startForwardProxy, type ForwardProxy } from '../../forward-proxy.js'
import { openAccess, type AccessOptions } from '../access.js'
import { errorOf, gitSpec, LIMITS, never, sha1, useGitWorld } from '../git-world.js'
import { openRemotes } from '../remotes.js'

const world = useGitWorld()

describe('of the environment', () => {
  const origin = (address: string, none?: string): string | undefined =>
    environmentProxy(new URL(address), {
      https: 'http://secure:1',
      http: 'http://plain:2',
      ...(none !== undefined && { none }),
    })?.origin

  test('HTTPS_PROXY is used for https, HTTP_PROXY for http', () => {
    expect([origin('https://a.example/'), origin('http://a.example/')]).toEqual(['http://secure:1', 'http://plain:2'])
    expect(environmentProxy(new URL('https://a.example/'), { http: 'http://plain:2' })).toBeUndefined()
  })

  test.each(['http://localhost/', 'https://127.0.0.1:8443/', 'https://[::1]/', 'http://127.9.9.9/'])(
    'none leads to this machine: %s',
    (address) => {
      expect(origin(address)).toBeUndefined()
    },
  )

  test.each([
    ['*', 'https://a.example/', true],
    ['a.example', 'https://a.example/', true],
    ['a.example', 'https://b.a.example/', true],
    ['a.example', 'https://ba.example/', false],
    ['.a.example', 'https://b.a.example/', true],
    ['.a.example', 'https://a.example/', false],
    ['*.a.example', 'https://b.a.example/', true],
    ['A.Example', 'https://a.EXAMPLE./', true],
    ['a.example:443', 'https://a.example/', true],
    ['a.example:8443', 'https://a.example/', false],
    ['a.example:8443', 'https://a.example:8443/', true],
    ['10.0.0.0/8', 'https://10.1.2.3/', true],
    ['10.0.0.0/8', 'https://11.1.2.3/', false],
    ['10.0.0.0/8', 'https://ten.example/', false],
    ['10.1.2.3', 'https://10.1.2.3/', true],
    ['10.1.2.3:80', 'https://10.1.2.3/', false],
    ['fd00::/8', 'https://[fd00::1]/', true],
    ['fd00::1', 'https://[fd00:0::1]:8443/', true],
    ['[fd00::1]:443', 'https://[fd00::1]/', true],
    ['10.0.0.0/99, nonsense/8, , b.example', 'https://a.example/', false],
    ['b.example , a.example', 'https://a.example/', true],
  ])('NO_PROXY=%s leaves %s without one: %s', (none, address, without) => {
    expect(origin(address, none) === undefined).toBe(without)
  })

  test('a proxy may be written without a scheme, and with a user', () => {
    const of = (https: string): unknown => environmentProxy(new URL('https://a.example/'), { https })
    expect(of('proxy:3128')).toEqual({ origin: 'http://proxy:3128' })
    expect(of('https://me:p%40ss@proxy:3128/')).toEqual({
      origin: 'https://proxy:3128',
      user: { name: 'me', password: 'p@ss' },
    })
  })

  test.each(['socks5://proxy:1', 'http://', 'http://a:%zz@proxy'])(
    '%s is an error that names the variable, not the value',
    (https) => {
      const act = (): unknown => environmentProxy(new URL('https://a.example/'), { https })
      expect(act).toThrow('The environment variable HTTPS_PROXY is not the URL of an http or https proxy.')
    },
  )
})

test.each([
  ['proxy:3128', 'must start with http:// or https://'],
  ['proxy', 'must be a URL'],
  ['socks5://proxy:1', 'must start with http:// or https://'],
  ['http://me:pw@proxy:3128', 'must not contain a username or password'],
  ['http://proxy:3128/path', 'must not contain a path'],
])('%s is no proxy of a connection', (text, words) => {
  expect(proxyProblem(text)).toContain(words)
  expect(proxyProblem(text)).not.toContain('pw')
})

describe('through a proxy', () => {
  /** A name that only the proxy knows. */
  const hosts = { 'git.example': '127.0.0.1' }
  const there = (address: string): string => address.replace('127.0.0.1', 'git.example')
  const unknown: AccessOptions['resolveHost'] = (host, _options, done) =>
    done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }), [])
  const entry = (proxy: ForwardProxy, match: string): HostConnection => ({ name: 'out', match, proxy: proxy.url })

  test('a git server over http is requested by its full address, and the proxy resolves its name', async () => {
    const { repository, restart, remote } = world()
    const commit = await repository.commit({ files: { a: '1' } })
    await using proxy = await startForwardProxy({ hosts })
    const source = restart({
      entries: [entry(proxy, 'http://other.example/')],
      proxies: { http: proxy.url },
      resolveHost: unknown,
    })
    expect((await source.poll(there(remote), ['main'], never)).get('main')).toMatchObject({ state: sha1(commit) })
    expect(proxy.seen).toEqual([`POST ${there(remote)}/git-upload-pack`])
  })

  test('"proxy: none" of a connection wins over the environment, below its match only', async () => {
    const { repository, restart, remote, server } = world()
    const commit = await repository.commit({ files: { a: '1' } })
    await using proxy = await startForwardProxy({ hosts })
    const entries = [{ name: 'near', match: `${there(server.url)}/`, proxy: 'none' }]
    const resolveHost: AccessOptions['resolveHost'] = (_host, _options, done) =>
      done(null, [{ address: '127.0.0.1', family: 4 }])
    const source = restart({ entries, proxies: { http: proxy.url }, resolveHost })
    expect((await source.poll(there(remote), ['main'], never)).get('main')).toMatchObject({ state: sha1(commit) })
    expect(proxy.seen).toEqual([])
  })

  test('user and password go only to the proxy, are resolved at each use, and are redacted', async () => {
    const { repository, restart, remote, server } = world()
    await repository.commit({ files: { a: '1' } })
    await using proxy = await startForwardProxy({ hosts, user: { name: 'moor', password: 'prxy-s3cret' } })
    const redactor = new Redactor()
    let password = 'wrong-s3cret'
    const lookup = { directory: '/', environment: (): string => password }
    const user = { proxyUsername: 'moor', proxyPassword: '${env:PASSWORD}' }
    const source = restart({
      entries: [{ ...entry(proxy, `${there(server.url)}/`), ...user }],
      lookup,
      redactor,
      resolveHost: unknown,
    })
    const look = (): Promise<unknown> => source.poll(there(remote), ['main'], never)
    const error = await errorOf(look())
    expect(error).toMatchObject({ name: 'Rejected', code: 'source/proxy' })
    expect(error.message).toBe(
      `Cannot reach ${there(remote)} (through the proxy ${proxy.url}): the proxy answered 407: its username or password is wrong.`,
    )
    password = ''
    expect(await errorOf(look())).toMatchObject({
      name: 'Unavailable',
      code: 'source/connection-files',
      message: 'The connection "out" cannot be used.',
      cause: { message: 'The environment variable PASSWORD is not set.' },
    })
    password = 'prxy-s3cret'
    await look()
    expect(server.seen).toHaveLength(1)
    expect(server.seen[0]!.headers).not.toHaveProperty('proxy-authorization')
    const basic = Buffer.from('moor:prxy-s3cret').toString('base64')
    expect(redactor.redact(`${password} ${basic} wrong-s3cret`)).toBe('(redacted) (redacted) (redacted)')
  })

  test('a refusal of the proxy and one of the server give different errors', async () => {
    const { restart, remote } = world()
    const secure = there(remote).replace('http:', 'https:')
    for (const [answer, name, says] of [
      [403, 'Rejected', 'it denies this request'],
      [503, 'Unavailable', 'the proxy answered 503.'],
    ] as const) {
      await using proxy = await startForwardProxy({ hosts, answer })
      const error = await errorOf(restart({ proxies: { https: proxy.url } }).poll(secure, ['main'], never))
      expect(error).toMatchObject({ name, code: 'source/proxy', message: expect.stringContaining(says) as string })
      expect(proxy.seen).toEqual([`CONNECT ${new URL(secure).host}`])
    }
  })

  test('a proxy that does not answer is named', async () => {
    const { restart, remote } = world()
    const proxy = await startForwardProxy()
    await proxy[Symbol.asyncDispose]()
    const error = await errorOf(restart({ proxies: { http: proxy.url } }).poll(there(remote), ['main'], never))
    expect(error).toMatchObject({ name: 'Unavailable', code: 'source/unreachable' })
    expect(error.message).toContain(`(through the proxy ${proxy.url}): the connection was refused.`)
  })

  test('the address policy also applies: to literal addresses, a link-local proxy, and names with private addresses', async () => {
    const { restart } = world()
    await using proxy = await startForwardProxy()
    await using server = await startFileServer()
    server.answer((_, response) => void response.writeHead(302, { location: 'http://inner.example/x' }).end())
    const metadata = restart({ proxies: { http: proxy.url } })
    expect(() => metadata.remoteOf(gitSpec('http://169.254.169.254/a'))).toThrow('link-local')
    const linkLocal = restart({ proxies: { http: 'http://169.254.1.1:3128' } })
    expect(await errorOf(linkLocal.poll('http://git.example/a', ['main'], never))).toMatchObject({
      code: 'source/address-refused',
    })

    const resolveHost: AccessOptions['resolveHost'] = (_host, _options, done) =>
      done(null, [{ address: '10.0.0.1', family: 4 }])
    await using access = openAccess({ proxies: { http: proxy.url }, resolveHost })
    const files = new UrlSource({ directory: `${world().root}/url`, limits: LIMITS, networks: [], access })
    expect(await errorOf(files.poll(`url:${server.url}/a.yml`, [''], never))).toMatchObject({
      code: 'source/address-refused',
    })
    await using remotes = openRemotes({ proxies: { http: proxy.url }, resolveHost })
    expect(await errorOf(remotes.fetch('http://inner.example/a.yml', never))).toMatchObject({
      code: 'source/no-such-host',
    })
    expect(proxy.seen).toEqual([])
  })

  test('a package that a request names is fetched, though only the proxy knows its host', async () => {
    await using proxy = await startForwardProxy({ hosts: { 'files.example': '127.0.0.1' } })
    await using server = await startFileServer()
    server.serve('/a.yml', 'a: 1\n')
    await using remotes = openRemotes({ proxies: { http: proxy.url }, resolveHost: unknown })
    const url = `${server.url.replace('127.0.0.1', 'files.example')}/a.yml`
    expect((await remotes.fetch(url, never)).bytes.toString()).toBe('a: 1\n')
    expect(proxy.seen).toEqual([`GET ${url}`])
  })
})
