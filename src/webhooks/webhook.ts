import type { Provider } from '../model/agent/delivery.js'

/** The format of another sender. Paths are JSON Pointers (RFC 6901) into the body. */
export interface GenericForm {
  /** The header with the signature: HMAC-SHA256 of the body, in hex digits. */
  readonly header: string
  /** The prefix of the digits. */
  readonly prefix: string
  /** The header with the id of the delivery; absent: repetitions are not detected. */
  readonly delivery?: string
  readonly ref?: string
  readonly commit?: string
  /** The path of its address, or of its path on the server. Absent: all `remotes` are polled. */
  readonly repository?: string
}

/** An entry of `webhooks` of the configuration file. */
export interface Webhook {
  readonly name: string
  /** The last part of its address: `/hooks/<id>`. */
  readonly id: string
  readonly provider: Provider
  /** With `${env:NAME}` and `${file:PATH}`, which are resolved at each use. */
  readonly secret: string
  /** Also valid, while a sender still uses it. */
  readonly previousSecret?: string
  /** Prefixes of the remotes that it may report; none: all that stacks follow. */
  readonly remotes: readonly string[]
  /** Of the provider `generic`. */
  readonly generic: GenericForm
}

/** A request whose body was read. */
export interface Incoming {
  /** By name, in lower case. */
  readonly header: (name: string) => string | undefined
  readonly body: Uint8Array
  /** The id of a test delivery, whose format may have no header for it. */
  readonly key?: string
}

/**
 * An unverified request. `id`: from its address. `read`: its body; refuses one that is too large, too slow or over the
 * rate limit.
 */
export interface HookRequest extends Pick<Incoming, 'header' | 'key'> {
  readonly id: string
  readonly read: () => Promise<Uint8Array>
}
