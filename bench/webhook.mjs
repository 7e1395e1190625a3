// From the end of `git push` until it is applied on the embedded platform: reported by a webhook, and polled at an
// interval of 5 s.
import { createHmac } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startAgentProcess } from './agent.mjs'
import { git, makeRepository } from './git.mjs'
import { startGitServer } from './git-server.mjs'
import { smallPackage } from './packages.mjs'
import { median, row, timed } from './row.mjs'

/** `polled`: pushes that only polling finds. `warmUp`: pushes before those that count. */
export const scales = {
  full: { pushes: 200, polled: 12, warmUp: 2, listings: 15 },
  small: { pushes: 1, polled: 1, warmUp: 0, listings: 1 },
}
const intervalMs = 5_000
const secret = 'a-secret-of-the-bench-0001'

export async function measure({ dist, directory, keep, scale: { pushes, polled, warmUp, listings } }) {
  const root = join(directory, 'served')
  mkdirSync(root)
  const repository = await makeRepository(root, 'boards.git')
  await repository.commit({ 'boards/package.yml': smallPackage('boards', 0) })
  const server = keep(await startGitServer(root))
  const url = `${server.url}/boards.git`
  const work = join(directory, 'work')
  await git(directory, 'clone', '--quiet', url, work)
  const shared = { dist, directory, keep, url, work, warmUp }
  const reported = await pushAndWait({
    ...shared,
    name: 'reported',
    interval: '1h',
    askEveryMs: 5,
    count: pushes,
    notify,
  })
  const found = await pushAndWait({
    ...shared,
    name: 'found',
    interval: '5s',
    askEveryMs: 50,
    count: polled,
    notify: async () => {},
  })
  const list = median(await timed(listings, () => git(directory, 'ls-remote', url)))
  const beside = { what: 'git ls-remote', figure: list }
  return [
    row(`push, webhook, applied: median of ${pushes}`, median(reported), 'ms', { beside, aim: { most: 100 } }),
    row('push, webhook, applied: 95th percentile', percentile(reported, 0.95), 'ms', { beside, aim: { most: 250 } }),
    row(`push, poll every 5 s, applied: 95th percentile of ${polled}`, percentile(found, 0.95), 'ms', {
      aim: { most: intervalMs + 1_000 },
    }),
  ]
}

/** Milliseconds from the end of each push until the run that it made has ended `applied`. */
async function pushAndWait({ dist, directory, keep, url, work, warmUp, name, interval, askEveryMs, count, notify }) {
  const data = join(directory, name)
  mkdirSync(data, { mode: 0o700 })
  const config = join(directory, `${name}.yml`)
  writeFileSync(config, `webhooks: { bench: { provider: github, secret: ${secret} } }\n`)
  const agent = keep(await startAgentProcess({ dist, data, config }))
  await agent.type('stack', 'create', name, '--repo', url, '--ref', 'main', '--path', 'boards', '--interval', interval)
  const times = []
  for (let at = -warmUp; at < count; at++) {
    writeFileSync(join(work, 'boards', 'package.yml'), smallPackage('boards', performance.now()))
    await git(work, 'commit', '--quiet', '--all', '--message', `${name} ${at}`)
    const commit = (await git(work, 'rev-parse', 'HEAD')).trim()
    await git(work, 'push', '--quiet', 'origin', 'main')
    const began = performance.now()
    await notify(agent, url, commit)
    await applied(agent, { name, commit, askEveryMs })
    if (at >= 0) times.push(performance.now() - began)
  }
  await agent.close()
  return times
}

/** Reads the API, which polls no remote for it. */
async function applied(agent, { name, commit, askEveryMs }) {
  for (;;) {
    const stack = await (await agent.get(`/api/v1/stacks/${name}`)).json()
    if (stack.revision.applied?.endsWith(commit)) return
    await sleep(askEveryMs)
  }
}

/** As GitHub sends it. */
async function notify(agent, url, commit) {
  const body = JSON.stringify({ ref: 'refs/heads/main', after: commit, repository: { clone_url: url } })
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  const headers = {
    'X-GitHub-Event': 'push',
    'X-GitHub-Delivery': commit,
    'X-Hub-Signature-256': `sha256=${signature}`,
  }
  const answer = await fetch(`${agent.url}/hooks/bench?wait=true`, { method: 'POST', headers, body })
  const { runs } = await answer.json()
  if (runs[0]?.outcome !== 'applied')
    throw new Error(`The push was not applied: ${answer.status} ${JSON.stringify(runs)}`)
}

function percentile(figures, share) {
  const sorted = [...figures].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}
