// The shipped program and a repository behind ssh: from the configuration file to what is applied.
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasSsh, makeKey, startSshServer, type SshFiles, type SshServer } from '../ssh-server.js'
import { label } from '../influxdb/packages.js'
import { useProgram } from './program.js'

const address = 'git@127.0.0.1:repository.git'

describe.skipIf(!hasSsh)('a stack that follows an address as scp has it (needs ssh)', () => {
  const program = useProgram()
  const { type } = program
  let server: SshServer
  let files: SshFiles

  beforeEach(async () => {
    const { root, data, processes } = program
    await program.push(label('red'))
    server = await startSshServer(join(root, 'served'))
    files = server.files(join(root, 'login'), '127.0.0.1')
    writeFileSync(
      join(root, 'gitmoor.yaml'),
      'credentials: { lab: { match: ssh://git@127.0.0.1/, identityFile: login/id, knownHosts: login/known_hosts } }\n',
    )
    await processes.agent(['--config', 'gitmoor.yaml'], { cwd: root, data, env: { PATH: sshAtPort(server.port) } })
  })
  afterEach(() => server[Symbol.asyncDispose]())

  /** PATH with an `ssh` that calls the real one with a port, which such an address cannot have. */
  function sshAtPort(port: number): string {
    const { root } = program
    const path = process.env['PATH']!
    mkdirSync(join(root, 'bin'))
    writeFileSync(join(root, 'bin', 'ssh'), `#!/bin/sh\nPATH='${path}' exec ssh -p ${port} "$@"\n`)
    chmodSync(join(root, 'bin', 'ssh'), 0o755)
    return `${join(root, 'bin')}:${path}`
  }

  test('is applied and follows its next commit; messages name its address, and no key is stored', async () => {
    expect(await type('stack', 'create', 'boards', '--repo', address)).toMatchObject({ code: 0 })
    await program.push(`${label('red')}---\n${label('blue')}`)
    expect(await type('sync', 'boards')).toMatchObject({ code: 0 })
    const stack = await program.get()
    expect(stack).toMatchObject({ sync: 'Synced', sources: [{ url: address }] })
    expect(stack.resources).toHaveLength(2)
    const { stdout } = await type('doctor', '--full')
    expect(stdout).toContain('for ssh://git@127.0.0.1/')
    expect(stdout).toContain(`remote ${address}`)
    const secret = readFileSync(files.identityFile, 'utf8').split('\n')[2]!
    const kept = readdirSync(program.data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    for (const entry of kept) expect(readFileSync(join(entry.parentPath, entry.name)).includes(secret)).toBe(false)
  })

  test('of a server with another key, or without an entry, is not applied, and the message says what to do', async () => {
    writeFileSync(files.knownHosts, `127.0.0.1 ${makeKey().public}\n`)
    const changed = await type('stack', 'create', 'changed', '--repo', address)
    expect(`${changed.stdout}${changed.stderr}`).toMatch(
      /does not match .*known_hosts: the server may be an impostor[^]*next: Ask the operator/,
    )
    expect(changed.code).toBe(5)
    const other = await type('stack', 'create', 'other', '--repo', 'ann@127.0.0.1:repository.git')
    expect(`${other.stdout}${other.stderr}`).toContain('No credential matches ann@127.0.0.1:repository.git')
    expect(other.code).toBe(5)
  })
})
