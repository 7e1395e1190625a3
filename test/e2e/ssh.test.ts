// The shipped program and a repository behind ssh: from the configuration file to what is applied.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { StackView } from '../../src/stacks/views.js'
import { makeRepository, type Repository } from '../git-server.js'
import { hasSsh, makeKey, startSshServer, type SshFiles, type SshServer } from '../ssh-server.js'
import { build, type Built } from './built.js'
import { label } from './packages.js'
import { Processes, type Ended } from './processes.js'

const address = 'git@127.0.0.1:repository.git'

describe.skipIf(!hasSsh)('a stack that follows an address as scp has it (needs ssh)', () => {
  let built: Built
  let processes: Processes
  let root: string
  let server: SshServer
  let files: SshFiles
  let repository: Repository

  beforeAll(() => {
    built = build()
  })
  afterAll(() => built[Symbol.dispose]())
  beforeEach(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-ssh-')))
    processes = new Processes(built.main)
    repository = await makeRepository(join(root, 'served'))
    await repository.commit({ files: { 'package.yml': label('red') } })
    server = await startSshServer(join(root, 'served'))
    files = server.files(join(root, 'login'), '127.0.0.1')
    writeFileSync(
      join(root, 'gitmoor.yaml'),
      'credentials: { lab: { match: ssh://git@127.0.0.1/, identityFile: login/id, knownHosts: login/known_hosts } }\n',
    )
    await processes.agent(['--config', 'gitmoor.yaml'], { cwd: root, data: join(root, 'data'), env: { PATH: sshAtPort(server.port) } })
  })
  afterEach(async () => {
    await processes[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
    rmSync(root, { recursive: true, force: true })
  })

  /** PATH with an `ssh` that is the real one, told the port that such an address cannot say. */
  function sshAtPort(port: number): string {
    const path = process.env['PATH']!
    mkdirSync(join(root, 'bin'))
    writeFileSync(join(root, 'bin', 'ssh'), `#!/bin/sh\nPATH='${path}' exec ssh -p ${port} "$@"\n`)
    chmodSync(join(root, 'bin', 'ssh'), 0o755)
    return `${join(root, 'bin')}:${path}`
  }
  const type = (...args: readonly string[]): Promise<Ended> => processes.run([...args, '--data', join(root, 'data')], { cwd: root })

  test('is applied and brought to the next commit, told by its address, and no key is kept', async () => {
    expect(await type('stack', 'create', 'boards', '--repo', address)).toMatchObject({ code: 0 })
    await repository.commit({ files: { 'package.yml': `${label('red')}---\n${label('blue')}` } })
    expect(await type('sync', 'boards')).toMatchObject({ code: 0 })
    const stack = JSON.parse((await type('stack', 'get', 'boards', '--json')).stdout) as StackView
    expect(stack).toMatchObject({ sync: 'Synced', sources: [{ url: address }] })
    expect(stack.resources).toHaveLength(2)
    const { stdout } = await type('doctor')
    expect(stdout).toContain('goes to ssh://git@127.0.0.1/')
    expect(stdout).toContain(`remote ${address}`)
    const secret = readFileSync(files.identityFile, 'utf8').split('\n')[2]!
    const kept = readdirSync(join(root, 'data'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    for (const entry of kept) expect(readFileSync(join(entry.parentPath, entry.name)).includes(secret)).toBe(false)
  })

  test('of a server with another key, or without an entry, is not applied, and the message says what to do', async () => {
    writeFileSync(files.knownHosts, `127.0.0.1 ${makeKey().public}\n`)
    const changed = await type('stack', 'create', 'changed', '--repo', address)
    expect(`${changed.stdout}${changed.stderr}`).toMatch(
      /shows another key than the one in .*known_hosts: it may be an impostor[^]*next: Ask whoever runs/,
    )
    expect(changed.code).toBe(5)
    const other = await type('stack', 'create', 'other', '--repo', 'ann@127.0.0.1:repository.git')
    expect(`${other.stdout}${other.stderr}`).toContain('No entry under credentials is for ann@127.0.0.1:repository.git')
    expect(other.code).toBe(5)
  })
})
