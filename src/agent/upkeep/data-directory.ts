// The data directory. Only its owner may read it: mode 0700, its files 0600.
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { faultText } from '../../lib/text/fault-text.js'
import { isRunning } from '../../settings/is-running.js'
import { shellWord } from '../../lib/text/shell-word.js'
import { agentStart, type AgentStart } from '../../model/agent/agent-start.js'
import { freeSpaceHint, isFullDisk, Refused, SyncError } from '../../model/errors.js'
import { readBoundedFile } from '../../settings/bounded-file.js'

/**
 * Creates the data directory if it is missing. Returns the created folders, outermost first. Errors: `SyncError`
 * data/unusable, data/foreign, data/linked, data/irregular.
 */
export function openDataDirectory(directory: string): readonly string[] {
  try {
    const made = missingFolders(directory)
    for (const missing of made) mkdirSync(missing, { mode: 0o700 })
    if (!statSync(directory).isDirectory()) throw new Error('it is not a directory')
    refuseForeign(directory)
    refuseLinks(directory)
    refuseIrregular(directory)
    if (isOwn(directory)) chmodSync(directory, 0o700)
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
    return made
  } catch (cause) {
    if (cause instanceof SyncError) throw cause
    throw unusable(directory, cause)
  }
}

function unusable(directory: string, cause: unknown): SyncError {
  return new SyncError(`The data directory ${directory} cannot be used.`, {
    code: 'data/unusable',
    path: directory,
    hint: isFullDisk(cause) ? freeSpaceHint(directory) : 'Name a directory that this user may write: --data DIR.',
    cause,
  })
}

/**
 * Which user besides root and the agent's may change the directory; undefined: none. The agent's group may write.
 */
export function foreignAccess(directory: string): string | undefined {
  const { uid, gid, mode } = statSync(directory)
  const user = process.geteuid?.()
  if (user === undefined) return undefined
  if (uid !== user && uid !== 0) return `belongs to user ${uid}`
  if ((mode & 0o002) !== 0) return 'is writable for every user'
  const groups = [process.getegid?.(), ...(process.getgroups?.() ?? [])]
  return (mode & 0o020) !== 0 && !groups.includes(gid) ? `is writable for group ${gid}` : undefined
}

/** A command that makes the user of this process the only owner of a directory. */
export function ownershipCommand(directory: string): string {
  return `chown -R ${process.geteuid?.() ?? ''} ${directory} && chmod 700 ${directory}`
}

function refuseForeign(directory: string): void {
  const why = foreignAccess(directory)
  if (why === undefined) return
  throw new SyncError(`The data directory ${directory} ${why}; the agent runs as user ${process.geteuid?.()}.`, {
    code: 'data/foreign',
    path: directory,
    hint: `Run the agent as the owner of the directory, or: ${ownershipCommand(directory)}`,
  })
}

