// The data directory, which only its owner may read: 0700, its files 0600.
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
import { SyncError } from '../../model/errors.js'
import { freeSpaceHint } from '../../model/machine-errors.js'
import { readBoundedFile } from '../../settings/bounded-file.js'

/**
 * Makes it where it is missing. Gives the folders that were made, outermost first. Errors: `SyncError` data/unusable,
 * data/foreign, data/linked, data/irregular.
 */
export function openDataDirectory(directory: string): readonly string[] {
  try {
    const made = missingFolders(directory)
    for (const missing of made) mkdirSync(missing, { mode: 0o700 })
    if (!statSync(directory).isDirectory()) throw new Error('it is no directory')
    refuseForeign(directory)
    refuseLinks(directory)
    refusePipes(directory)
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
    hint: freeSpaceHint(cause, directory) ?? 'Give one that this user may write with --data DIR.',
    cause,
  })
}

/**
 * Who else than root and the agent's own user decides what is in a directory; undefined: nobody. The agent's group may
 * write.
 */
export function foreignAccess(directory: string): string | undefined {
  const { uid, gid, mode } = statSync(directory)
  const user = process.geteuid?.()
  if (user === undefined) return undefined
  if (uid !== user && uid !== 0) return `belongs to user ${uid}`
  if ((mode & 0o002) !== 0) return 'can be written by every user'
  const groups = [process.getegid?.(), ...(process.getgroups?.() ?? [])]
  return (mode & 0o020) !== 0 && !groups.includes(gid) ? `can be written by group ${gid}` : undefined
}

/** Gives a directory to the user of this process, and to nobody else. */
export function ownershipCommand(directory: string): string {
  return `chown -R ${process.geteuid?.() ?? ''} ${directory} && chmod 700 ${directory}`
}

function refuseForeign(directory: string): void {
  const stranger = foreignAccess(directory)
  if (stranger === undefined) return
  throw new SyncError(`The data directory ${directory} ${stranger}; the agent runs as user ${process.geteuid?.()}.`, {
    code: 'data/foreign',
    path: directory,
    hint: `Run the agent as the owner of the directory, or: ${ownershipCommand(directory)}`,
  })
}

/** The agent removes files in these. Through a link it would remove files of somebody else. */
function refuseLinks(directory: string): void {
  const link = ['git', 'url', 'copies', 'restoring']
    .map((name) => join(directory, name))
    .find((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
  if (link === undefined) return
  throw new SyncError(`${link} is a symbolic link.`, {
    code: 'data/linked',
    path: link,
    hint: 'Remove the link: the agent makes a folder there. To use another disk, mount it there.',
  })
}

/** Opening a pipe waits until somebody writes to it. */
function refusePipes(directory: string): void {
  const pipe = readdirSync(directory)
    .map((name) => join(directory, name))
    .find((path) => statSync(path, { throwIfNoEntry: false })?.isFIFO())
  if (pipe === undefined) return
  throw new SyncError(`${pipe} is a pipe, not a regular file.`, {
    code: 'data/irregular',
    path: pipe,
    hint: 'Remove it, or put the file back from a backup.',
  })
}

function isOwn(directory: string): boolean {
  return statSync(directory).uid === (process.geteuid?.() ?? statSync(directory).uid)
}

/**
 * Takes back folders that were made for nothing, with the lock in the innermost; one that holds anything else stays.
 * The caller holds the directory.
 */
export function removeCreated(made: readonly string[]): void {
  const innermost = made.at(-1)
  if (innermost === undefined) return
  for (const name of ['lock.db', 'lock.db-journal']) rmSync(join(innermost, name), { force: true })
  try {
    for (const folder of made.toReversed()) rmdirSync(folder)
  } catch {
    // Somebody has put something there.
  }
}

/**
 * Outermost first. One after the other, since making them in one call never returns where there can be none, as below
 * /proc.
 */
function missingFolders(directory: string): readonly string[] {
  return existsSync(directory) ? [] : [...missingFolders(dirname(directory)), directory]
}

/**
 * What a token made by `adminToken` satisfies, and one that a person wrote must: a header can carry it, and nobody
 * guesses it.
 */
const tokenPattern = /^[\x21-\x7e]{32,}$/

/**
 * The admin token: made at the first start, the same ever after. Errors: `SyncError` data/token, where the file holds
 * none.
 */
export function adminToken(directory: string): string {
  const file = join(directory, 'token')
  const kept = readToken(file)
  if (kept !== undefined) return kept
  const token = randomBytes(32).toString('hex') // without a leading hyphen: command lines take one for an option
  writeAtomically(file, `${token}\n`)
  return token
}

function readToken(file: string): string | undefined {
  let token: string
  try {
    token = readBoundedFile(file, 4096).toString('utf8').trim()
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw badToken(file, `cannot be read (${code ?? message})`)
  }
  if (!tokenPattern.test(token)) {
    throw badToken(file, `holds ${token.length} characters; a token has at least 32, without spaces and in ASCII`)
  }
  return token
}

function badToken(file: string, why: string): SyncError {
  return new SyncError(`The token file ${file} ${why}.`, {
    code: 'data/token',
    path: file,
    hint: 'Put the file back from a backup, or remove it: the next start makes a new token.',
  })
}

/** Where the command line finds the agent. */
export function writeAgentFile(
  directory: string,
  facts: {
    readonly url: string
    readonly token: string
    readonly pid: number
    readonly version: string
    readonly config: string | undefined
  },
): void {
  writeAtomically(join(directory, 'agent.json'), `${JSON.stringify(facts)}\n`)
}

/** The whole file or none of it, 0600. Errors: `SyncError` data/unusable. */
function writeAtomically(file: string, text: string): void {
  const fresh = `${file}.${process.pid}.new`
  try {
    writeFileSync(fresh, text, { mode: 0o600 })
    renameSync(fresh, file)
  } catch (cause) {
    rmSync(fresh, { force: true })
    throw unusable(dirname(file), cause)
  }
}
