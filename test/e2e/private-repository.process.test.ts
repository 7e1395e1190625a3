// The shipped program and a repository that is as private as can be: behind a proxy with a password, an authority of
// its own, a client certificate, an app.
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasOpenssl, makeAuthority } from '../certificates.js'
import { startFileServer } from '../file-server.js'
import { startForwardProxy } from '../forward-proxy.js'
import { makeRepository, startGitServer } from '../git-server.js'
import { label } from '../influxdb/packages.js'
import { Processes } from './processes.js'
import { typeHere } from './type-here.js'

const password = 'cnry-proxy/pa55+word'
const token = 'ghs_cnryAppToken0123456789'

describe.skipIf(!hasOpenssl)('a private repository (needs openssl)', () => {
  let root: string
  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-private-')))
  })
  afterAll(() => {
    rmSync(root, { recursive: true, force: true })
  })

  /** Everything below a directory, as one text. */
  const allOf = (directory: string): string =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .map((name) => join(directory, name))
      .filter((file) => statSync(file).isFile())
      .map((file) => readFileSync(file, 'latin1'))
      .join('\n')

  test('is followed with the configured credentials, and none of its secrets is stored or printed', async () => {
    const authority = makeAuthority(join(root, 'ca'))
    const client = authority.issue('DNS:agent.example')
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString()
    for (const [name, text] of Object.entries({
      'client.pem': client.cert,
      'client.key': client.key,
      'app.pem': key,
      password,
    }))
      writeFileSync(join(root, name), text)
    const repository = await makeRepository(join(root, 'served'))
    await repository.commit({ files: { 'package.yml': label('red') } })
    const tls = { ...authority.issue('DNS:git.example'), clients: authority.file }
    await using server = await startGitServer(join(root, 'served'), { tls })
    await using proxy = await startForwardProxy({
      hosts: { 'git.example': '127.0.0.1' },
      user: { name: 'moor', password },
    })
    await using api = await startFileServer()
    const until = new Date(Date.now() + 3_600_000).toISOString()
    api.answer((_, response) => void response.writeHead(201).end(JSON.stringify({ token, expires_at: until })))
    const there = server.url.replace('127.0.0.1', 'git.example')
    writeFileSync(
      join(root, 'gitmoor.yaml'),
      `log: { level: debug }
credentials:
  app:
    match: ${there}/
    allowHttp: true
    githubApp: { appId: 12, installationId: 34, privateKey: '\${file:app.pem}', api: ${api.url} }
connections:
  git:
    match: ${there}/
    ca: ca/ca.pem
    certificate: client.pem
    key: client.key
    proxy: ${proxy.url}
    proxyUsername: moor
    proxyPassword: \${file:password}
`,
    )
    await using processes = new Processes()
    const data = join(root, 'data')
    const agent = await processes.agent(['--config', 'gitmoor.yaml'], { cwd: root, data })
    const type = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await typeHere([...args, '--data', data], { cwd: root })
      expect([args, code, stderr]).toEqual([args, 0, expect.anything()])
      return stdout + stderr
    }
    const said = [
      await type('stack', 'create', 'boards', '--repo', `${there}/${repository.name}`),
      await type('doctor'),
      await type('explain', 'boards'),
    ].join('\n')
    // That authority lasts nine days.
    expect(said).toContain('warning  connection git: One of its certificates expires on')
    const basic = Buffer.from(`x-access-token:${token}`).toString('base64')
    expect(server.seen[0]!.headers.authorization).toBe(`Basic ${basic}`)
    expect(new Set(proxy.seen)).toEqual(new Set([`CONNECT ${new URL(there).host}`]))
    const claim = api.seen[0]!.headers.authorization!.replace('Bearer ', '')
    const proxyBasic = Buffer.from(`moor:${password}`).toString('base64')
    const kept = [said, agent.stdout(), agent.stderr(), allOf(data)].join('\n')
    for (const secret of [password, token, basic, claim, proxyBasic, key.split('\n')[1]!])
      expect(kept).not.toContain(secret)
  })
})
