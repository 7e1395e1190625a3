// The shipped program over https: an authority of one's own, and servers whose certificates or redirects are not as
// they should be.
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startFileServer, type FileServer } from '../file-server.js'
import { hasOpenssl, makeAuthority, type Authority, type Certificate } from '../certificates.js'
import { startGitServer, type GitServer } from '../git-server.js'
import { label } from '../influxdb/packages.js'
import type { Ended } from './processes.js'
import { useProgram } from './program.js'

describe.skipIf(!hasOpenssl)('an agent with NODE_EXTRA_CA_CERTS (needs openssl)', () => {
  const program = useProgram({ once: true })
  const { type, get } = program
  let authority: Authority
  const servers: GitServer[] = []

  beforeAll(async () => {
    const { root, data, processes } = program
    authority = makeAuthority(join(root, 'ca'))
    await program.push(label('red'))
    await processes.agent([], { cwd: root, data, env: { NODE_EXTRA_CA_CERTS: authority.file } })
  })
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close()
  })

  async function serve(tls: Certificate): Promise<GitServer> {
    const server = await startGitServer(join(program.root, 'served'), { tls })
    servers.push(server)
    return server
  }
  const create = (name: string, server: GitServer): Promise<Ended> =>
    type('stack', 'create', name, '--repo', `${server.url}/${program.repository.name}`)

  test('follows a server that its authority signed; other faults are reported, and delay no other stack', async () => {
    const good = await serve(authority.issue('IP:127.0.0.1'))
    const otherHost = await serve(authority.issue('DNS:git.example.org'))
    const expired = await serve(authority.issue('IP:127.0.0.1', { from: '20200101000000Z', until: '20200201000000Z' }))
    const downgrading = await serve(authority.issue('IP:127.0.0.1'))
    const down = good.url.replace('https', 'http')
    downgrading.intercept((seen, response) => void response.writeHead(302, { location: `${down}${seen.url}` }).end())

    const faults = [
      [
        'other-host',
        otherHost,
        /certificate is for another host \(DNS:git\.example\.org\)[^]*next: Use a host name of the certificate/,
      ],
      ['expired', expired, /certificate expired at 2020-02-01 00:00 UTC[^]*next: Renew the server's certificate/],
      [
        'downgraded',
        downgrading,
        /redirects to http:\/\/127[^]*does not follow[^]*next: The redirect leads from https to http/,
      ],
    ] as const
    for (const [name, server, said] of faults) {
      const { code, stderr, stdout } = await create(name, server)
      expect(`${stdout}${stderr}`).toMatch(said)
      expect(code).toBe(5)
      expect(await get(name)).toMatchObject({ health: 'Degraded', resources: [] })
    }
    expect(await create('good', good)).toMatchObject({ code: 0 })

    expired.renew(authority.issue('IP:127.0.0.1'))
    expect(await type('stack', 'delete', 'good', '--uninstall', '--yes', '--consent', 'Bucket/*')).toMatchObject({
      code: 0,
    })
    expect(await type('sync', 'expired')).toMatchObject({ code: 0 })
    expect((await get('expired')).resources).toHaveLength(1)
  })

  test('a single file is fetched by the same rules', async () => {
    const files: FileServer[] = []
    const serveFile = async (tls: Certificate): Promise<FileServer> => {
      const server = await startFileServer(tls)
      server.serve('/boards.yml', label('blue'))
      files.push(server)
      return server
    }
    try {
      const good = await serveFile(authority.issue('IP:127.0.0.1'))
      const otherHost = await serveFile(authority.issue('DNS:files.example.org'))
      const expired = await serveFile(
        authority.issue('IP:127.0.0.1', { from: '20200101000000Z', until: '20200201000000Z' }),
      )
      const downgrading = await serveFile(authority.issue('IP:127.0.0.1'))
      downgrading.answer(
        (_, response) => void response.writeHead(302, { location: good.url.replace('https', 'http') }).end(),
      )
      const faults = [
        ['other-host', otherHost, /certificate is for another host/],
        ['expired', expired, /certificate expired at 2020-02-01/],
        ['downgraded', downgrading, /redirects to http:\/\/127[^]*not encrypted/],
      ] as const
      for (const [name, server, said] of faults) {
        const { code, stderr, stdout } = await type(
          'stack',
          'create',
          `file-${name}`,
          '--url',
          `${server.url}/boards.yml`,
        )
        expect(`${stdout}${stderr}`).toMatch(said)
        expect(code).toBe(5)
      }
      expect(await type('stack', 'create', 'file-good', '--url', `${good.url}/boards.yml`)).toMatchObject({ code: 0 })
    } finally {
      for (const server of files) await server[Symbol.asyncDispose]()
    }
  })
})
