// The cost of polling at scale: requests for many stacks, a range of versions over many tags, and how many polls one
// thread can do.
import { setMaxListeners } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openAgent } from './agent.mjs'
import { startCannedServer } from './canned-server.mjs'
import { makeFarm } from './farm.mjs'
import { fastImport, git, makeRepository } from './git.mjs'
import { startGitServer } from './git-server.mjs'
import { smallPackage } from './packages.mjs'
import { median, row } from './row.mjs'

const never = new AbortController().signal
setMaxListeners(0, never) // every poll in progress listens

export const scales = {
  full: { repositories: 50, each: 20, intervalMs: 5_000, intervals: 6, tags: 1_000, polls: 20_000, rounds: 5 },
  small: { repositories: 2, each: 2, intervalMs: 500, intervals: 2, tags: 100, polls: 100, rounds: 1 },
}

export async function measure({ dist, directory, keep, scale }) {
  return [
    ...(await ofManyStacks({ dist, directory: join(directory, 'farm'), keep, scale })),
    ...(await ofManyTags({ dist, directory: join(directory, 'tags'), keep, scale })),
    ...(await ofOneThread({ dist, directory: join(directory, 'thread'), keep, scale })),
  ]
}

/** Counted at the server. */
async function ofManyStacks({ dist, directory, keep, scale: { repositories, each, intervalMs, intervals } }) {
  mkdirSync(directory)
  const { data, server, stackCount } = await makeFarm({ dist, directory, keep, repositories, each, intervalMs })
  const open = await openAgent({ dist, data })
  try {
    await open.agent.start()
    await sleep(2 * intervalMs) // after the first polls, which are concurrent
    await server.bytes()
    await sleep(intervals * intervalMs)
    const { requests } = await server.bytes()
    const of = `${stackCount.toLocaleString('en')} stacks on ${repositories} repositories`
    return [
      row(`${of}: requests in one interval`, requests / intervals, '', {
        beside: { what: 'repositories', figure: repositories },
        aim: { ratio: 1.1 },
      }),
    ]
  } finally {
    await open.close()
  }
}

const range = 'semver:^9.1'

async function ofManyTags({ dist, directory, keep, scale: { tags } }) {
  const root = join(directory, 'served')
  mkdirSync(root, { recursive: true })
  const repository = await makeRepository(root, 'versions.git')
  const tag = (number) => `v${number % 10}.${Math.floor(number / 10)}.0`
  await fastImport(repository.directory, Array.from({ length: tags }, (_, at) => release(tag(at), at)).join(''))
  const server = keep(await startGitServer(root))
  const url = `${server.url}/versions.git`
  const open = await openAgent({ dist, data: join(directory, 'data') })
  const { source } = open.agent.sync
  try {
    const pollOnce = async () => (await source.poll(url, [range], never)).get(range)
    const cost = async (work) => {
      await server.bytes()
      await work()
      return (await server.bytes()).bodies
    }
    await source.fetch(url, (await pollOnce()).state, never)
    const poll = await cost(pollOnce)
    await fastImport(repository.directory, release('v9.100.0', tags, 'from refs/heads/main^0\n'))
    const change = await cost(async () => source.fetch(url, (await pollOnce()).state, never))
    const listing = await cost(() => git(directory, 'ls-remote', '--tags', url))
    await git(directory, 'init', '--quiet', '--bare', 'shallow')
    const shallow = await cost(() =>
      git(join(directory, 'shallow'), 'fetch', '--quiet', '--depth=1', url, 'refs/tags/*:refs/tags/*'),
    )
    const of = `${range} over ${tags.toLocaleString('en')} tags`
    return [
      row(`${of}: bytes of a poll`, poll, 'B', { beside: { what: 'git ls-remote --tags', figure: listing } }),
      row(`${of}: bytes of a change, seen and fetched`, change, 'B', {
        beside: { what: 'git fetch --depth 1 of all tags', figure: shallow },
      }),
    ]
  } finally {
    await open.close()
  }
}

/** A commit with a package of its own, and a tag on it. */
function release(tag, turn, from = '') {
  const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`
  const committer = `committer bench <bench@gitmoor.invalid> ${1_700_000_000 + turn} +0000`
  const head = `commit refs/heads/main\nmark :1\n${committer}\n${data(tag)}${from}`
  const file = `M 100644 inline monitoring/package.yml\n${data(smallPackage('team', turn))}`
  return `${head}${file}reset refs/tags/${tag}\nfrom :1\n\n`
}

const atOnce = 64

/**
 * The server is a process of its own that answers ready bytes. Beside each round of ours one of the bare client, with
 * the same request.
 */
async function ofOneThread({ dist, directory, keep, scale: { polls, rounds } }) {
  const server = keep(await startCannedServer())
  const open = await openAgent({ dist, data: directory })
  const { source } = open.agent.sync
  const remotes = Array.from({ length: atOnce }, (_, at) => `${server.url}/team-${at}.git`)
  const { Agent, request } = createRequire(import.meta.url)('undici')
  const dispatcher = new Agent({ connections: 8 }) // as many as ours has to one server
  const headers = {
    'git-protocol': 'version=2',
    'user-agent': 'git/gitmoor',
    'content-type': 'application/x-git-upload-pack-request',
  }
  const bare = async (at) => {
    const { body } = await request(`${remotes[at]}/git-upload-pack`, {
      method: 'POST',
      headers,
      body: server.question,
      dispatcher,
    })
    for await (const _ of body);
  }
  try {
    const figures = { ours: [], bare: [] }
    for (let round = 0; round <= rounds; round++) {
      const ours = await perSecond(polls, (at) => source.poll(remotes[at], ['main'], never))
      const theirs = await perSecond(polls, bare)
      if (round === 0) continue // warms up
      figures.ours.push(ours)
      figures.bare.push(theirs)
    }
    return [
      row('polls of one thread at a server that answers ready bytes', median(figures.ours), '/s', {
        beside: { what: 'the HTTP client alone', figure: median(figures.bare) },
        aim: { least: 20_000 },
      }),
    ]
  } finally {
    await dispatcher.close()
    await open.close()
  }
}

/** `atOnce` that each begin again when they have ended. */
async function perSecond(polls, turn) {
  const began = performance.now()
  let left = polls
  await Promise.all(
    Array.from({ length: atOnce }, async (_, at) => {
      while (left-- > 0) await turn(at)
    }),
  )
  return polls / ((performance.now() - began) / 1000)
}
