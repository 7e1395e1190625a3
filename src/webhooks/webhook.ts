import type { Provider } from '../model/delivery.js'

/**
 * Where another sender puts what the known ones put in places of their own. Paths are JSON Pointers (RFC 6901) into the
 * body.
 */
export interface GenericForm {
  /** The header with the signature: HMAC-SHA256 of the body, in hex digits. */
  readonly header: string
  /** What stands before the digits. */
  readonly prefix: string
  /** The header with the id of the delivery; absent: it has none, and nothing is taken for a repetition. */
  readonly delivery?: string
  readonly ref?: string
  readonly commit?: string
  /** Of its address, or of its path on the server. Absent: all `remotes` are meant. */
  readonly repository?: string
}

/** An entry of `webhooks` of the configuration file. */
export interface Webhook {
  readonly name: string
  /** What stands in its address: `/hooks/<id>`. */
  readonly id: string
  readonly provider: Provider
  /** With `${env:NAME}` and `${file:PATH}`, which are looked up at each use. */
  readonly secret: string
  /** Counts as well, while a sender still has it. */
  readonly previousSecret?: string
  /** Beginnings of the addresses it may tell of; none: whatever stacks follow. */
  readonly remotes: readonly string[]
  /** Of the provider `generic`. */
  readonly generic: GenericForm
}

/** A request whose body was read. */
export interface Incoming {
  /** By name, in lower case. */
  readonly header: (name: string) => string | undefined
  readonly body: Uint8Array
}

/**
 * A request as it came, before anybody believed it. `id`: from its address. `read`: its body; refuses one that is too
 * large, too slow or one too many.
 */
export interface HookRequest extends Pick<Incoming, 'header'> {
  readonly id: string
  readonly read: () => Promise<Uint8Array>
}
