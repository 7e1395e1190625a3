// The most memory that a fetch of 100 MB takes, beside what git itself takes for it.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startAgentProcess } from './agent.mjs'
import { git, gitEnvironment } from './git.mjs'
import { startGitServer } from './git-server.mjs'
import { smallPackage } from './packages.mjs'
import { canTell, mostOfTree, residentMiB } from './process-cost.mjs'
import { row } from './row.mjs'

export const scales = { full: { files: 25, fileMiB: 4 }, small: { files: 1, fileMiB: 1 } }

export async function measure({ dist, directory, keep, scale }) {
  if (!canTell) return []
  const root = join(directory, 'served')
  await makeLarge(directory, root, scale)
  const server = keep(await startGitServer(root))
  const url = `${server.url}/large.git`
  const data = join(directory, 'data')
  mkdirSync(data, { mode: 0o700 })
  const config = join(directory, 'gitmoor.yaml')
  writeFileSync(config, 'limits: { packBytes: 128MiB }\n')
  const agent = keep(await startAgentProcess({ dist, data, config }))
  const before = residentMiB(agent.pid).now
  const began = performance.now()
  await agent.type('stack', 'create', 'boards', '--repo', url, '--ref', 'main', '--path', 'boards')
  const ms = performance.now() - began
  const { most } = residentMiB(agent.pid)
  const theirs = await clone(url, join(directory, 'clone'))
  return [
    row(`a fetch of ${scale.files * scale.fileMiB} MiB: the most memory of the agent`, most, 'MiB', {
      beside: { what: 'git clone --depth 1 --bare', figure: theirs.most },
    }),
    row('the same, above what it had before', most - before, 'MiB'),
    row('the same: time until the stack is applied', ms, 'ms', {
      beside: { what: 'git clone --depth 1 --bare', figure: theirs.ms },
    }),
  ]
}

/** Random bytes do not compress: the pack weighs what the files do. */
async function makeLarge(directory, root, { files, fileMiB }) {
  mkdirSync(root)
  const work = join(directory, 'work')
  await git(directory, 'init', '--quiet', '--initial-branch=main', work)
  mkdirSync(join(work, 'boards'))
  mkdirSync(join(work, 'images'))
  writeFileSync(join(work, 'boards', 'package.yml'), smallPackage('boards', 0))
  for (let at = 0; at < files; at++) writeFileSync(join(work, 'images', `${at}.bin`), randomBytes(fileMiB * 2 ** 20))
  await git(work, 'add', '--all')
  await git(work, 'commit', '--quiet', '--message', 'Large')
  await git(directory, 'clone', '--quiet', '--bare', work, join(root, 'large.git'))
}

async function clone(url, to) {
  const began = performance.now()
  const child = spawn('git', ['clone', '--quiet', '--bare', '--depth', '1', url, to], {
    env: gitEnvironment,
    stdio: 'ignore',
  })
  const most = await mostOfTree(child.pid, once(child, 'close'))
  return { most, ms: performance.now() - began }
}
