// Repositories behind OpenSSH's own server, as it is set up by those who run one.
import { spawnSync } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { RefTip } from '../../../../src/model/sources/channel.js'
import type { GitSource } from '../../../../src/source/git/git-source.js'
import type { SourceRevision } from '../../../../src/source/source.js'
import {
  hasOpenSshServer,
  makeKeyFile,
  startOpenSshServer,
  type OpenSshOptions,
  type OpenSshServer,
} from '../../../open-ssh-server.js'
import { hasSsh, type SshFiles } from '../../../ssh-server.js'
import { errorOf, never, sha1, useGitWorld } from '../../git-world.js'

const isHere = hasSsh && hasOpenSshServer
if (!isHere)
  process.stderr.write(
    'There is no sshd that can be started (GITMOOR_SSHD, or on the PATH, or in /usr/sbin), or no ssh: its tests are skipped.\n',
  )

describe.skipIf(!isHere)('a repository behind sshd', () => {
  const world = useGitWorld()
  let server: OpenSshServer | undefined
  afterEach(() => server?.[Symbol.asyncDispose]())

  async function serve(
    options: OpenSshOptions = {},
  ): Promise<{ readonly remote: string; readonly files: SshFiles; readonly at: OpenSshServer }> {
    server = await startOpenSshServer(join(world().root, 'sshd'), options)
    return { remote: `${server.url}${world().repository.directory}`, files: server.files, at: server }
  }
  const sourceWith = (files: SshFiles): GitSource => world().restart({ sshLogins: () => files, mayPush: () => true })
  const lookError = (remote: string, files: SshFiles): Promise<Error> =>
    errorOf(sourceWith(files).poll(remote, ['main'], never))

  /** Polls `main` and a tag, fetches, and returns the method. */
  async function follow(remote: string, files: SshFiles): Promise<string> {
    const { repository } = world()
    const commit = await repository.commit({ files: { 'a.yml': 'a: 1\n', large: Buffer.alloc(50_000, 7) } })
    await repository.tag('stable', commit, { annotated: true })
    const source = sourceWith(files)
    const methods: string[] = []
    const found = await source.poll(remote, ['main', 'stable'], never, ({ method }) => methods.push(method))
    expect(['main', 'stable'].map((ref) => (found.get(ref) as SourceRevision).state)).toEqual([
      sha1(commit),
      sha1(commit),
    ])
    await source.fetch(remote, sha1(commit), never)
    const [file] = await source.files(remote, sha1(commit), '', (path) => path === 'a.yml', never)
    expect(Buffer.from(file!.bytes).toString()).toBe('a: 1\n')
    return methods.at(-1)!
  }

  test.each<[string, OpenSshOptions, string]>([
    ['accepts the variable that requests version 2', { settings: ['AcceptEnv GIT_PROTOCOL'] }, 'git-ssh'],
    ['takes no variable', {}, 'git-ssh-v0'],
    [
      'runs git and nothing else',
      { keyOptions: 'restrict,command="git shell -c \\"$SSH_ORIGINAL_COMMAND\\""' },
      'git-ssh-v0',
    ],
    ['greets before it lets anybody in', { settings: ['Banner /etc/passwd', 'AcceptEnv GIT_PROTOCOL'] }, 'git-ssh'],
  ])('that %s is polled and fetched', async (_, options, method) => {
    const { remote, files } = await serve(options)
    expect(await follow(remote, files)).toBe(method)
  })

  test('has its tags promoted', async () => {
    const { repository } = world()
    const { remote, files } = await serve({ settings: ['AcceptEnv GIT_PROTOCOL'] })
    const commit = await repository.commit({ files: { a: '1' } })
    const promotion = { tag: 'stable', expected: null, commit, by: 'ana', note: 'Good' }
    const promote = (): Promise<RefTip> => sourceWith(files).tips.promote(remote, promotion, never)
    const tip = await promote()
    expect(await repository.git('rev-parse', 'stable', 'stable^{commit}')).toBe(`${tip.object}\n${commit}`)
    expect(await errorOf(promote())).toMatchObject({ code: 'source/tag-moved' })
  })

  test('is known by a line that hides its name', async () => {
    const { remote, files } = await serve()
    spawnSync('ssh-keygen', ['-H', '-f', files.knownHosts])
    expect(readFileSync(files.knownHosts, 'utf8')).toMatch(/^\|1\|/)
    await follow(remote, files)
  })

  describe('is refused where', () => {
    test.each<[string, (files: SshFiles, at: OpenSshServer) => void, string]>([
      [
        'its key is another than the known one',
        ({ knownHosts }, at) => writeFileSync(knownHosts, line(at, otherKey())),
        'source/host-key-changed',
      ],
      ['its key is not known', ({ knownHosts }) => writeFileSync(knownHosts, ''), 'source/host-key-unknown'],
      [
        'its key is revoked',
        ({ knownHosts }, at) => writeFileSync(knownHosts, `@revoked ${line(at, at.hostKey)}`),
        'source/host-key-changed',
      ],
      [
        'it does not know the key',
        ({ identityFile }) => writeFileSync(identityFile, readFileSync(otherFile())),
        'source/unauthorized',
      ],
      ['the key is no key', ({ identityFile }) => writeFileSync(identityFile, 'no key\n'), 'source/unauthorized'],
    ])('%s', async (_, spoil, code) => {
      const { remote, files, at } = await serve()
      await world().repository.commit({ files: { a: '1' } })
      spoil(files, at)
      expect(await lookError(remote, files)).toMatchObject({ name: 'Rejected', code })
    })

    const otherFile = (): string => makeKeyFile(join(world().root, 'other'), 'key')
    const otherKey = (): string => readFileSync(`${otherFile()}.pub`, 'utf8').trim()
    const line = ({ port }: OpenSshServer, key: string): string => `[127.0.0.1]:${port} ${key}\n`
  })

  test.each<[string, OpenSshOptions, object]>([
    [
      'the account runs something else',
      { keyOptions: 'command="echo hello"' },
      { name: 'Rejected', code: 'source/not-git' },
    ],
    ['no session is opened', { settings: ['MaxSessions 0'] }, { name: 'Unavailable' }],
    ['no login is allowed', { settings: ['DenyUsers *'] }, { name: 'Rejected', code: 'source/unauthorized' }],
  ])('of which %s is reported', async (_, options, problem) => {
    const { remote, files } = await serve(options)
    await world().repository.commit({ files: { a: '1' } })
    expect(await lookError(remote, files)).toMatchObject(problem)
  })

  test('that does not exist is reported as missing', async () => {
    const { remote, files } = await serve()
    expect(await lookError(`${remote}x`, files)).toMatchObject({ name: 'Rejected', code: 'source/not-found' })
  })

  test('whose server has too many pending logins is retried', async () => {
    const { remote, files, at } = await serve({ settings: ['MaxStartups 1'] })
    const waiting = await waitAt(at.port)
    expect(await lookError(remote, files)).toMatchObject({ name: 'Unavailable', code: 'source/unreachable' })
    waiting.destroy()
  })

  /** A connection that waits at the door. The one that found the server open may still count for a moment. */
  async function waitAt(port: number): Promise<Socket> {
    for (;;) {
      const socket = connect(port, '127.0.0.1')
      const greeting = await new Promise<string>((resolve) =>
        socket.once('data', (chunk: Buffer) => resolve(chunk.toString())),
      )
      if (greeting.startsWith('SSH-')) return socket
      socket.destroy()
    }
  }
})
