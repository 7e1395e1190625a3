// Repositories behind ssh: the system's ssh as a child, a real server on the other side.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SshLogin } from '../../../../src/lib/text/ssh-address.js'
import type { GitSource } from '../../../../src/source/git/git-source.js'
import type { SourceRevision } from '../../../../src/source/source.js'
import { makeRepository } from '../../../git-server.js'
import { hasSsh, makeKey, startSshServer, writeSshFiles, type SshFiles, type SshServer } from '../../../ssh-server.js'
import { LIMITS, errorOf, never, sha1, useGitWorld } from '../../git-world.js'

if (!hasSsh) process.stderr.write('Repositories behind ssh are not tested: there is no ssh here.\n')

describe.skipIf(!hasSsh)('a repository behind ssh', () => {
  const world = useGitWorld()
  let server: SshServer
  let files: SshFiles
  let remote: string
  let source: GitSource
  beforeEach(async () => {
    server = await startSshServer(join(world().root, 'served'))
    files = server.files(join(world().root, 'login'))
    remote = `${server.url}${world().repository.directory}`
    source = sourceWith(files)
  })
  afterEach(() => server[Symbol.asyncDispose]())

  function sourceWith(
    login: SshLogin | undefined,
    options: Parameters<ReturnType<typeof world>['restart']>[0] = {},
  ): GitSource {
    return world().restart({ sshLogins: () => login, ...options })
  }
  async function stateOf(ref: string): Promise<string> {
    const found = (await source.poll(remote, [ref], never)).get(ref)
    if (found instanceof Error || found === undefined) throw found
    return found.state
  }
  const lookError = (at = remote, by = source): Promise<Error> => errorOf(by.poll(at, ['main'], never))

  /**
   * An `ssh` that notes what it was started with, and how many of them still run, before it becomes the real one.
   * `more`: arguments before all others.
   */
  function notingPath(more = ''): { readonly searchPath: string; readonly noted: () => string } {
    const directory = join(world().root, 'bin')
    const note = join(directory, 'note')
    mkdirSync(directory)
    const path = process.env['PATH'] ?? ''
    writeFileSync(
      join(directory, 'ssh'),
      `#!/bin/sh\n{ echo "pid $$"; printf '%s\\n' "$@"; env; } >>'${note}'\nPATH='${path}' exec ssh ${more} "$@"\n`,
    )
    chmodSync(join(directory, 'ssh'), 0o755)
    return { searchPath: `${directory}:/usr/bin:/bin`, noted: () => readFileSync(note, 'utf8') }
  }

  test.each([
    ['version 2', 2, 'git-ssh'],
    ['version 0', 0, 'git-ssh-v0'],
  ] as const)('is polled and fetched over %s of the protocol, with one connection each', async (_, version, method) => {
    const { repository } = world()
    server.speak(version)
    const first = await repository.commit({ files: { 'a.yml': 'a: 1\n', large: Buffer.alloc(50_000, 7) } })
    await repository.tag('stable', first, { annotated: true })
    const read: { method: string; bytes: number }[] = []
    const found = await source.poll(remote, ['main', 'stable', 'HEAD'], never, (one) => read.push(one))
    expect(['main', 'stable', 'HEAD'].map((ref) => (found.get(ref) as SourceRevision).state)).toEqual([
      sha1(first),
      sha1(first),
      sha1(first),
    ])
    expect(read.at(-1)!.method).toBe(method)
    await source.fetch(remote, sha1(first), never)
    expect(server.seen).toHaveLength(2)
    const second = await repository.commit({ files: { 'a.yml': 'a: 2\n' } })
    await source.fetch(remote, sha1(second), never)
    const [file] = await source.files(remote, sha1(second), '', (path) => path === 'a.yml', never)
    expect(Buffer.from(file!.bytes).toString()).toBe('a: 2\n')
    expect(server.seen.map(({ environment }) => environment['GIT_PROTOCOL'])).toEqual(
      Array(3).fill(version === 2 ? 'version=2' : undefined),
    )
    expect((await source.poll(remote, ['gone'], never)).get('gone')).toMatchObject({ code: 'source/ref-missing' })
  })

  test('that is empty is reported as empty', async () => {
    for (const version of [2, 0] as const) {
      server.speak(version)
      expect((await source.poll(remote, ['main'], never)).get('main')).toMatchObject({
        message: expect.stringContaining('is empty') as string,
      })
    }
  })

  test('has a path with anything in it, which reaches no shell as a word of its own', async () => {
    const { root } = world()
    const name = "o'brien!  $(touch gone) `id` ;é"
    const repository = await makeRepository(join(root, 'served'), name)
    const commit = await repository.commit({ files: { a: '1' } })
    const at = `${server.url}${encodeURI(repository.directory).replaceAll('%2F', '/')}`
    expect((await source.poll(at, ['main'], never)).get('main')).toMatchObject({ state: sha1(commit) })
  })

  test('is found from a home where its address is as scp has it', async () => {
    const { repository, root } = world()
    const commit = await repository.commit({ files: { a: '1' } })
    // The address has no port: the test passes another one to the real ssh.
    const { searchPath } = notingPath(`-p ${server.port}`)
    const by = sourceWith(server.files(join(root, 'short'), '127.0.0.1'), { searchPath })
    const address = by.remoteOf({ kind: 'git', url: 'git@127.0.0.1:./repository.git/', ref: 'main', path: '' })
    expect(address).toBe('git@127.0.0.1:repository.git')
    expect((await by.poll(address, ['main'], never)).get('main')).toMatchObject({ state: sha1(commit) })
    await by.fetch(address, sha1(commit), never)
    expect(server.seen[0]!.command).toBe("git-upload-pack 'repository.git'")
  })

  test('gets the configured host from ssh, at the checked address, without secrets or data of the machine', async () => {
    const { repository, root } = world()
    await repository.commit({ files: { a: '1' } })
    const { searchPath, noted } = notingPath()
    const hosts: string[] = []
    const by = sourceWith(server.files(join(root, 'named'), `[git.example]:${server.port}`), {
      searchPath,
      resolveHost: (host, _, done) => (hosts.push(host), done(null, [{ address: '127.0.0.1', family: 4 }])),
    })
    await by.poll(`ssh://git@git.example:${server.port}${repository.directory}`, ['main'], never)
    expect(hosts).toEqual(['git.example'])
    const note = noted()
    expect(note).toContain(`HostName=127.0.0.1\n`)
    expect(note).toContain(`--\ngit.example\ngit-upload-pack '${repository.directory}'\n`)
    const names = note.split('\n').filter((line) => /^[A-Z_]+=/.test(line))
    expect(names.map((line) => line.replace(/=.*/, '')).sort()).toEqual([
      'GIT_PROTOCOL',
      'HOME',
      'LC_ALL',
      'PATH',
      'PWD',
    ])
    expect(note).not.toContain(readFileSync(files.identityFile, 'utf8').split('\n')[2])
  })

  test('at an address that must not be connected to is refused before anything is started', async () => {
    const { searchPath } = notingPath()
    const by = sourceWith(files, {
      searchPath,
      resolveHost: (_, __, done) => done(null, [{ address: '169.254.169.254', family: 4 }]),
    })
    expect(await lookError('git@git.example:acme/x', by)).toMatchObject({ code: 'source/address-refused' })
    expect(await lookError('git@169.254.169.254:acme/x', by)).toMatchObject({ code: 'source/address-refused' })
    expect(await lookError('ssh://git@[fe80::1]/acme/x', by)).toMatchObject({ code: 'source/address-refused' })
  })

  test('is not reached where nothing logs in there, and the message says what to write', async () => {
    expect(await lookError('git@example.com:acme/x', sourceWith(undefined))).toMatchObject({
      name: 'Rejected',
      code: 'source/no-ssh-credential',
      message: 'No credential matches git@example.com:acme/x: ssh needs a key and the host keys of the server.',
      hint: expect.stringMatching(
        /credentials: \{NAME: \{match: 'ssh:\/\/git@example\.com\/', .*: ssh-keyscan example\.com\. .*: kill -HUP \d+ /,
      ) as string,
    })
  })

  describe('whose server', () => {
    test('is not known is refused, and stays unknown', async () => {
      writeFileSync(files.knownHosts, '')
      const error = await lookError()
      expect(error).toMatchObject({ name: 'Rejected', code: 'source/host-key-unknown' })
      expect(error.message).toBe(`The host key of ${remote} is not in ${files.knownHosts}.`)
      const keyscan = `Get the key: ssh-keyscan -p ${server.port} 127.0.0.1. Compare it`
      expect(error).toMatchObject({ hint: expect.stringContaining(keyscan) as string })
      expect(readFileSync(files.knownHosts, 'utf8')).toBe('')
    })

    test('shows another key is refused, names the file, and changes nothing in it', async () => {
      const known = `[127.0.0.1]:${server.port} ${makeKey().public}\n`
      writeFileSync(files.knownHosts, known)
      const error = await lookError()
      expect(error).toMatchObject({ name: 'Rejected', code: 'source/host-key-changed' })
      expect(error.message).toContain(files.knownHosts)
      expect(readFileSync(files.knownHosts, 'utf8')).toBe(known)
      server.files(join(world().root, 'login'))
      await world().repository.commit({ files: { a: '1' } })
      expect(await stateOf('main')).toMatch(/^sha1:/) // read at each use
    })

    test('rejects the key is reported', async () => {
      const other = writeSshFiles(
        join(world().root, 'other'),
        makeKey().private,
        readFileSync(files.knownHosts, 'utf8'),
      )
      expect(await lookError(remote, sourceWith(other, { credentialFor: () => 'ours' }))).toMatchObject({
        name: 'Rejected',
        code: 'source/unauthorized',
        message: expect.stringMatching(/refused the ssh login with the credential "ours": ".*publickey/) as string,
        hint: expect.stringContaining('Check `credentials.ours` in the configuration file') as string,
      })
    })

    test('that is down or has an unknown name is retried', async () => {
      await server[Symbol.asyncDispose]()
      expect(await lookError()).toMatchObject({ name: 'Unavailable', code: 'source/unreachable' })
      expect((await lookError()).message).toContain('Connection refused')
      expect(await lookError('git@gitmoor.invalid:acme/x')).toMatchObject({
        name: 'Unavailable',
        message: expect.stringContaining('the host name') as string,
      })
    })
  })

  test.each([
    ['there is no repository', 'fatal: ', 128, 'source/not-found', 'Rejected'],
    ['the repository is not one', 'ERROR: Repository not found.\n', 1, 'source/not-found', 'Rejected'],
    ['git may not be run', "fatal: unrecognized command 'x'\n", 128, 'source/unauthorized', 'Rejected'],
    ['there is no git', 'sh: 1: git-upload-pack: not found\n', 127, 'source/not-git', 'Rejected'],
    ['something else is wrong', 'fatal: out of \u001b[31mmemory\n', 128, 'source/remote-error', 'Unavailable'],
    ['nothing is said', '', 3, 'source/remote-error', 'Unavailable'],
  ])('where %s has a readable message', async (what, said, code, problem, name) => {
    if (what !== 'there is no repository') {
      server.intercept((_, channel) => {
        channel.stderr.write(said)
        channel.exit(code)
        channel.end()
      })
    }
    const error = await lookError(`${remote}x`)
    expect(error).toMatchObject({ name, code: problem })
    expect(error.message).not.toContain('\u001b')
  })

  test('whose account greets instead of running git says what it says', async () => {
    server.intercept((_, channel) => {
      channel.write('This account is\u0007 not available.\n')
      channel.exit(1)
      channel.end()
    })
    expect(await lookError()).toMatchObject({
      code: 'source/not-git',
      message: `${remote} is not a git service: its output starts with "This account is\\u{7} not available.".`,
    })
  })

  describe('of a server that hangs', () => {
    const SHORT = { ...LIMITS, gitRequestMs: 400, fetchMs: 3000 }

    test.each([
      ['before it lets anybody in', (): void => server.letNobodyIn()],
      ['before it speaks', (): void => server.intercept(() => undefined)],
      [
        'in the middle of its greeting',
        (): void => server.intercept((_, channel) => void channel.write('000eversion 2\n0015agent')),
      ],
      ['before it answers', (): void => server.intercept((_, channel) => void channel.write('000eversion 2\n0000'))],
      [
        'in the middle of its answer',
        (): void => server.intercept((_, channel) => void channel.write('000eversion 2\n00000032')),
      ],
      ['while it floods what is for people', (): void => server.intercept(flood)],
    ])('%s, the poll ends at limits.gitRequest and no child process is left', async (_, hang) => {
      const { searchPath, noted } = notingPath()
      hang()
      expect(await lookError(remote, sourceWith(files, { limits: SHORT, searchPath }))).toMatchObject({
        name: 'Unavailable',
        code: 'source/timeout',
        message: expect.stringContaining('limits.gitRequest') as string,
      })
      expect(() => process.kill(Number(/^pid (\d+)/.exec(noted())![1]), 0)).toThrow('ESRCH')
    })

    test('before it sends anything, the poll ends at limits.gitRequest', async () => {
      const sockets: Socket[] = []
      const silent = createServer((socket) => void sockets.push(socket))
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
      const { port } = silent.address() as AddressInfo
      expect(await lookError(`ssh://git@127.0.0.1:${port}/x`, sourceWith(files, { limits: SHORT }))).toMatchObject({
        code: 'source/timeout',
      })
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => silent.close(resolve))
    })

    function flood(
      _: unknown,
      channel: { readonly stderr: { write(text: string): boolean }; readonly writable: boolean },
    ): void {
      const line = `${'x'.repeat(1000)}\n`
      const drips = setInterval(
        () => (channel.writable ? channel.stderr.write(line.repeat(20)) : clearInterval(drips)),
        5,
      )
    }
  })

  test('whose poll is aborted ends its child process', async () => {
    const { searchPath, noted } = notingPath()
    const giveUp = new AbortController()
    server.intercept(() => giveUp.abort(new Error('enough')))
    const error = await errorOf(sourceWith(files, { searchPath }).poll(remote, ['main'], giveUp.signal))
    expect(error.message).toBe('enough')
    expect(() => process.kill(Number(/^pid (\d+)/.exec(noted())![1]), 0)).toThrow('ESRCH')
  })

  test.each([[2], [0]] as const)(
    'that is cut anywhere in version %i is an error, and the next fetch is whole',
    async (version) => {
      const { repository } = world()
      server.speak(version)
      await repository.commit({
        files: { a: '1', c: Buffer.from(Array.from({ length: 600 }, (_, at) => (at * at * 31) % 251)) },
      })
      const state = await stateOf('main')
      for (const most of [1, 17, 130, 260, 400]) {
        server.intercept((_, __, run) => run(most))
        expect(await errorOf(source.fetch(remote, state, never))).toMatchObject({ name: 'Unavailable' })
      }
      server.intercept(undefined)
      await source.fetch(remote, state, never)
    },
  )

  test('returns its ref tips, and accepts a promoted tag', async () => {
    const { repository } = world()
    const from = await repository.commit({ files: { a: '1' }, message: 'One', tags: ['stable'] })
    await repository.commit({ files: { a: '2' } })
    const commit = await repository.commit({ files: { a: '3' }, message: 'Three' })
    const pusher = sourceWith(files, { mayPush: () => true })
    expect(await pusher.tips.direction(remote, { from, to: commit }, never)).toBe('forward')
    const promotion = { tag: 'stable', expected: { object: from, commit: from }, commit, by: 'ana', note: 'because' }
    const tip = await pusher.tips.promote(remote, promotion, never)
    expect(await repository.git('rev-parse', 'stable')).toBe(tip.object)
    expect(await pusher.tips.describe(remote, { ...tip, ref: 'refs/tags/stable' }, never)).toMatchObject({
      tag: { name: 'ana', message: 'because' },
      commit: { message: 'Three' },
    })
    expect(await errorOf(source.tips.promote(remote, promotion, never))).toMatchObject({
      code: 'source/push-not-allowed',
    })
  })
})
