import type { Identity } from '../model/address.js'
import { Rejected } from '../model/errors.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import type { Observed, Owned } from '../model/resource.js'
import type { Entry, Sealer } from './journal.js'
import { openSnapshot } from './snapshot.js'

/** Maps identities from before an undo to those after it: a recreated resource has a new identity. */
export class Became {
  readonly #sealer: Sealer
  /** Old identity → new identity of recreated resources. */
  readonly #became = new Map<string, Identity>()

  constructor(sealer: Sealer) {
    this.#sealer = sealer
  }

  /** The current identity of a resource that may have been recreated. */
  nowAt(identity: Identity | undefined): Identity | undefined {
    return identity === undefined ? undefined : (this.#became.get(identity) ?? identity)
  }

  /** The snapshot of an entry, with current identities in it. */
  before(entry: Entry): Observed | undefined {
    const before = snapshotOf(entry, this.#sealer)
    return before && { identity: before.identity, live: this.#relink(before.live) as JsonObject }
  }

  /** The entry's ownership with the current identity. Ownership without an existing resource does not change. */
  records(entry: Entry, identity: Identity | undefined): readonly Owned[] {
    const was = this.#was(entry)
    return entry.ownedBefore.map((record) => ({
      ...record,
      identity: identity !== undefined && record.identity === was ? identity : this.nowAt(record.identity)!,
      applied: this.#relink(record.applied) as JsonObject,
    }))
  }

  /** Records the current identity of the entry's resource. */
  remember(entry: Entry, identity: Identity | undefined): void {
    const was = this.#was(entry)
    if (was !== undefined && identity !== undefined && was !== identity) this.#became.set(was, identity)
  }

  /** The identity before the step. */
  #was(entry: Entry): Identity | undefined {
    return identityBefore(entry, this.#sealer)
  }

  /** Replaces string leaves that equal an old identity. */
  #relink(value: Json): Json {
    if (this.#became.size === 0) return value
    if (typeof value === 'string') return this.#became.get(value) ?? value
    if (Array.isArray(value)) return value.map((one: Json) => this.#relink(one))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.#relink(one)]))
  }
}

/** The identity before the step; from ownership, if the snapshot cannot be opened because the key was lost. */
export function identityBefore(entry: Entry, sealer: Sealer): Identity | undefined {
  try {
    return snapshotOf(entry, sealer)?.identity
  } catch (error) {
    if (!(error instanceof Rejected)) throw error
    const { address, from = address } = entry.change
    return entry.ownedBefore.find((record) => record.address === from)?.identity
  }
}

/** The snapshot from before the step. Errors: `Rejected` if it was sealed with another key. */
export function snapshotOf({ before }: Pick<Entry, 'before'>, sealer: Sealer): Observed | undefined {
  return before === undefined ? undefined : openSnapshot(before, sealer)
}
