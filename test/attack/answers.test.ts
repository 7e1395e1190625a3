// Answers of 50 KB to 5 MB (in the full suite 20 MB) in every framing, whole, cut off or reset at a random byte, for
// everything that reads answers over HTTP.
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Unavailable } from '../../src/model/errors.js'
import { GitSource } from '../../src/source/git/git-source.js'
import type { HttpAccess } from '../../src/source/network/authorized-request.js'
import { UrlSource } from '../../src/source/url/url-source.js'
import { hasOpenssl, makeAuthority } from '../certificates.js'
import { makeRepository, startGitServer, type GitServer, type Repository } from '../git-server.js'
import { Dice } from '../random/dice.js'
import { openAccess } from '../source/access.js'
import { LIMITS, never, sha1 } from '../source/git-world.js'
import { openRemotes, REMOTE_LIMITS } from '../source/remotes.js'
import {
  framed,
  framings,
  startRawServer,
  writePieces,
  type RawRequest,
  type Body,
  type RawServer,
} from './raw-server.js'
import { attackScale, attackSeed, attackShare } from './scale.js'

const limits = { ...LIMITS, fileBytes: 32 * 1024 * 1024 }
const leastBytes = 50_000
const mostBytes = attackScale() < 1 ? 5_000_000 : 20_000_000
const answerCount = 1_000
const commitCount = 6
const networks = ['127.0.0.1/32']
const noise = randomBytes(mostBytes)

let root: string
let git: GitServer
let repository: Repository
let commits: readonly string[]
let plain: RawServer
let secure: RawServer | undefined
let server: RawServer
let answer: (request: RawRequest, socket: Socket) => Promise<void>
/** By commit. */
const packs = new Map<string, Body>()
let access: HttpAccess & AsyncDisposable

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-answers-')))
  repository = await makeRepository(join(root, 'served'))
  git = await startGitServer(join(root, 'served'))
  plain = await startRawServer((request, socket) => answer(request, socket))
  const authority = hasOpenssl ? makeAuthority(join(root, 'authority')) : undefined
  secure =
    authority && (await startRawServer((request, socket) => answer(request, socket), authority.issue('IP:127.0.0.1')))
  access = openAccess({
    networks,
    entries: secure === undefined ? [] : [{ name: 'own', match: `${secure.url}/`, ca: authority!.file }],
  })
  const made: string[] = []
  for (let at = 0; at < commitCount; at++)
    made.push(
      await repository.commit({
        from: null,
        files: { 'noise.bin': noise.subarray(0, sizeAt(at / (commitCount - 1))) },
      }),
    )
  commits = made
})
afterAll(async () => {
  await access[Symbol.asyncDispose]()
  await plain[Symbol.asyncDispose]()
  await secure?.[Symbol.asyncDispose]()
  await git.close()
  rmSync(root, { recursive: true, force: true })
})

/** From the least at 0 to the most at 1, small sizes as often as large ones. */
function sizeAt(share: number): number {
  return Math.round(leastBytes * (mostBytes / leastBytes) ** share)
}

/** What a server answers, and a reader of it that rejects unless it gets all of it. */
interface Use {
  readonly bodyOf: (request: RawRequest) => Promise<Body> | Body
  readonly read: () => Promise<unknown>
}

const uses = {
  'a URL that a stack follows': (dice, number): Use => {
    const bytes = noise.subarray(0, sizeAt(dice.below(1000) / 1000))
    const source = new UrlSource({ directory: join(root, 'url'), limits, networks: [], access })
    const state = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    return {
      bodyOf: () => ({ type: 'text/plain', bytes }),
      read: async () =>
        expect((await source.poll(`url:${server.url}/${number}.yml`, [''], never)).get('')).toMatchObject({ state }),
    }
  },
  'a package of a request': (dice): Use => {
    const bytes = noise.subarray(0, sizeAt(dice.below(1000) / 1000))
    const remotes = openRemotes({ limits: { ...REMOTE_LIMITS, remoteBytes: limits.fileBytes }, networks, access })
    return {
      bodyOf: () => ({ type: 'text/plain', bytes }),
      read: async () => expect(bytes.equals((await remotes.fetch(`${server.url}/a.yml`, never)).bytes)).toBe(true),
    }
  },
  'a pack of a repository': (dice, number): Use => {
    const directory = join(root, `mirrors-${number}`)
    const commit = dice.pick(commits)
    const source = new GitSource({ directory, limits, allow: { directories: [] }, dataDirectory: root, access })
    return {
      bodyOf: (request) => packs.get(commit) ?? askGit(request).then((pack) => (packs.set(commit, pack), pack)),
      read: async () => {
        await source
          .fetch(`${server.url}/${repository.name}`, sha1(commit), never)
          .finally(() => rmSync(directory, { recursive: true, force: true }))
      },
    }
  },
} satisfies Readonly<Record<string, (dice: Dice, number: number) => Use>>

async function askGit({ method, path, headers, body }: RawRequest): Promise<Body> {
  const given = await fetch(`${git.url}${path}`, { method, headers, body: new Uint8Array(body) })
  return { type: given.headers.get('content-type')!, bytes: Buffer.from(await given.arrayBuffer()) }
}

const endings = ['whole', 'reset', 'cut off'] as const

test(
  'reads every answer that is whole, rejects every other one, and outlives all of them',
  { timeout: 900_000 },
  async () => {
    const count = attackShare(answerCount)
    for (let number = 0; number < count; number++) {
      const dice = new Dice(attackSeed() + number)
      const use = dice.pick(Object.keys(uses) as readonly (keyof typeof uses)[])
      const framing = dice.pick(framings)
      // Nothing shows that an answer delimited by closing is cut off.
      const ending = dice.pick(framing === 'closed' ? endings.slice(0, 2) : endings)
      server = secure !== undefined && dice.chance(25) ? secure : plain
      const { bodyOf, read } = uses[use](dice, number)
      answer = async (request, socket) => {
        const bytes = framed(framing, await bodyOf(request), dice)
        await writePieces(socket, ending === 'whole' ? bytes : bytes.subarray(0, dice.below(bytes.length)), dice)
        if (ending === 'reset') server.reset(socket)
        else if (ending === 'cut off' || framing.endsWith('closed')) socket.end()
      }
      const failure = await read().then(
        () => undefined,
        (error: unknown) => error,
      )
      const said = `answer ${number} (seed ${attackSeed() + number}), ${use} at ${server.url}: ${framing}, ${ending}`
      if (ending === 'whole') expect(failure, said).toBeUndefined()
      else expect(failure, said).toBeInstanceOf(Unavailable)
    }
  },
)
