// Git through a proxy that cuts or hangs the connection anywhere: nothing half is visible, and the next try is whole.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { GitSource } from '../../src/source/git/git-source.js'
import type { SourceRevision } from '../../src/source/source.js'
import { startFaultyProxy, type FaultyProxy } from '../faulty-proxy.js'
import type { BackendAnswer, Intercept } from '../git-server.js'
import { attackShare } from '../attack/scale.js'
import { seeded } from '../package/seeded.js'
import { hasSsh, startSshServer, type SshFiles } from '../ssh-server.js'
import { errorOf, LIMITS, never, sha1, useGitWorld } from './git-world.js'

const world = useGitWorld()
let proxy: FaultyProxy | undefined
let commit: string
let sshLogin: SshFiles | undefined

/** What is done with a remote, and what it gives where nothing hinders it. */
type Act = (source: GitSource, remote: string) => Promise<unknown>

const acts: Readonly<Record<string, Act>> = {
  'a poll': async (source, remote) =>
    ((await source.poll(remote, ['main'], never)).get('main') as SourceRevision).state,
  'a fetch': async (source, remote) => {
    await source.fetch(remote, sha1(commit), never)
    const files = await source.files(remote, sha1(commit), '', () => true, never)
    return files.map(({ path, bytes }) => `${path} ${bytes.length}`)
  },
}

beforeEach(async () => {
  const noise = Buffer.from(Array.from({ length: 900 }, (_, at) => (at * at * 31) % 251))
  commit = await world().repository.commit({ files: { 'a.yml': 'a: 1\n', 'b/noise': noise } })
})
afterEach(async () => {
  await proxy?.[Symbol.asyncDispose]()
  proxy = undefined
  sshLogin = undefined
})

/** Answers of git, each asked for once: the same bytes at each try. */
function remembering(): Intercept {
  const answers = new Map<string, Promise<BackendAnswer>>()
  return async ({ method, url, body }, response, backend) => {
    const key = `${method} ${url} ${body.toString('latin1')}`
    const answer = answers.get(key) ?? backend()
    answers.set(key, answer)
    const { status, headers, body: bytes } = await answer
    response.writeHead(status, headers).end(bytes)
  }
}

async function behindProxy(port = Number(new URL(world().server.url).port)): Promise<FaultyProxy> {
  proxy = await startFaultyProxy(port)
  return proxy
}

const httpRemote = (): string => `http://127.0.0.1:${proxy!.port}/${world().repository.name}`

/** What can be seen of a copy: packs, indexes and marks. */
function kept(directory: string): readonly string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(pack|idx)$|commits.[0-9a-f]{40}$/.test(name),
  )
}

/**
 * The act with a fault, then without, over one copy: an error that leaves nothing, or all of it; then all of it. True:
 * it was an error.
 */
async function breaks(
  act: Act,
  at: FaultyProxy,
  remote: string,
  fault: Parameters<FaultyProxy['fault']>[0],
): Promise<boolean> {
  const directory = join(world().root, 'copies', `${fault!.how}-${fault!.after}`)
  const limits = fault!.how === 'silence' ? { ...LIMITS, gitRequestMs: sshLogin === undefined ? 100 : 500 } : LIMITS
  at.fault(fault)
  const said = await act(source({ directory, limits }), remote).catch((error: unknown) => error)
  if (said instanceof Error) {
    const code =
      fault!.how === 'silence'
        ? /^source\/timeout$/
        : /^source\/(unreachable|cut-short|truncated|damaged|remote-error|ssh-failed)$/
    expect(said, `after ${fault!.after} bytes`).toMatchObject({
      name: 'Unavailable',
      code: expect.stringMatching(code) as string,
    })
    expect(kept(directory)).toEqual([])
  }
  at.fault()
  const whole = await act(source({ directory }), remote)
  if (!(said instanceof Error)) expect(said).toEqual(whole)
  return said instanceof Error
}

const source = (options: Parameters<ReturnType<typeof world>['restart']>[0]): GitSource =>
  world().restart({ sshLogins: () => sshLogin, ...options })

/** How many bytes it takes where nothing hinders it. */
async function bytesOf(act: Act, at: FaultyProxy, remote: string): Promise<number> {
  at.fault()
  expect(await act(source({ directory: join(world().root, 'whole') }), remote)).toBeTruthy()
  return at.passed
}

describe.each([
  ['version 2', 2, attackShare(100)],
  ['version 0', 0, attackShare(60)],
] as const)('over http, %s', (_, version, rounds) => {
  beforeEach(() => {
    world().server.speak(version)
    world().server.intercept(remembering())
  })

  test.each(Object.entries(acts))(
    '%s that is cut at a random byte is an error that leaves nothing, and the next one is whole',
    async (_name, act) => {
      const at = await behindProxy()
      const bytes = await bytesOf(act, at, httpRemote())
      const dice = seeded(version + 1)
      const cuts = new Set([0, bytes - 1, ...Array.from({ length: rounds }, () => dice(bytes))])
      let errors = 0
      for (const after of cuts) if (await breaks(act, at, httpRemote(), { after, how: 'end' })) errors++
      expect(cuts.size).toBeGreaterThanOrEqual(rounds * 0.8)
      expect(errors).toBeGreaterThanOrEqual(cuts.size * 0.95) // of the last bytes some say nothing new
    },
  )
})

test.each(Object.entries(acts))(
  '%s over http that hangs at any stage ends at limits.gitRequest, leaves nothing, and the next one is whole',
  async (_, act) => {
    world().server.intercept(remembering())
    const at = await behindProxy()
    const bytes = await bytesOf(act, at, httpRemote())
    const stages = {
      'before it answers': 0,
      'in its headers': 9,
      'in the middle': Math.floor(bytes / 2),
      'near its end': bytes - 30,
    }
    for (const [stage, after] of Object.entries(stages))
      expect(await breaks(act, at, httpRemote(), { after, how: 'silence' }), stage).toBe(true)
  },
)

test('an unreachable server is reported, and reached again at the same port', async () => {
  const at = await behindProxy()
  const one = source({})
  const look = (): Promise<unknown> => acts['a poll']!(one, httpRemote())
  await look()
  await at.leave()
  expect(await errorOf(look())).toMatchObject({ name: 'Unavailable', code: 'source/unreachable' })
  await at.comeBack()
  expect(await look()).toBe(sha1(commit))
})

describe.skipIf(!hasSsh)('over ssh', () => {
  test('a fetch that is cut or hangs at any stage is an error that leaves nothing, and the next one is whole', async () => {
    await using server = await startSshServer(join(world().root, 'served'))
    const at = await behindProxy(server.port)
    const login = server.files(join(world().root, 'login'), `[127.0.0.1]:${at.port}`)
    const remote = `ssh://git@127.0.0.1:${at.port}${world().repository.directory}`
    sshLogin = login
    const bytes = await bytesOf(acts['a fetch']!, at, remote)
    // Not near the end: the last bytes only close the connection.
    for (const part of [0.1, 0.4, 0.6]) {
      const after = Math.floor(bytes * part)
      for (const how of ['end', 'silence'] as const)
        expect(
          await breaks(acts['a fetch']!, at, remote, { after, how }),
          `${how} after ${after} of ${bytes} bytes`,
        ).toBe(true)
    }
  })
})
