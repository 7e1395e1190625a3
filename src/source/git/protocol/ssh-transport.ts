// A repository over ssh, reached through the system's `ssh` without a shell. The host name is resolved once, and ssh
// connects to the checked address.
import type { LookupFunction } from 'node:net'
import { Rejected } from '../../../model/errors.js'
import { orAborted } from '../../../lib/async/or-aborted.js'
import { sshAddress, toUrl, type SshLogin } from '../../../lib/text/ssh-address.js'
import type { Deadline } from '../../network/deadline.js'
import { networkError } from '../../network/http-errors.js'
import { exchangeWithChild, startChild } from './child-exchange.js'
import { sshArguments, sshEnvironment } from './ssh-command.js'
import { keyscan, throwSshError } from './ssh-errors.js'
import type { GitRequest, Transport } from './protocol.js'

/**
 * The current login for an address; undefined: no credential matches it. Errors: `Unavailable` if the files of the
 * credential cannot be read.
 */
export type SshLogins = (address: string) => SshLogin | undefined

export interface SshTransportOptions {
  readonly lookup: LookupFunction
  readonly logins: SshLogins
  /** The name of the credential for an address, for errors. */
  readonly credentialFor: (address: string) => string | undefined
  /** Search path for ssh, in the format of PATH. */
  readonly searchPath: string
  /** The largest ref advertisement that is skipped if the server speaks version 0. */
  readonly refsBytes: number
  /** The caller ends the exchange after this silence. ssh's own timeout is a little longer. */
  readonly silenceMs: number
}

export class SshTransport implements Transport {
  readonly #options: SshTransportOptions

  constructor(options: SshTransportOptions) {
    this.#options = options
  }

  async send(remote: string, request: GitRequest, deadline: Deadline): Promise<AsyncIterable<Uint8Array>> {
    return this.#answer(remote, request, deadline.signal)
  }

  async *#answer(remote: string, request: GitRequest, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { logins, credentialFor, searchPath, refsBytes, silenceMs } = this.#options
    const to = sshAddress(remote)!
    const login = logins(remote)
    if (login === undefined) throw noLogin(remote)
    const address = await orAborted(this.#resolveHost(remote, to.host), signal)
    const connectSeconds = Math.ceil(silenceMs / 1000) + 1
    const call = { to, address, login, service: request.service ?? 'git-upload-pack', connectSeconds }
    const child = startChild('ssh', sshArguments(call), { cwd: '/', env: sshEnvironment(login, searchPath) })
    const conversation = { remote, request, method: 'git-ssh', refsBytes }
    const target = { remote, knownHosts: login.knownHosts, credential: credentialFor(remote) }
    throwSshError(target, yield* exchangeWithChild(child, conversation, signal))
  }

  #resolveHost(remote: string, host: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#options.lookup(host, { all: false }, (error, address) => {
        if (error === null && typeof address === 'string') resolve(address)
        else reject(networkError(remote, error))
      })
    })
  }
}

function noLogin(remote: string): Rejected {
  const match = /^ssh:\/\/[^/]*\//.exec(toUrl(remote))![0]
  return new Rejected(`No credential matches ${remote}: ssh needs a key and the host keys of the server.`, {
    code: 'source/no-ssh-credential',
    hint:
      `Add to the configuration file: credentials: {NAME: {match: '${match}', ` +
      'identityFile: KEY, knownHosts: HOSTS}}. KEY is a private key without a passphrase that may read the ' +
      `repository; HOSTS is a file with what this prints: ${keyscan(remote)}. ` +
      `Then reload the configuration: kill -HUP ${process.pid} on the machine of the agent.`,
  })
}
