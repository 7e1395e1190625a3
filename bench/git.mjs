// Repositories, and git without the configuration of this machine and without prompts.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const gitEnvironment = {
  PATH: process.env.PATH,
  LC_ALL: 'C',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'bench',
  GIT_AUTHOR_EMAIL: 'bench@gitmoor.invalid',
  GIT_COMMITTER_NAME: 'bench',
  GIT_COMMITTER_EMAIL: 'bench@gitmoor.invalid',
}

export async function git(directory, ...words) {
  const { stdout } = await run('git', ['-C', directory, ...words], { env: gitEnvironment, maxBuffer: 2 ** 26 })
  return stdout.trim()
}

/** A bare repository below `root`, made or continued by `fast-import`. */
export async function makeRepository(root, name) {
  const directory = join(root, name)
  await git(root, 'init', '--quiet', '--bare', '--initial-branch=main', name)
  await git(directory, 'config', 'http.receivepack', 'true')
  return { directory, commit: (files) => commit(directory, files) }
}

/** A commit on main: `files` by path. Gives its id. */
async function commit(directory, files) {
  const before = await git(directory, 'rev-parse', '--verify', '--quiet', 'refs/heads/main').catch(() => undefined)
  const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`
  const now = Math.floor(Date.now() / 1000)
  const changed = Object.entries(files).map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`)
  const head = `commit refs/heads/main\ncommitter bench <bench@gitmoor.invalid> ${now} +0000\n${data('Change')}`
  await fastImport(directory, `${head}${before === undefined ? '' : `from ${before}\n`}${changed.join('')}`)
  return git(directory, 'rev-parse', 'refs/heads/main')
}

export async function fastImport(directory, text) {
  const child = spawn('git', ['-C', directory, 'fast-import', '--quiet', '--force'], {
    env: gitEnvironment,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  child.stdin.end(text)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`)
}
