// What logs in over ssh: files and sockets that an entry names. They are looked at before each use, never read; ssh
// reads them.
import { accessSync, constants, statSync } from 'node:fs'
import type { SshLogin } from '../lib/ssh-address.js'
import { resolveValue, unresolved, type ValueLookup } from './resolve-value.js'

/** As it is at this moment; `agent` may hold `${env:NAME}`. Throws `SyncError` that says what is not as it must be. */
export function resolveSshLogin(written: SshLogin, lookup: ValueLookup): SshLogin {
  const { knownHosts } = written
  refuseUnreadable(knownHosts)
  if ('agent' in written) return { knownHosts, agent: socketOf(resolveValue(written.agent, lookup)) }
  refuseUnreadable(written.identityFile)
  refuseOpen(written.identityFile)
  return { knownHosts, identityFile: written.identityFile }
}

/** What is wrong with an absolute path that ssh is given in its settings, as words that follow its name. */
export function sshPathProblem(path: string): string | undefined {
  return /[\s"'\\%$]/.test(path)
    ? 'must be a path without white space, quotes, \\, % and $: to ssh they mean something else.'
    : undefined
}

function refuseUnreadable(file: string): void {
  try {
    accessSync(file, constants.R_OK)
  } catch (error) {
    throw unresolved(`The file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  if (!statSync(file).isFile()) throw unresolved(`${file} is not a file.`)
}

/** As ssh itself refuses a key of its own user that others may read. */
function refuseOpen(file: string): void {
  const { mode, uid } = statSync(file)
  if (uid === process.getuid?.() && (mode & 0o077) !== 0)
    throw unresolved(`The key ${file} can be read by others: chmod 600 ${file}`)
}

function socketOf(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isSocket() === true) return path
  throw unresolved('The key agent is not there: `agent` must name its socket.')
}
