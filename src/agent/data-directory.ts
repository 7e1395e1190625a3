// The data directory, which only its owner may read: 0700, its files 0600.
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { SyncError } from '../model/errors.js'

/** Makes it where it is missing. Gives the folders that were made, outermost first. Errors: `SyncError` data/unusable. */
export function openDataDirectory(directory: string): readonly string[] {
  try {
    const made = missingFolders(directory)
    for (const missing of made) mkdirSync(missing, { mode: 0o700 })
    if (!statSync(directory).isDirectory()) throw new Error('it is no directory')
    chmodSync(directory, 0o700)
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
    return made
  } catch (cause) {
    throw new SyncError(`The data directory ${directory} cannot be used.`, {
      code: 'data/unusable',
      path: directory,
      hint: 'Give one that this user may write with --data DIR.',
      cause,
    })
  }
}

/** Takes back folders that were made for nothing, with the lock in the innermost; one that holds anything else stays. The caller holds the directory. */
export function removeMade(made: readonly string[]): void {
  const innermost = made.at(-1)
  if (innermost === undefined) return
  for (const name of ['lock.db', 'lock.db-journal']) rmSync(join(innermost, name), { force: true })
  try {
    for (const folder of made.toReversed()) rmdirSync(folder)
  } catch {
    // Somebody has put something there.
  }
}

/** Outermost first. One after the other, since making them in one call never returns where there can be none, as below /proc. */
function missingFolders(directory: string): readonly string[] {
  return existsSync(directory) ? [] : [...missingFolders(dirname(directory)), directory]
}

/** The admin token: made at the first start, the same ever after. */
export function adminToken(directory: string): string {
  const file = join(directory, 'token')
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const token = randomBytes(32).toString('base64url')
  writeWhole(file, `${token}\n`)
  return token
}

/** Where the command line finds the agent. */
export function writeAgentFile(
  directory: string,
  facts: { readonly url: string; readonly token: string; readonly pid: number; readonly version: string },
): void {
  writeWhole(join(directory, 'agent.json'), `${JSON.stringify(facts)}\n`)
}

/** The whole file or none of it, 0600. */
function writeWhole(file: string, text: string): void {
  const fresh = `${file}.${process.pid}.new`
  writeFileSync(fresh, text, { mode: 0o600 })
  renameSync(fresh, file)
}
