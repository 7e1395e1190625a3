// Converts a failed ssh exit to an error. Exit code 255 comes from ssh itself; any other code comes from the command on
// the server.
import { faultText } from '../../../lib/text/fault-text.js'
import { Rejected, Unavailable, type SyncError } from '../../../model/errors.js'
import { showText } from '../../../lib/text/printable.js'
import { toUrl } from '../../../lib/text/ssh-address.js'
import type { ChildExit } from './child-exchange.js'

/** The command that prints the host keys of a server. */
export function keyscan(remote: string): string {
  const { hostname, port } = new URL(toUrl(remote))
  return `ssh-keyscan ${port === '' ? '' : `-p ${port} `}${hostname.replace(/^\[|\]$/g, '')}`
}

interface SshTarget {
  readonly remote: string
  /** The known hosts file. */
  readonly knownHosts: string
  /** The name of the credential that ssh logs in with. */
  readonly credential: string | undefined
}

type Meaning = readonly [RegExp, (target: SshTarget, said: string) => SyncError]

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

/** Throws the error for a failed exit; does nothing if the remote command succeeded. */
export function throwSshError(target: SshTarget, { code, stderr, error }: ChildExit): void {
  if (error !== undefined) throw notStarted(target, error)
  if (code === 0) return
  const said = showText(stderr.trim().split('\n').at(-1) ?? '') || `no output, exit code ${code}`
  const [, meaning = code === 255 ? failed : gaveUp] =
    (code === 255 ? ofSsh : ofCommand).find(([pattern]) => pattern.test(stderr)) ?? []
  throw meaning(target, said)
}

function notStarted({ remote }: SshTarget, error: NodeJS.ErrnoException): SyncError {
  if (error.code === 'ENOENT') {
    return new Rejected(`Cannot read ${remote}: ssh is not installed on this machine.`, {
      code: 'source/no-ssh',
      hint: "Install the OpenSSH client, or use the repository's https address.",
    })
  }
  return new Unavailable(`Cannot read ${remote}: ssh could not be started: ${faultText(error)}.`, {
    code: 'source/ssh-failed',
    cause: error,
  })
}

function changedKey({ remote, knownHosts }: SshTarget): SyncError {
  return new Rejected(`The host key of ${remote} does not match ${knownHosts}: the server may be an impostor.`, {
    code: 'source/host-key-changed',
    hint:
      'Ask the operator of the server whether its host key changed. ' +
      'Compare the new key with the published one before you replace it in that file.',
  })
}

function unknownKey({ remote, knownHosts }: SshTarget): SyncError {
  return new Rejected(`The host key of ${remote} is not in ${knownHosts}.`, {
    code: 'source/host-key-unknown',
    hint:
      `Get the key: ${keyscan(remote)}. Compare it with the key that the operator publishes, and add the line to ` +
      'that file. The next poll reads the file again.',
  })
}

function notLetIn({ remote, credential }: SshTarget, said: string): SyncError {
  const [named, entry] = credentialTexts(credential)
  return new Rejected(`${remote} refused the ssh login${named}: "${said}".`, {
    code: 'source/unauthorized',
    hint:
      `Check ${entry} in the configuration file: the public key of its \`identityFile\` must be a deploy key of ` +
      'the repository, and the private one must have no passphrase (else use `agent`). The next poll reads the file ' +
      'again; after a change of the configuration file, reload it: ' +
      `kill -HUP ${process.pid} on the machine of the agent.`,
  })
}

function unreachable({ remote }: SshTarget, said: string): SyncError {
  return new Unavailable(`Cannot reach ${remote}: "${said}".`, {
    code: 'source/unreachable',
    hint: 'Check the address and the network of this machine.',
  })
}

function failed({ remote }: SshTarget, said: string): SyncError {
  return new Unavailable(`ssh to ${remote} failed: "${said}".`, {
    code: 'source/ssh-failed',
    hint: 'Try ssh -v as the user that runs the agent.',
  })
}

function noCommand({ remote }: SshTarget, said: string): SyncError {
  return new Rejected(`git is not installed on the server of ${remote}: "${said}".`, {
    code: 'source/not-git',
    hint: 'Install git on the server, so that the PATH of the account contains git-upload-pack.',
  })
}

function notFound({ remote }: SshTarget, said: string): SyncError {
  return new Rejected(`${remote} does not exist or is private: "${said}".`, {
    code: 'source/not-found',
    hint: 'Check the address, and that the key has read access to the repository.',
  })
}

function notAllowed({ remote, credential }: SshTarget, said: string): SyncError {
  const [named, entry] = credentialTexts(credential)
  return new Rejected(`${remote} denied access to this account${named}: "${said}".`, {
    code: 'source/unauthorized',
    hint: `Give the public key of ${entry} read access to the repository, for example as a deploy key.`,
  })
}

function credentialTexts(credential: string | undefined): readonly [named: string, entry: string] {
  if (credential === undefined) return ['', 'the credential for this address']
  return [` with the credential "${credential}"`, `\`credentials.${credential}\``]
}

function gaveUp({ remote }: SshTarget, said: string): SyncError {
  return new Unavailable(`${remote} failed: "${said}".`, {
    code: 'source/remote-error',
  })
}
