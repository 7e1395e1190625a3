// From the end of `git push` to the exit of `gitmoor sync`, the start of the command line included.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startAgentProcess, typed } from './agent.mjs'
import { git, makeRepository } from './git.mjs'
import { startGitServer } from './git-server.mjs'
import { smallPackage } from './packages.mjs'
import { median, row, timed } from './row.mjs'

export const scales = { full: { pushes: 15 }, small: { pushes: 1 } }

export async function measure({ dist, directory, keep, scale: { pushes } }) {
  const root = join(directory, 'served')
  mkdirSync(root)
  const repository = await makeRepository(root, 'boards.git')
  await repository.commit({ 'boards/package.yml': smallPackage('boards', 0) })
  const server = keep(await startGitServer(root))
  const url = `${server.url}/boards.git`
  const work = join(directory, 'work')
  await git(directory, 'clone', '--quiet', url, work)
  const data = join(directory, 'data')
  mkdirSync(data, { mode: 0o700 })
  const agent = keep(await startAgentProcess({ dist, data }))
  await agent.type('stack', 'create', 'boards', '--repo', url, '--ref', 'main', '--path', 'boards', '--interval', '1h')
  const syncs = await syncAfterPush(work, agent, pushes)
  const bare = median(await timed(pushes, () => typed(['-e', '0'])))
  const list = median(await timed(pushes, () => git(directory, 'ls-remote', url)))
  return [
    row('from the end of git push to the exit of gitmoor sync', median(syncs), 'ms', {
      beside: { what: 'node -e 0 and git ls-remote', figure: bare + list },
      aim: { most: 300 },
    }),
  ]
}

async function syncAfterPush(work, agent, pushes) {
  const times = []
  for (let at = -2; at < pushes; at++) {
    writeFileSync(join(work, 'boards', 'package.yml'), smallPackage('boards', at + 3))
    await git(work, 'commit', '--quiet', '--all', '--message', `Change ${at}`)
    await git(work, 'push', '--quiet', 'origin', 'main')
    const began = performance.now()
    const said = await agent.type('sync', 'boards', '--json')
    if (at >= 0) times.push(performance.now() - began)
    if (JSON.parse(said).outcome !== 'applied') throw new Error(`The push was not applied: ${said}`)
  }
  return times
}
