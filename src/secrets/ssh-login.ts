// Checks the files and sockets of an ssh login before each use. Only ssh reads them.
import { accessSync, constants, statSync } from 'node:fs'
import { faultText } from '../lib/text/fault-text.js'
import type { SshLogin } from '../lib/text/ssh-address.js'
import { resolveValue, unresolved, type ValueLookup } from './resolve-value.js'

/**
 * The login with resolved values; `agent` may contain `${env:NAME}`. Throws `SyncError` if a file or socket is
 * unusable.
 */
export function resolveSshLogin(written: SshLogin, lookup: ValueLookup): SshLogin {
  const { knownHosts } = written
  refuseUnreadable(knownHosts)
  if ('agent' in written) return { knownHosts, agent: socketOf(resolveValue(written.agent, lookup)) }
  refuseUnreadable(written.identityFile)
  refuseOpen(written.identityFile)
  return { knownHosts, identityFile: written.identityFile }
}

/** The problem with an absolute path in ssh's settings, as words after its name; undefined: none. */
export function sshPathProblem(path: string): string | undefined {
  return /[\s"'\\%$]/.test(path)
    ? 'must be a path without white space, quotes, \\, % and $, which have a special meaning for ssh.'
    : undefined
}

function refuseUnreadable(file: string): void {
  try {
    accessSync(file, constants.R_OK)
  } catch (error) {
    throw unresolved(`Cannot read the file ${file}: ${faultText(error)}.`)
  }
  if (!statSync(file).isFile()) throw unresolved(`${file} is not a file.`)
}

/** Rejects a key that others can read, as ssh does for keys of its own user. */
function refuseOpen(file: string): void {
  const { mode, uid } = statSync(file)
  if (uid === process.getuid?.() && (mode & 0o077) !== 0)
    throw unresolved(`Other users can read the key ${file}: chmod 600 ${file}`)
}

function socketOf(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isSocket() === true) return path
  throw unresolved('The ssh agent is not running: `agent` must be the path of its socket.')
}
