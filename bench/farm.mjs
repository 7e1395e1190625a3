// A farm: some stacks on each of some repositories, all applied, in a data directory from which an agent can be
// started.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openAgent } from './agent.mjs'
import { makeRepository } from './git.mjs'
import { startGitServer } from './git-server.mjs'
import { smallPackage } from './packages.mjs'

/**
 * `change(some, turn)`: a commit in the first `some` repositories that changes all their packages. `each`: stacks of
 * one repository.
 */
export async function makeFarm({
  dist,
  directory,
  keep,
  repositories,
  each,
  intervalMs = 60_000,
  driftIntervalMs = 300_000,
}) {
  const root = join(directory, 'served')
  mkdirSync(root)
  const made = []
  for (let at = 0; at < repositories; at++) made.push(await makeRepository(root, `team-${at}.git`))
  const change = (some, turn) =>
    Promise.all(made.slice(0, some).map(({ commit }, at) => commit(filesOf({ repository: at, each, turn }))))
  await change(repositories, 0)
  const server = keep(await startGitServer(root))
  const data = join(directory, 'data')
  const settings = { intervalMs, driftIntervalMs, drift: 'correct' }
  const stacks = made.flatMap((_, repository) =>
    range(each).map((at) => ({
      name: nameOf(repository, at),
      url: `${server.url}/team-${repository}.git`,
      path: String(at),
      settings,
    })),
  )
  await applyAll({ dist, data, stacks, driftIntervalMs })
  return { data, change, server, stackCount: stacks.length }
}

const nameOf = (repository, at) => `team-${repository}-${String(at).padStart(2, '0')}`
const range = (count) => Array.from({ length: count }, (_, at) => at)

function filesOf({ repository, each, turn }) {
  return Object.fromEntries(range(each).map((at) => [`${at}/package.yml`, smallPackage(nameOf(repository, at), turn)]))
}

/**
 * Applies every stack once. Then spreads their drift checks over the interval, as in an agent that runs for long.
 */
async function applyAll({ dist, data, stacks, driftIntervalMs }) {
  let left = stacks.length
  let done = () => {}
  const ended = new Promise((resolve) => (done = resolve))
  const open = await openAgent({ dist, data, onRunEnd: async () => void (--left === 0 && done()) })
  try {
    const specs = stacks.map(({ name, url, path, settings }) => ({ ...open.stackAt(name, url, path), ...settings }))
    const made = await Promise.all(specs.map((spec) => open.store.stacks.create(spec, record)))
    await open.agent.start()
    await ended
    const now = Date.now()
    await Promise.all(
      made.map(({ stack }, at) =>
        open.store.stacks.change(stack.id, { checkedAt: now - (at / made.length) * driftIntervalMs * 0.9 }),
      ),
    )
  } finally {
    await open.close()
  }
}

const record = { managedBy: 'api', target: 'embedded/main', cause: { kind: 'created' } }
