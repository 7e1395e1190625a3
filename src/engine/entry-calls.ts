import type { Identity } from '../model/address.js'
import type { Json } from '../model/json.js'
import type { Kind, KindNamed } from '../model/resources/kind.js'
import type { Observed } from '../model/resources/resource.js'
import type { Connection, Driver } from '../platform/platform.js'
import { callContext, callDriver, type CallContext } from '../platform/call-driver.js'
import { unknownKind } from './engine-problems.js'
import type { JournalEntry } from './journal.js'

/** Driver calls for an entry, each with a timeout. Errors: `Rejected` engine/unknown-kind; those of drivers. */
export class EntryCalls {
  readonly #connection: Connection
  readonly #calling: CallContext
  readonly #kindNamed: KindNamed

  constructor({
    connection,
    calling,
    kindNamed,
  }: {
    readonly connection: Connection
    readonly calling: CallContext
    readonly kindNamed: KindNamed
  }) {
    this.#connection = connection
    this.#calling = calling
    this.#kindNamed = kindNamed
  }

  kind({ change }: JournalEntry): Kind {
    const kind = this.#kindNamed(change.kind, change.address)
    if (kind === undefined) throw unknownKind(change.kind)
    return kind
  }

  driver(entry: JournalEntry): Driver {
    return this.#connection.driver(this.kind(entry))
  }

  call<T>(what: string, entry: JournalEntry, call: (driver: Driver, signal: AbortSignal) => Promise<T>): Promise<T> {
    const driver = this.driver(entry)
    return callDriver(what, callContext(entry.change, this.#calling), (signal) => call(driver, signal))
  }

  /** Finds the resource of a create, or of its undo, that was not confirmed. */
  async find(entry: JournalEntry): Promise<Identity | undefined> {
    if (entry.trace === undefined) return undefined
    const found = await this.call(`find ${entry.change.address}`, entry, (driver, signal) =>
      driver.find(entry.trace as Json, signal),
    )
    return found?.identity
  }

  /** The resource of this identity. */
  async read(entry: JournalEntry, identity: Identity): Promise<Observed | undefined> {
    const { address } = entry.change
    const read = await this.call(`read ${address}`, entry, (driver, signal) =>
      driver.read([{ address, identity }], signal),
    )
    return read.get(address)
  }
}
