// Selects the transport by the scheme of the remote's address.
import type { LookupFunction } from 'node:net'
import type { Clock } from '../../../lib/clock.js'
import { isSsh } from '../../../lib/text/ssh-address.js'
import type { AllowedDirectories } from '../../allowed-directory.js'
import type { HttpAccess } from '../../network/authorized-request.js'
import type { Deadline } from '../../network/deadline.js'
import type { SourceLimits } from '../../source.js'
import { FileTransport } from './file-transport.js'
import type { RepositoryViews } from '../local/repository-views.js'
import { HttpTransport } from './http-transport.js'
import { SshTransport, type SshLogins } from './ssh-transport.js'
import type { GitRequest, Transport } from './protocol.js'

export interface TransportsOptions {
  readonly access: HttpAccess
  readonly sshLogins: SshLogins
  /** The name of the credential for an address, for errors of ssh. */
  readonly credentialFor: (address: string) => string | undefined
  /** Resolves the names of ssh hosts. */
  readonly lookup: LookupFunction
  readonly allow: AllowedDirectories
  readonly views: RepositoryViews
  readonly searchPath: string
  readonly limits: SourceLimits
  readonly clock: Clock
}

export class Transports implements Transport {
  readonly #http: HttpTransport
  readonly #ssh: SshTransport
  readonly #file: FileTransport

  constructor({ access, sshLogins: logins, credentialFor, ...options }: TransportsOptions) {
    const { lookup, allow, views, searchPath, limits, clock } = options
    const { refsBytes, gitRequestMs: silenceMs } = limits
    this.#http = new HttpTransport(access, clock)
    this.#ssh = new SshTransport({ logins, credentialFor, lookup, searchPath, refsBytes, silenceMs })
    this.#file = new FileTransport({ allow, views, searchPath, refsBytes })
  }

  send(remote: string, question: GitRequest, deadline: Deadline): Promise<AsyncIterable<Uint8Array>> {
    const transport = remote.startsWith('file:') ? this.#file : isSsh(remote) ? this.#ssh : this.#http
    return transport.send(remote, question, deadline)
  }
}
