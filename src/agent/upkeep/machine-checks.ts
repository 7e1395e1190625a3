// Checks of the machine and the data directory, with or without a running agent. They change nothing.
import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { shellWord } from '../../lib/text/shell-word.js'
import { foreignAccess, ownershipCommand } from './data-directory.js'
import { ok, problem, skipped, warning, type Check } from '../../model/agent/check.js'

export interface Machine {
  readonly data: string
  /** Defects of a database file; undefined: the check takes longer than the limit. */
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
      problem(
        'data',
        `${data} does not exist.`,
        `Start the agent, which creates it: gitmoor agent --data ${shellWord(data)}. Or name another one with --data.`,
      ),
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

/** Only repositories on this machine need git. */
async function gitCheck({ searchPath }: Machine): Promise<Check> {
  const version = await programVersion('git', '--version', searchPath)
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version ?? '') ?? []
  const next = 'Install git 2.31 or newer if a stack follows a repository on this machine (file:). https needs no git.'
  if (major === undefined) return warning('git', 'git is not installed.', next)
  const message = `git ${major}.${minor}`
  return Number(major) > 2 || Number(minor) >= 31 ? ok('git', message) : warning('git', `${message} is too old.`, next)
}

/** Only ssh repositories need it. */
async function sshCheck({ searchPath }: Machine): Promise<Check> {
  const version = await programVersion('ssh', '-V', searchPath)
  if (version === undefined) return skipped('ssh', 'ssh is not installed; only ssh repositories need it.')
  return ok('ssh', version.trim().split(',')[0]!)
}

/** The version output of a program; undefined: it is not installed. */
function programVersion(program: string, option: string, searchPath: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, [option], { env: { PATH: searchPath }, timeout: 5_000 }, (error, stdout, stderr) =>
      resolve(error === null ? stdout + stderr : undefined),
    )
  })
}

function directoryCheck(data: string): Check {
  const status = statSync(data)
  if (!status.isDirectory()) return problem('data', `${data} is not a directory.`, 'Name another one with --data.')
  const why = foreignAccess(data)
  if (why !== undefined) return problem('data', `${data} ${why}.`, ownershipCommand(data))
  if (openTo(status.mode) !== '')
    return problem('data', `${data} is accessible to ${openTo(status.mode)}.`, `chmod 700 ${data}`)
  return mayWrite(data) ? ok('data', `${data}, only accessible to its owner`) : readOnly('data', data)
}

function secretChecks(data: string): readonly Check[] {
  return ['key', 'token', 'agent.json', 'gitmoor.db'].map((name) => fileCheck(name, join(data, name)))
}

/** An agent that has started made its database. */
function missingFile(name: string, file: string): Check {
  if (name === 'key') return keyless(file)
  if (name !== 'gitmoor.db' || !existsSync(join(dirname(file), 'agent.json')))
    return skipped(name, `${name} does not exist yet.`)
  return problem(name, `${file} was removed.`, 'Put it back, or remove the directory and restore a backup.')
}

function fileCheck(name: string, file: string): Check {
  if (!existsSync(file)) return missingFile(name, file)
  const { mode, size } = statSync(file)
  if (openTo(mode) !== '') return problem(name, `${file} is readable for ${openTo(mode)}.`, `chmod 600 ${file}`)
  if (name === 'key' && size !== 32)
    return problem(name, `${file} has ${size} bytes; a key has 32.`, 'Restore the file from a backup.')
  return name === 'gitmoor.db' && !mayWrite(file) ? readOnly(name, file) : ok(name, 'only accessible to its owner')
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
  const next = 'Make the user of the agent its owner (chown), or mount the file system writable.'
  return problem(name, `This user cannot write ${path}.`, next)
}

function keyless(file: string): Check {
  return warning(
    'key',
    `${file} does not exist.`,
    'The next start generates a key. After a restore without a key this is expected. Otherwise restore the file from ' +
      'a backup: a new key cannot read secrets sealed with the old one.',
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
    'Free disk space for the data directory: without it nothing can be stored, and nothing runs.',
  )
}

async function databaseCheck({ data, integrity }: Machine): Promise<Check> {
  const file = join(data, 'gitmoor.db')
  if (!existsSync(file)) return skipped('database', 'It does not exist yet.')
  if (!mayWrite(data)) return skipped('database', 'The check needs write access to its directory.')
  const defects = await integrity(file, integrityMs)
  if (defects === undefined)
    return skipped(
      'database',
      `The integrity check of ${megabytes(statSync(file).size)} takes longer than ${integrityMs / 1000} s.`,
    )
  if (defects.length === 0) return ok('database', `integrity check passed, ${megabytes(statSync(file).size)}`)
  return problem(
    'database',
    `It is corrupt: ${defects.join('; ')}.`,
    'Restart the agent: it keeps the corrupt file aside and repairs what it can.',
  )
}

function logCheck(data: string): Check {
  const file = join(data, 'gitmoor.db-wal')
  const bytes = existsSync(file) ? statSync(file).size : 0
  if (bytes < largeLogBytes) return ok('write-ahead log', megabytes(bytes))
  return warning(
    'write-ahead log',
    `It has grown to ${megabytes(bytes)}.`,
    'Another program keeps the database open: find it (lsof), and stop it.',
  )
}

/** Each watched directory needs inotify watches; Linux only. */
function watchesCheck(): Check {
  try {
    const watches = Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'))
    if (watches >= leastWatches) return ok('inotify', `${watches} watches per user`)
    return warning(
      'inotify',
      `Only ${watches} watches per user.`,
      `sysctl fs.inotify.max_user_watches=${leastWatches * 8}, if a stack follows a directory.`,
    )
  } catch {
    return skipped('inotify', 'This system has no inotify.')
  }
}

function megabytes(bytes: number): string {
  const mebibytes = bytes / 1024 / 1024
  return mebibytes < 10_240 ? `${mebibytes.toFixed(1)} MiB` : `${(mebibytes / 1024).toFixed(0)} GiB`
}
