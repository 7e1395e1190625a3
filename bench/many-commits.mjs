// 2,000 commits of one repository, fetched and read one after the other: memory, disk and open files at the end beside
// those of the first quarter.
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openAgent } from './agent.mjs'
import { fastImport, git, makeRepository } from './git.mjs'
import { startGitServer } from './git-server.mjs'
import { smallPackage } from './packages.mjs'
import { canTell, residentMiB } from './process-cost.mjs'
import { row } from './row.mjs'

/**
 * `folders`: so many that what is remembered of them is full before the first quarter ends. `every`: commits between
 * two figures.
 */
export const scales = {
  full: { commits: 2_000, every: 20, folders: 400 },
  small: { commits: 16, every: 2, folders: 4 },
}
const never = new AbortController().signal

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

export async function measure({ dist, directory, keep, scale: { commits, every, folders } }) {
  if (!canTell) return []
  const root = join(directory, 'served')
  mkdirSync(root)
  const repository = await makeRepository(root, 'long.git')
  await fastImport(repository.directory, Array.from({ length: commits }, (_, turn) => commitOf(turn, folders)).join(''))
  const ids = (await git(repository.directory, 'rev-list', '--reverse', 'refs/heads/main')).split('\n')
  const server = keep(await startGitServer(root))
  const data = join(directory, 'data')
  const open = keep(await openAgent({ dist, data }))
  const seen = []
  for (const [at, id] of ids.entries()) {
    await open.agent.sync.source.fetch(`${server.url}/long.git`, `sha1:${id}`, never)
    await open.agent.sync.source.files(`${server.url}/long.git`, `sha1:${id}`, '', () => true, never)
    if ((at + 1) % every === 0) seen.push(figuresNow(join(data, 'git'), at + 1))
  }
  return [
    ...rowsOf('memory in use', { seen, commits }, ({ heap }) => heap, 'MiB'),
    ...rowsOf('resident memory', { seen, commits }, ({ resident }) => resident, 'MiB'),
    ...rowsOf('the copy on the disk', { seen, commits }, ({ disk }) => disk, 'KiB'),
    ...rowsOf('open files', { seen, commits }, ({ files }) => files, ''),
  ]
}

/** One folder changes with each commit; the first makes all of them. */
function commitOf(turn, folders) {
  const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`
  const places = turn === 0 ? Array.from({ length: folders }, (_, at) => at) : [turn % folders]
  const changed = places.map((at) => `M 100644 inline ${at}/package.yml\n${data(smallPackage(`team-${at}`, turn))}`)
  const committer = `committer bench <bench@gitmoor.invalid> ${1_700_000_000 + turn} +0000`
  return `commit refs/heads/main\n${committer}\n${data('Change')}${changed.join('')}\n`
}

function figuresNow(directory, commit) {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  const names = readdirSync(directory, { recursive: true })
  const bytes = names
    .map((name) => statSync(join(directory, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
  return {
    commit,
    heap: (heapUsed + external) / 2 ** 20,
    resident: residentMiB(process.pid).now,
    disk: bytes / 1024,
    files: readdirSync('/proc/self/fd').length,
  }
}

/** The most of the last quarter beside the most of the first; and the slope since then, for each 1,000 commits. */
function rowsOf(what, { seen, commits }, figureOf, unit) {
  const quarter = seen.length / 4
  const most = (some) => Math.max(...some.map(figureOf))
  const later = seen.slice(quarter).map((one) => [one.commit / 1000, figureOf(one)])
  const of = `${commits.toLocaleString('en')} commits fetched one after the other`
  return [
    row(`${of}: ${what}, the most of the last ${commits / 4}`, most(seen.slice(-quarter)), unit, {
      beside: { what: `of the first ${commits / 4}`, figure: most(seen.slice(0, quarter)) },
      aim: { ratio: 1.1 },
    }),
    row(`the same: slope of it for each 1,000 commits`, slope(later), unit),
  ]
}

/** Least squares. */
function slope(points) {
  const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, figure]) => figure))]
  const above = points.reduce((sum, [at, figure]) => sum + (at - x) * (figure - y), 0)
  return above / points.reduce((sum, [at]) => sum + (at - x) ** 2, 0)
}
