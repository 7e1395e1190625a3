// What can be told of the machine and the data directory, whether an agent runs or not. Nothing is changed.
import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { foreignAccess, ownershipCommand } from './data-directory.js'
import { ok, problem, skipped, warning, type Check } from '../../model/check.js'

export interface Machine {
  readonly data: string
  /** What is wrong with a database file; undefined: it takes too long to say. */
  readonly integrity: (file: string, limitMs: number) => Promise<readonly string[] | undefined>
  /** PATH, for git and ssh. */
  readonly searchPath: string
}

const integrityMs = 20_000
const leastFreeBytes = 512 * 1024 * 1024
const largeLogBytes = 256 * 1024 * 1024
const leastWatches = 8_192

export async function machineChecks(machine: Machine): Promise<readonly Check[]> {
  const { data } = machine
  if (!existsSync(data))
    return [
      nodeCheck(),
      await gitCheck(machine),
      await sshCheck(machine),
      problem('data', `${data} is not there.`, 'Start the agent, which makes it, or name another with --data.'),
    ]
  return [
    nodeCheck(),
    await gitCheck(machine),
    await sshCheck(machine),
    directoryCheck(data),
    ...secretChecks(data),
    diskCheck(data),
    await databaseCheck(machine),
    logCheck(data),
    watchesCheck(),
  ]
}

function nodeCheck(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const message = `Node ${process.versions.node}`
  return major > 20 || (major === 20 && minor >= 19)
    ? ok('node', message)
    : problem('node', message, 'Install Node 20.19 or newer.')
}

/** Only repositories on this machine need it. */
async function gitCheck({ searchPath }: Machine): Promise<Check> {
  const said = await programVersion('git', '--version', searchPath)
  const [, major, minor] = /(\d+)\.(\d+)/.exec(said ?? '') ?? []
  const next = 'Install git 2.31 or newer if a stack follows a repository on this machine (file:). https needs none.'
  if (major === undefined) return warning('git', 'There is no git here.', next)
  const message = `git ${major}.${minor}`
  return Number(major) > 2 || Number(minor) >= 31 ? ok('git', message) : warning('git', `${message} is too old.`, next)
}

/** Only repositories behind ssh need it. */
async function sshCheck({ searchPath }: Machine): Promise<Check> {
  const said = await programVersion('ssh', '-V', searchPath)
  if (said === undefined) return skipped('ssh', 'There is none here; only repositories behind ssh need it.')
  return ok('ssh', said.trim().split(',')[0]!)
}

/** What a program says of itself; undefined: it is not here. */
function programVersion(program: string, option: string, searchPath: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, [option], { env: { PATH: searchPath }, timeout: 5_000 }, (error, stdout, stderr) =>
      resolve(error === null ? stdout + stderr : undefined),
    )
  })
}

function directoryCheck(data: string): Check {
  const status = statSync(data)
  if (!status.isDirectory()) return problem('data', `${data} is no directory.`, 'Name another with --data.')
  const stranger = foreignAccess(data)
  if (stranger !== undefined) return problem('data', `${data} ${stranger}.`, ownershipCommand(data))
  if (openTo(status.mode) !== '')
    return problem('data', `${data} is open to ${openTo(status.mode)}.`, `chmod 700 ${data}`)
  return mayWrite(data) ? ok('data', `${data}, for its owner only`) : readOnly('data', data)
}

function secretChecks(data: string): readonly Check[] {
  return ['key', 'token', 'agent.json', 'gitmoor.db'].map((name) => fileCheck(name, join(data, name)))
}

function fileCheck(name: string, file: string): Check {
  if (!existsSync(file)) return name === 'key' ? keyless(file) : skipped(name, `There is no ${name} yet.`)
  const { mode, size } = statSync(file)
  if (openTo(mode) !== '') return problem(name, `${file} can be read by ${openTo(mode)}.`, `chmod 600 ${file}`)
  if (name === 'key' && size !== 32)
    return problem(name, `${file} has ${size} bytes; a key has 32.`, 'Put the file back from a backup.')
  return name === 'gitmoor.db' && !mayWrite(file) ? readOnly(name, file) : ok(name, 'for its owner only')
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function readOnly(name: string, path: string): Check {
  const next = 'Give it to the user of the agent (chown), or mount its file system for writing.'
  return problem(name, `This user may not write ${path}.`, next)
}

function keyless(file: string): Check {
  return warning(
    'key',
    `There is no ${file}.`,
    'The next start makes one; what was sealed with another cannot be read. Put it back from a backup if there is one.',
  )
}

function openTo(mode: number): string {
  return [...((mode & 0o070) === 0 ? [] : ['its group']), ...((mode & 0o007) === 0 ? [] : ['everybody'])].join(' and ')
}

function diskCheck(data: string): Check {
  const { bavail, bsize } = statfsSync(data)
  const free = bavail * bsize
  const message = `${megabytes(free)} free`
  if (free >= leastFreeBytes) return ok('disk', message)
  return warning(
    'disk',
    message,
    'Free space where the data directory is: without any nothing can be written down, and nothing runs.',
  )
}

async function databaseCheck({ data, integrity }: Machine): Promise<Check> {
  const file = join(data, 'gitmoor.db')
  if (!existsSync(file)) return skipped('database', 'There is none yet.')
  if (!mayWrite(data)) return skipped('database', 'It can be looked through only where its directory can be written.')
  const found = await integrity(file, integrityMs)
  if (found === undefined)
    return skipped(
      'database',
      `It takes longer than ${integrityMs / 1000} s to look through its ${megabytes(statSync(file).size)}.`,
    )
  if (found.length === 0) return ok('database', `whole (integrity_check), ${megabytes(statSync(file).size)}`)
  return problem(
    'database',
    `It is damaged: ${found.join('; ')}.`,
    'Start the agent again: it keeps the damaged file aside and mends what it can.',
  )
}

function logCheck(data: string): Check {
  const file = join(data, 'gitmoor.db-wal')
  const bytes = existsSync(file) ? statSync(file).size : 0
  if (bytes < largeLogBytes) return ok('write-ahead log', megabytes(bytes))
  return warning(
    'write-ahead log',
    `It has grown to ${megabytes(bytes)}.`,
    'Some program keeps the database open for reading: find out which (lsof), and end it.',
  )
}

/** Directories that are watched each take some; Linux only. */
function watchesCheck(): Check {
  try {
    const watches = Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'))
    if (watches >= leastWatches) return ok('inotify', `${watches} watches for each user`)
    return warning(
      'inotify',
      `Only ${watches} watches for each user.`,
      `sysctl fs.inotify.max_user_watches=${leastWatches * 8}, if a stack follows a directory.`,
    )
  } catch {
    return skipped('inotify', 'This system has none.')
  }
}

function megabytes(bytes: number): string {
  const mebibytes = bytes / 1024 / 1024
  return mebibytes < 10_240 ? `${mebibytes.toFixed(1)} MiB` : `${(mebibytes / 1024).toFixed(0)} GiB`
}
