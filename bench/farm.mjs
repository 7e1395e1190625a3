// A farm: 1,000 stacks on 50 repositories, all applied, in a data directory from which an agent can be started.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openAgent, stackAt } from './agent.mjs'
import { makeRepository } from './git.mjs'
import { startGitServer } from './git-server.mjs'
import { smallPackage } from './packages.mjs'

export const repositories = 50
const each = 20
export const stackCount = repositories * each
const driftIntervalMs = 300_000

/** `change(some, turn)`: a commit in the first `some` repositories that changes all their packages. `intervalMs`: of the looks. */
export async function makeFarm({ dist, directory, keep, intervalMs = 60_000 }) {
  const root = join(directory, 'served')
  mkdirSync(root)
  const made = []
  for (let at = 0; at < repositories; at++) made.push(await makeRepository(root, `team-${at}.git`))
  const change = (some, turn) => Promise.all(made.slice(0, some).map(({ commit }, at) => commit(filesOf(at, turn))))
  await change(repositories, 0)
  const server = keep(await startGitServer(root))
  const data = join(directory, 'data')
  await applyAll(dist, data, specs(server.url, intervalMs))
  return { data, change, server }
}

const nameOf = (repository, at) => `team-${repository}-${String(at).padStart(2, '0')}`
const places = Array.from({ length: each }, (_, at) => at)

function filesOf(repository, turn) {
  return Object.fromEntries(places.map((at) => [`${at}/package.yml`, smallPackage(nameOf(repository, at), turn)]))
}

/** Applies every stack once; then it is as if the agent had run for long: their looks at the target are spread over the interval. */
async function applyAll(dist, data, specs) {
  let left = stackCount
  let done = () => {}
  const ended = new Promise((resolve) => (done = resolve))
  const open = await openAgent({ dist, data, onRunEnd: async () => void (--left === 0 && done()) })
  try {
    const made = await Promise.all(specs.map((spec) => open.store.stacks.create(spec, record)))
    await open.agent.start()
    await ended
    const now = Date.now()
    await Promise.all(
      made.map(({ stack }, at) => open.store.stacks.change(stack.id, { checkedAt: now - (at / stackCount) * driftIntervalMs * 0.9 })),
    )
  } finally {
    await open.close()
  }
}

const record = { managedBy: 'api', target: 'embedded/main', cause: { kind: 'created' } }

function specs(url, intervalMs) {
  const settings = { intervalMs, driftIntervalMs, drift: 'correct' }
  const of = (repository) =>
    places.map((at) => ({ ...stackAt(nameOf(repository, at), `${url}/team-${repository}.git`, String(at)), ...settings }))
  return Array.from({ length: repositories }, (_, at) => of(at)).flat()
}
