// One warm poll of the agent beside `git ls-remote`, on remotes with 10, 1,000 and 20,000 refs.
import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openAgent } from './agent.mjs'
import { fastImport, git, gitEnvironment, makeRepository } from './git.mjs'
import { startGitServer } from './git-server.mjs'
import { median, row, timed } from './row.mjs'

/** `sizes`: refs; the aims are for the last. */
export const scales = {
  full: { sizes: [10, 1_000, 20_000], polls: 100, listings: 12, rounds: 5 },
  small: { sizes: [10], polls: 2, listings: 1, rounds: 1 },
}

export async function measure({ dist, directory, keep, scale }) {
  const root = join(directory, 'served')
  mkdirSync(root)
  const server = keep(await startGitServer(root))
  const rows = []
  for (const refs of scale.sizes) rows.push(...(await measureOne(refs, { dist, directory, root, server, scale })))
  return rows
}

async function measureOne(refs, { dist, directory, root, server, scale }) {
  const repository = await makeRepository(root, `refs-${refs}.git`)
  await manyRefs(repository, refs)
  const url = `${server.url}/refs-${refs}.git`
  const ours = await pollWith({ dist, data: join(directory, `data-${refs}`), url, server, scale })
  const theirs = await listWith({ url, server, scale })
  const beside = (figure) => ({ what: 'git ls-remote', figure })
  const of = `one poll, ${refs.toLocaleString('en')} refs`
  // With few refs both cost what a request costs.
  const aim = (ratio) => (refs === scale.sizes.at(-1) ? { aim: { ratio } } : {})
  return [
    row(`${of}: CPU of the client`, ours.cpuMs, 'ms', { beside: beside(theirs.cpuMs), ...aim(1 / 30) }),
    row(`${of}: bytes on the wire`, ours.wire, 'B', { beside: beside(theirs.wire), ...aim(1 / 4000) }),
    row(`${of}: the same without HTTP headers`, ours.bodies, 'B', { beside: beside(theirs.bodies) }),
    row(`${of}: time`, ours.ms, 'ms', { beside: beside(theirs.ms) }),
  ]
}

async function manyRefs({ directory, commit }, refs) {
  const id = await commit({ 'monitoring/bucket.yml': bucket })
  const names = Array.from(
    { length: refs - 1 },
    (_, at) => `reset refs/tags/release-${String(at).padStart(5, '0')}\nfrom ${id}\n\n`,
  )
  await fastImport(directory, names.join(''))
  await git(directory, 'pack-refs', '--all')
}

const bucket = 'apiVersion: influxdata.com/v2alpha1\nkind: Bucket\nmetadata:\n  name: raw\n'

/**
 * A poll by the whole agent, with store and channels, as its timers begin it. CPU is this
 * process's own.
 */
async function pollWith({ dist, data, url, server, scale: { polls, rounds } }) {
  const open = await openAgent({ dist, data })
  const { stack } = await open.store.stacks.create(open.stackAt('many', url), {
    managedBy: 'api',
    target: 'embedded/main',
    cause: { kind: 'created' },
  })
  open.agent.polls.follow(stack)
  const never = new AbortController().signal
  const poll = () => open.agent.polls.poll(stack, never)
  await timed(0, poll, { warmUp: 3 * polls })
  const times = []
  const cpu = []
  for (let round = 0; round < rounds; round++) {
    await server.bytes()
    const before = process.cpuUsage()
    times.push(...(await timed(polls, poll, { warmUp: 0 })))
    const { user, system } = process.cpuUsage(before)
    cpu.push((user + system) / 1000 / polls)
  }
  const { wire, bodies } = await server.bytes()
  await open.close()
  return { ms: median(times), cpuMs: median(cpu), wire: wire / polls, bodies: bodies / polls }
}

/** A shell knows what its children cost. */
async function listWith({ url, server, scale: { listings } }) {
  const run = promisify(execFile)
  const list = () => run('git', ['ls-remote', url], { env: gitEnvironment, maxBuffer: 2 ** 26 })
  const times = await timed(listings, list)
  await server.bytes()
  await list()
  const { wire, bodies } = await server.bytes()
  const loop = `while [ $i -lt ${listings} ]; do git ls-remote "$0" > /dev/null || exit 1; i=$((i+1)); done`
  const script = `i=0; ${loop}; times`
  const { stdout } = await run('sh', ['-c', script, url], { env: gitEnvironment })
  const [user, system] = stdout.trim().split('\n').at(-1).split(/\s+/).map(secondsOf)
  return { ms: median(times), cpuMs: ((user + system) * 1000) / listings, wire, bodies }
}

/** `0m1.250s` */
function secondsOf(text) {
  const [minutes, seconds] = text.replace('s', '').split('m')
  return Number(minutes) * 60 + Number(seconds)
}
