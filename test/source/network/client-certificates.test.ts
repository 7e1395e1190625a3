// Authorities and client certificates of the configuration, with real certificates and a real git server that wants
// them.
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { HostConnection } from '../../../src/source/network/connection.js'
import { hasOpenssl, makeAuthority, type Authority } from '../../certificates.js'
import { startFileServer } from '../../file-server.js'
import { startForwardProxy } from '../../forward-proxy.js'
import { startGitServer, type GitServer } from '../../git-server.js'
import { openAccess } from '../access.js'
import { errorOf, LIMITS, never, sha1, useGitWorld } from '../git-world.js'
import { UrlSource } from '../../../src/source/url/url-source.js'

const world = useGitWorld({ once: true })
const HERE = 'IP:127.0.0.1'

describe.skipIf(!hasOpenssl)('a server of an authority of one’s own (needs openssl)', () => {
  let authority: Authority
  let commit: string
  beforeAll(async () => {
    authority = makeAuthority(join(world().root, 'ca'))
    commit = await world().repository.commit({ files: { a: '1' } })
  })

  const client = (): { readonly certificate: string; readonly key: string } => ({
    certificate: join(world().root, 'client.pem'),
    key: join(world().root, 'client.key'),
  })
  /** Keeps a client certificate in its files. */
  function writeClient(from: Authority): ReturnType<typeof client> {
    const { cert, key } = from.issue('DNS:agent.example')
    writeFileSync(client().certificate, cert)
    writeFileSync(client().key, key)
    return client()
  }
  /** `clients`: it wants their certificates. */
  const serve = (clients?: Authority): Promise<GitServer> =>
    startGitServer(join(world().root, 'served'), {
      tls: { ...authority.issue(HERE), ...(clients && { clients: clients.file }) },
    })
  const look = async (server: GitServer, entries: readonly HostConnection[]): Promise<unknown> =>
    (await world().restart({ entries }).poll(`${server.url}/repository.git`, ['main'], never)).get('main')
  const found = (): unknown => expect.objectContaining({ state: sha1(commit) })

  test('is trusted below the match of a connection that names it, and nowhere else', async () => {
    await using server = await serve()
    const entry = { name: 'lab', ca: authority.file }
    expect(await look(server, [{ ...entry, match: `${server.url}/` }])).toEqual(found())
    expect(await errorOf(look(server, [{ ...entry, match: `${server.url}/other/` }]))).toMatchObject({
      code: 'source/tls',
    })
    expect(await errorOf(look(server, [{ ...entry, match: 'https://127.0.0.1:1/' }]))).toMatchObject({
      code: 'source/tls',
    })
  })

  test('is reached while NODE_EXTRA_CA_CERTS names a pipe, which is ignored', async () => {
    await using server = await serve()
    const extraAuthorities = join(world().root, 'pipe')
    execFileSync('mkfifo', [extraAuthorities])
    const entries = [{ name: 'lab', match: `${server.url}/`, ca: authority.file }]
    const source = world().restart({ entries, extraAuthorities })
    expect((await source.poll(`${server.url}/repository.git`, ['main'], never)).get('main')).toEqual(found())
  })

  test('that needs a certificate gets the one of the connection; without it, the error says what may be missing', async () => {
    await using server = await serve(authority)
    const lab = { name: 'lab', match: `${server.url}/`, ca: authority.file }
    expect(await look(server, [{ ...lab, ...writeClient(authority) }])).toEqual(found())
    const hint = expect.stringContaining('client certificate') as string
    expect(await errorOf(look(server, [lab]))).toMatchObject({ name: 'Unavailable', hint })
    const other = makeAuthority(join(world().root, 'other'))
    expect(await errorOf(look(server, [{ ...lab, ...writeClient(other) }]))).toMatchObject({
      name: 'Unavailable',
      hint,
    })
  })

  test('is reached with files that were renewed, without a restart; while they do not fit, the error names the connection', async () => {
    await using server = await serve(authority)
    const other = makeAuthority(join(world().root, 'other'))
    const lab: HostConnection = { name: 'lab', match: `${server.url}/`, ca: authority.file, ...writeClient(other) }
    const source = world().restart({ entries: [lab] })
    const lookNow = async (): Promise<unknown> =>
      (await source.poll(`${server.url}/repository.git`, ['main'], never)).get('main')
    expect(await errorOf(lookNow())).toMatchObject({ code: 'source/unreachable' })
    writeFileSync(client().certificate, authority.issue('DNS:agent.example').cert)
    const misfit = await errorOf(lookNow())
    expect(misfit).toMatchObject({
      name: 'Unavailable',
      code: 'source/connection-files',
      message: 'The connection "lab" cannot be used.',
    })
    expect(String(misfit.cause)).toContain(
      `${client().key} is not the key of the certificate in ${client().certificate}.`,
    )
    writeClient(authority)
    expect(await lookNow()).toEqual(found())
    rmSync(client().key)
    expect(await errorOf(lookNow())).toMatchObject({
      code: 'source/connection-files',
      cause: { code: 'secrets/unresolved' },
    })
  })

  test('gets no client certificate after a redirect from another server', async () => {
    const shown: string[] = []
    await using wants = await startGitServer(join(world().root, 'served'), {
      tls: {
        ...authority.issue(HERE),
        clients: authority.file,
        required: false,
        onClient: (name) => void shown.push(name),
      },
    })
    wants.intercept((_, response) => void response.writeHead(200, { 'content-type': 'application/yaml' }).end('a: 1\n'))
    await using leads = await startFileServer(authority.issue(HERE))
    leads.answer((_, response) => void response.writeHead(302, { location: `${wants.url}/a.yml` }).end())
    const match = `${leads.url}/`
    const near: HostConnection = { name: 'near', match, ca: authority.file, ...writeClient(authority) }
    const there: HostConnection = { name: 'there', match: `${wants.url}/`, ca: authority.file }
    const look = async (entries: readonly HostConnection[], at: string): Promise<void> => {
      await using access = openAccess({ entries, networks: ['127.0.0.0/8'] })
      const source = new UrlSource({
        directory: join(world().root, 'url'),
        limits: LIMITS,
        networks: ['127.0.0.0/8'],
        access,
      })
      await source.poll(`url:${at}/a.yml`, [''], never)
    }
    await look([near, there], leads.url)
    expect(shown).toEqual([''])
    await look([near, { ...there, ...client() }], leads.url)
    expect(shown).toEqual(['', 'Test'])
  })

  test('is reached through a proxy that speaks https itself, which gets no client certificate', async () => {
    await using server = await serve(authority)
    const shown: string[] = []
    const asking = { clients: authority.file, required: false, onClient: (name: string) => void shown.push(name) }
    await using proxy = await startForwardProxy({ tls: { ...authority.issue(HERE), ...asking } })
    const lab: HostConnection = {
      name: 'lab',
      match: `${server.url}/`,
      ca: authority.file,
      ...writeClient(authority),
      proxy: proxy.url,
    }
    expect(await look(server, [lab])).toEqual(found())
    expect(proxy.seen).toEqual([`CONNECT ${new URL(server.url).host}`])
    expect(shown).toEqual([''])
  })
})
