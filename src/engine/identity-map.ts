import type { Identity } from '../model/address.js'
import { Rejected } from '../model/errors.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import type { Observed, Owned } from '../model/resources/resource.js'
import type { JournalEntry, Sealer } from './journal.js'
import { openSnapshot } from './snapshot.js'

/** Maps identities from before an undo to those after it: a recreated resource has a new identity. */
export class IdentityMap {
  readonly #sealer: Sealer
  /** Old identity → new identity of recreated resources. */
  readonly #recreated = new Map<string, Identity>()

  constructor(sealer: Sealer) {
    this.#sealer = sealer
  }

  /** The current identity of a resource that may have been recreated. */
  current(identity: Identity | undefined): Identity | undefined {
    return identity === undefined ? undefined : (this.#recreated.get(identity) ?? identity)
  }

  /** The snapshot of an entry, with current identities in it. */
  snapshotBefore(entry: JournalEntry): Observed | undefined {
    const before = openedSnapshot(entry, this.#sealer)
    return before && { identity: before.identity, actual: this.#relink(before.actual) as JsonObject }
  }

  /** The entry's ownership with the current identity. Ownership without an existing resource does not change. */
  ownership(entry: JournalEntry, identity: Identity | undefined): readonly Owned[] {
    const former = this.#former(entry)
    return entry.ownedBefore.map((owned) => ({
      ...owned,
      identity: identity !== undefined && owned.identity === former ? identity : this.current(owned.identity)!,
      applied: this.#relink(owned.applied) as JsonObject,
    }))
  }

  /** Records the current identity of the entry's resource. */
  add(entry: JournalEntry, identity: Identity | undefined): void {
    const former = this.#former(entry)
    if (former !== undefined && identity !== undefined && former !== identity) this.#recreated.set(former, identity)
  }

  /** The identity before the step. */
  #former(entry: JournalEntry): Identity | undefined {
    return identityBefore(entry, this.#sealer)
  }

  /** Replaces string leaves that equal an old identity. */
  #relink(value: Json): Json {
    if (this.#recreated.size === 0) return value
    if (typeof value === 'string') return this.#recreated.get(value) ?? value
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
    return entry.ownedBefore.find((owned) => owned.address === from)?.identity
  }
}

/** The snapshot from before the step. Errors: `Rejected` if it was sealed with another key. */
function openedSnapshot({ before }: Pick<JournalEntry, 'before'>, sealer: Sealer): Observed | undefined {
  return before === undefined ? undefined : openSnapshot(before, sealer)
}
