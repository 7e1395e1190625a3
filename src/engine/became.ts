import type { Identity } from '../model/address.js'
import { Rejected } from '../model/errors.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import type { Observed, Owned } from '../model/resource.js'
import type { Entry, Sealer } from './journal.js'
import { openSnapshot } from './snapshot.js'

/** Where things are now: what an undo makes again has another identity than its snapshot and its records say. */
export class Became {
  readonly #sealer: Sealer
  /** Old identity → new identity, of what was made again. */
  readonly #became = new Map<string, Identity>()

  constructor(sealer: Sealer) {
    this.#sealer = sealer
  }

  /** Where a thing is now: what a later entry removed was made again as another. */
  nowAt(identity: Identity | undefined): Identity | undefined {
    return identity === undefined ? undefined : (this.#became.get(identity) ?? identity)
  }

  /** What the step found, with the identities of now in it. */
  before(entry: Entry): Observed | undefined {
    const before = snapshotOf(entry, this.#sealer)
    return before && { identity: before.identity, live: this.#relink(before.live) as JsonObject }
  }

  /** Records of what was there point at where it is now; a record that led nowhere still does. */
  records(entry: Entry, identity: Identity | undefined): readonly Owned[] {
    const was = this.#was(entry)
    return entry.ownedBefore.map((record) => ({
      ...record,
      identity: identity !== undefined && record.identity === was ? identity : this.nowAt(record.identity)!,
      applied: this.#relink(record.applied) as JsonObject,
    }))
  }

  /** What the step found is there now. */
  remember(entry: Entry, identity: Identity | undefined): void {
    const was = this.#was(entry)
    if (was !== undefined && identity !== undefined && was !== identity) this.#became.set(was, identity)
  }

  /** The identity of what the step found. */
  #was(entry: Entry): Identity | undefined {
    return identityBefore(entry, this.#sealer)
  }

  /** Equal string leaves that hold the identity of what was made again. */
  #relink(value: Json): Json {
    if (this.#became.size === 0) return value
    if (typeof value === 'string') return this.#became.get(value) ?? value
    if (Array.isArray(value)) return value.map((one: Json) => this.#relink(one))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.#relink(one)]))
  }
}

/** The identity of what the step found. Where the snapshot cannot be opened (the key was lost), the one in its records. */
export function identityBefore(entry: Entry, sealer: Sealer): Identity | undefined {
  try {
    return snapshotOf(entry, sealer)?.identity
  } catch (error) {
    if (!(error instanceof Rejected)) throw error
    const { address, from = address } = entry.change
    return entry.ownedBefore.find((record) => record.address === from)?.identity
  }
}

/** What the step found, as it was. Errors: `Rejected` where it was sealed with another key. */
export function snapshotOf({ before }: Pick<Entry, 'before'>, sealer: Sealer): Observed | undefined {
  return before === undefined ? undefined : openSnapshot(before, sealer)
}
