import type { Identity } from '../model/address.js'
import { Rejected } from '../model/errors.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import type { Observed, Owned } from '../model/resource.js'
import type { JournalEntry, Sealer } from './journal.js'
import { openSnapshot } from './snapshot.js'

/** Maps identities from before an undo to those after it: a recreated resource has a new identity. */
export class IdentityMap {
  readonly #sealer: Sealer
  /** Old identity → new identity of recreated resources. */
  readonly #became = new Map<string, Identity>()

  constructor(sealer: Sealer) {
    this.#sealer = sealer
  }

  /** The current identity of a resource that may have been recreated. */
  current(identity: Identity | undefined): Identity | undefined {
    return identity === undefined ? undefined : (this.#became.get(identity) ?? identity)
  }

  /** The snapshot of an entry, with current identities in it. */
  snapshotBefore(entry: JournalEntry): Observed | undefined {
    const before = openedSnapshot(entry, this.#sealer)
    return before && { identity: before.identity, actual: this.#relink(before.actual) as JsonObject }
  }

  /** The entry's ownership with the current identity. Ownership without an existing resource does not change. */
  ownership(entry: JournalEntry, identity: Identity | undefined): readonly Owned[] {
    const was = this.#was(entry)
    return entry.ownedBefore.map((record) => ({
      ...record,
      identity: identity !== undefined && record.identity === was ? identity : this.current(record.identity)!,
      applied: this.#relink(record.applied) as JsonObject,
    }))
  }

  /** Records the current identity of the entry's resource. */
  add(entry: JournalEntry, identity: Identity | undefined): void {
    const was = this.#was(entry)
    if (was !== undefined && identity !== undefined && was !== identity) this.#became.set(was, identity)
  }

  /** The identity before the step. */
  #was(entry: JournalEntry): Identity | undefined {
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
export function identityBefore(entry: JournalEntry, sealer: Sealer): Identity | undefined {
  try {
    return openedSnapshot(entry, sealer)?.identity
  } catch (error) {
    if (!(error instanceof Rejected)) throw error
    const { address, from = address } = entry.change
    return entry.ownedBefore.find((record) => record.address === from)?.identity
  }
}

/** The snapshot from before the step. Errors: `Rejected` if it was sealed with another key. */
export function openedSnapshot({ before }: Pick<JournalEntry, 'before'>, sealer: Sealer): Observed | undefined {
  return before === undefined ? undefined : openSnapshot(before, sealer)
}