/** The agent deletes files in these folders. Through a link it would delete files elsewhere. */
function refuseLinks(directory: string): void {
  const link = ['git', 'url', 'copies', 'restoring']
    .map((name) => join(directory, name))
    .find((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
  if (link === undefined) return
  throw new SyncError(`${link} is a symbolic link.`, {
    code: 'data/linked',
    path: link,
    hint: 'Remove the link; the agent creates a folder in its place. To use another disk, mount it there.',
  })
}

/** Files that the agent opens or replaces. */
const ownFiles = [
  'agent.json',
  'gitmoor.db',
  'gitmoor.db-shm',
  'gitmoor.db-wal',
  'key',
  'lock.db',
  'reads.json',
  'token',
]

/** Opening a pipe blocks until another process writes to it; a folder cannot be opened as a file. */
function refuseIrregular(directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    const type = statSync(path, { throwIfNoEntry: false })
    if (type?.isFIFO() === true) throw irregular(path, 'pipe')
    if (type?.isDirectory() === true && ownFiles.includes(name)) throw irregular(path, 'folder')
  }
}

function irregular(path: string, type: string): SyncError {
  return new SyncError(`${path} is a ${type}, not a regular file.`, {
    code: 'data/irregular',
    path,
    hint: 'Remove it, or restore the file from a backup.',
  })
}

function isOwn(directory: string): boolean {
  return statSync(directory).uid === (process.geteuid?.() ?? statSync(directory).uid)
}

/**
 * Deletes folders that were created in vain, with the lock file in the innermost one. A folder with other files stays.
 * The caller holds the lock.
 */
export function removeCreated(made: readonly string[]): void {
  const innermost = made.at(-1)
  if (innermost === undefined) return
  for (const name of ['lock.db', 'lock.db-journal']) rmSync(join(innermost, name), { force: true })
  try {
    for (const folder of made.toReversed()) rmdirSync(folder)
  } catch {
    // It has other files.
  }
}

/**
 * Outermost first. Created one by one: a recursive call never returns where folders cannot be created, as below /proc.
 */
function missingFolders(directory: string): readonly string[] {
  return existsSync(directory) ? [] : [...missingFolders(dirname(directory)), directory]
}

/**
 * Generated tokens and tokens that a person wrote: valid in a header, and too long to guess.
 */
const tokenPattern = /^[\x21-\x7e]{32,}$/

/**
 * The admin token, generated at the first start. Errors: `SyncError` data/token if the file has no valid token.
 */
export function adminToken(directory: string): string {
  const file = join(directory, 'token')
  const stored = readToken(file)
  if (stored !== undefined) return stored
  const token = randomBytes(32).toString('hex') // no leading hyphen, which command lines parse as an option
  writeAtomically(file, `${token}\n`)
  return token
}

function readToken(file: string): string | undefined {
  let token: string
  try {
    token = readBoundedFile(file, 4096).toString('utf8').trim()
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw badToken(file, `cannot be read: ${faultText(cause)}`)
  }
  if (!tokenPattern.test(token)) {
    throw badToken(file, `has ${token.length} characters; a token has at least 32 ASCII characters and no spaces`)
  }
  return token
}

function badToken(file: string, why: string): SyncError {
  return new SyncError(`The token file ${file} ${why}.`, {
    code: 'data/token',
    path: file,
    hint: 'Restore the file from a backup, or delete it: the next start generates a new token.',
  })
}

/** How the command line finds the agent, and starts the same one again. */
export interface AgentFacts {
  readonly url: string
  readonly token: string
  readonly pid: number
  readonly version: string
  /** Absolute path of the configuration file. */
  readonly config: string | undefined
  /** The address of --listen, if it was given. */
  readonly listen: string | undefined
  /** The format of --log, if it was given. */
  readonly log: string | undefined
  /** The working directory: relative paths of the configuration file start there. */
  readonly directory: string
  /** Since when it runs: an ISO 8601 time. */
  readonly startedAt: string
  /** How the last agent with a configuration file was started, if this one has none. */
  readonly former: AgentStart | undefined
}

export function writeAgentFile(directory: string, facts: AgentFacts): void {
  writeAtomically(join(directory, agentFile), `${JSON.stringify(facts)}\n`)
}

/** Locks the directory. Errors: those of `lock`; the one for a locked directory names the agent that uses it. */
export function lockAlone(directory: string, lock: (directory: string) => Disposable): Disposable {
  try {
    return lock(directory)
  } catch (error) {
    const agent = error instanceof Refused && error.status === 'locked' ? runningAgent(directory) : undefined
    throw agent === undefined ? error : usedBy(directory, agent)
  }
}

function usedBy(directory: string, { pid, url, startedAt, config }: Partial<AgentFacts>): Refused {
  const since = startedAt === undefined ? '' : `, since ${startedAt.replace(/\.\d+Z$/, 'Z')}`
  const start = config === undefined ? 'without --config' : `with --config ${config}`
  const message = `Another gitmoor agent uses ${directory}: process ${pid}${since}, at ${url}, ${start}.`
  return new Refused('locked', message, {
    code: 'store/locked',
    path: directory,
    hint:
      `Use it: gitmoor stack list --data ${shellWord(directory)}\nOr stop it: kill ${pid}\n` +
      'Or choose another directory with --data.',
  })
}

/**
 * The process that wrote agent.json, while it runs. undefined: that is not known. A process that is starting has not
 * written it yet, and an agent in another container may have the id of this process.
 */
function runningAgent(directory: string): Partial<AgentFacts> | undefined {
  const { pid, url, startedAt, config } = readAgentFile(directory)
  if (typeof pid !== 'number' || typeof url !== 'string' || pid === process.pid || !isRunning(pid)) return undefined
  return {
    pid,
    url,
    ...(typeof startedAt === 'string' ? { startedAt } : {}),
    ...(typeof config === 'string' ? { config } : {}),
  }
}

/** Empty if there is none, or it is not valid. */
function readAgentFile(directory: string): Readonly<Record<string, unknown>> {
  try {
    const text = readBoundedFile(join(directory, agentFile), mostAgentFileBytes).toString('utf8')
    return { ...(JSON.parse(text) as object) }
  } catch {
    return {}
  }
}

/** How the last agent on this directory that had a configuration file was started; undefined: none is known. */
export function formerStart(directory: string): AgentStart | undefined {
  const start = agentStart(directory, readAgentFile(directory))
  return start.config === undefined ? undefined : start
}

const agentFile = 'agent.json'
const mostAgentFileBytes = 64 * 1024

/** Replaces the file atomically, with mode 0600. Errors: `SyncError` data/unusable. */
function writeAtomically(file: string, text: string): void {
  const fresh = `${file}.${process.pid}.new`
  try {
    writeFileSync(fresh, text, { mode: 0o600 })
    renameSync(fresh, file)
  } catch (cause) {
    if (statSync(fresh, { throwIfNoEntry: false })?.isDirectory() !== true) rmSync(fresh, { force: true })
    throw unusable(dirname(file), cause)
  }
}
