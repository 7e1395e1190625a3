// The data directory, which only its owner may read: 0700, its files 0600.
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { SyncError } from '../model/errors.js'

/** Makes it where it is missing. Errors: `SyncError` data/unusable. */
export function openDataDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    chmodSync(directory, 0o700)
  } catch (cause) {
    throw new SyncError(`The data directory ${directory} cannot be used: ${(cause as NodeJS.ErrnoException).code ?? 'error'}.`, {
      code: 'data/unusable',
      path: directory,
      hint: 'Give one that this user may write with --data DIR.',
      cause,
    })
  }
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
