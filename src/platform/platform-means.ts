// What the agent gives to platforms.
import type { Clock } from '../lib/clock.js'
import type { Keyring } from '../secrets/keyring.js'
import type { WholeAnswer, WholeRequest } from '../source/network/whole-request.js'

/** What platforms work with, beside the documents that they store. */
export interface PlatformMeans {
  readonly sealer: Keyring
  /** Sends a request to a live system, with the certificates and proxies of `connections`: see `sendWhole`. */
  readonly send: (request: WholeRequest, signal: AbortSignal) => Promise<WholeAnswer>
  /**
   * The value of `${env:NAME}` and `${file:PATH}` in a setting of a target; it is redacted from now on. Errors:
   * `SyncError`, without the value.
   */
  readonly secretValue: (text: string) => string
  readonly clock: Clock
}
