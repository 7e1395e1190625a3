// Why ssh ended, as an error of ours. ssh itself ends with 255; any other code is that of the command on the far side.
import { Rejected, Unavailable, type SyncError } from '../../../model/errors.js'
import { showText } from '../../../lib/printable.js'
import type { ChildExit } from './child-exchange.js'

interface SshTarget {
  readonly remote: string
  /** The file with the keys of known servers. */
  readonly knownHosts: string
}

type Meaning = readonly [RegExp, (asked: SshTarget, said: string) => SyncError]

const ofSsh: readonly Meaning[] = [
  [/IDENTIFICATION HAS CHANGED|host key .*(?:has changed|revoked)/i, changedKey],
  [/host key is known|Host key verification failed/i, unknownKey],
  [/Permission denied|authentication failures|no mutual signature|bad permissions/i, notLetIn],
  [/refused|timed out|No route|unreachable|reset|closed|disconnect|Broken pipe|kex_exchange/i, unreachable],
]

const ofCommand: readonly Meaning[] = [
  [/command not found|: not found|Unknown command/i, noCommand],
  [/not appear to be a git repository|not found|not be found|not exist|No such/i, notFound],
  [
    /not allowed|denied|Invalid command|not permitted|unrecognized|unauthorized|forbidden|not available|disabled/i,
    notAllowed,
  ],
]

/** Throws what went wrong; does nothing where the command on the far side ended well. */
export function throwSshError(asked: SshTarget, { code, stderr, error }: ChildExit): void {
  if (error !== undefined) throw notStarted(asked, error)
  if (code === 0) return
  const said = showText(stderr.trim().split('\n').at(-1) ?? '') || `nothing, and ends with ${code}`
  const [, meaning = code === 255 ? failed : gaveUp] =
    (code === 255 ? ofSsh : ofCommand).find(([pattern]) => pattern.test(stderr)) ?? []
  throw meaning(asked, said)
}

function notStarted({ remote }: SshTarget, error: NodeJS.ErrnoException): SyncError {
  if (error.code === 'ENOENT') {
    return new Rejected(`${remote} cannot be read: there is no program 'ssh' on this machine.`, {
      code: 'source/no-ssh',
      hint: "Install OpenSSH's client, or use the repository's https address.",
    })
  }
  return new Unavailable(`${remote} cannot be read: ssh could not be started (${error.code}).`, {
    code: 'source/ssh-failed',
    hint: 'gitmoor tries again by itself.',
    cause: error,
  })
}

function changedKey({ remote, knownHosts }: SshTarget): SyncError {
  return new Rejected(
    `The server of ${remote} shows another key than the one in ${knownHosts}: it may be an impostor.`,
    {
      code: 'source/host-key-changed',
      hint: 'Ask whoever runs the server whether its key was changed, and compare the new one with what they publish. Only then replace its line in that file.',
    },
  )
}

function unknownKey({ remote, knownHosts }: SshTarget): SyncError {
  return new Rejected(`The key of the server of ${remote} is not in ${knownHosts}.`, {
    code: 'source/host-key-unknown',
    hint: 'Have it with ssh-keyscan HOST, compare it with what whoever runs the server publishes, and add the line to that file.',
  })
}

function notLetIn({ remote }: SshTarget, said: string): SyncError {
  return new Rejected(`${remote} does not let the agent in: ssh says '${said}'.`, {
    code: 'source/unauthorized',
    hint: 'Check the entry under credentials in the configuration file: that its key is known there as a deploy key, and has no passphrase (or use `agent`).',
  })
}

function unreachable({ remote }: SshTarget, said: string): SyncError {
  return new Unavailable(`${remote} could not be reached: ssh says '${said}'.`, {
    code: 'source/unreachable',
    hint: 'gitmoor tries again by itself. Check the address, and that this machine reaches it.',
  })
}

function failed({ remote }: SshTarget, said: string): SyncError {
  return new Unavailable(`ssh could not reach ${remote}: it says '${said}'.`, {
    code: 'source/ssh-failed',
    hint: 'gitmoor tries again by itself. Try the same with ssh -v by hand, as the user under which the agent runs.',
  })
}

function noCommand({ remote }: SshTarget, said: string): SyncError {
  return new Rejected(`${remote} has no git: it says '${said}'.`, {
    code: 'source/not-git',
    hint: 'Install git there, where the PATH of that account finds git-upload-pack.',
  })
}

function notFound({ remote }: SshTarget, said: string): SyncError {
  return new Rejected(`${remote} is not there, or is private: it says '${said}'.`, {
    code: 'source/not-found',
    hint: 'Check the address, and that the key may read this repository.',
  })
}

function notAllowed({ remote }: SshTarget, said: string): SyncError {
  return new Rejected(`${remote} does not allow this account to read it: it says '${said}'.`, {
    code: 'source/unauthorized',
    hint: 'Check what the key of the entry under credentials may do there.',
  })
}

function gaveUp({ remote }: SshTarget, said: string): SyncError {
  return new Unavailable(`${remote} gave up: it says '${said}'.`, {
    code: 'source/remote-error',
    hint: 'gitmoor tries again by itself.',
  })
}
