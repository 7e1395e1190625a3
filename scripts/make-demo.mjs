// Makes, once, a small real git repository with a work tree from fixtures/demo: each folder there is one commit, laid
// over the one before. Always the same commits. Called by `npm start`; alone: node scripts/make-demo.mjs DIRECTORY
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const commits = [
  { folder: '1-first', message: 'A label, two buckets, a dashboard and a task', tags: [] },
  { folder: '2-more-charts', message: 'The dashboard also shows memory', tags: ['stable'] },
  {
    folder: '3-longer-history',
    message: 'Keep measurements for thirty days, means of half an hour',
    branch: 'next',
    tags: ['beta'],
  },
]

/** True where it was made now; a directory that is there is left alone. */
export function makeDemo(directory) {
  if (existsSync(directory)) return false
  mkdirSync(dirname(directory), { recursive: true })
  const draft = mkdtempSync(join(dirname(directory), '.demo-')) // beside it: a rename stays on one file system
  try {
    buildRepository(draft)
    renameSync(draft, directory)
    return true
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

function buildRepository(directory) {
  git(directory, 0, 'init', '--quiet', '--template=', '--initial-branch=main')
  // Commits work here without a git identity.
  const settings = {
    'user.name': 'gitmoor demo',
    'user.email': 'demo@gitmoor.invalid',
    'commit.gpgSign': 'false',
    'tag.gpgSign': 'false',
  }
  for (const [key, value] of Object.entries(settings)) git(directory, 0, 'config', key, value)
  for (const [hour, { folder, message, branch, tags }] of commits.entries()) {
    if (branch !== undefined) git(directory, hour, 'checkout', '--quiet', '-b', branch)
    cpSync(join(root, 'fixtures', 'demo', folder), directory, { recursive: true })
    git(directory, hour, 'add', '--all')
    git(directory, hour, 'commit', '--quiet', '--message', message)
    for (const tag of tags) git(directory, hour, 'tag', tag)
  }
  // What a person commits follows `stable`, without what waits on `next`.
  git(directory, 0, 'checkout', '--quiet', 'main')
}

/** No shell, and nothing of this machine's git configuration. */
function git(directory, hour, ...words) {
  const date = `2026-01-05T${String(9 + hour).padStart(2, '0')}:00:00+00:00`
  const who = {
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  }
  const env = { PATH: process.env.PATH, LC_ALL: 'C', HOME: directory, ...who }
  try {
    execFileSync('git', ['-C', directory, '-c', 'core.autocrlf=false', ...words], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  } catch (error) {
    if (error.code === 'ENOENT')
      throw new Error('The demo needs git, which was not found. Install git and start again.', { cause: error })
    throw error
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const directory = resolve(process.argv[2] ?? join(root, 'demo'))
  console.log(makeDemo(directory) ? `${directory}: made` : `${directory}: is there already, left alone`)
}
