// platform: live systems. Takes held forms; gives what is there. A driver knows no spec, no plan, no stack.
// Promises: a create bears its trace; what is gone is removed; errors choose the retry (Unavailable, Rejected,
// Ambiguous), never what the journal does.
import type { Address, Identity } from '../model/address.js'
import type { Json, JsonObject } from '../model/json.js'
import type { Kind } from '../model/kind.js'
import type { Finding } from '../model/problem.js'
import type { Observed } from '../model/resource.js'

/** By identity; where that is absent or leads nowhere, by key. */
export interface ResourceLookup {
  readonly address: Address
  readonly identity?: Identity
  readonly key?: string
}

/** How one family is reached on one target. */
export interface Driver {
  /** What is not there is not in the map. A few: one request each; many: one listing. */
  read(wanted: readonly ResourceLookup[], signal: AbortSignal): Promise<ReadonlyMap<Address, Observed>>
  /** No I/O. A chosen id, a natural identity, or name and random mark. Without secrets; all that `find` is given. */
  trace(held: JsonObject): Json
  /** What a create with this trace made, complete or not; never anybody else's. */
  find(trace: Json, signal: AbortSignal): Promise<Observed | undefined>
  /** One atomic request; its result bears the trace. May hold less than `held`: an update follows. */
  create(held: JsonObject, trace: Json, signal: AbortSignal): Promise<Observed>
  /**
   * Makes what is there hold this, from any half-way; safe to repeat. `held` is complete (a snapshot, or what was live
   * with what is wanted laid over it): what it lacks of what this driver writes is cleared.
   */
  update(now: Observed, held: JsonObject, signal: AbortSignal): Promise<Observed>
  /** What is gone is removed. */
  remove(now: Observed, signal: AbortSignal): Promise<void>
}

/** For a person who looks at a target, or breaks it by hand. */
export interface ListedResource {
  readonly family: string
  readonly observed: Observed
}

export interface Connection extends AsyncDisposable {
  /** How many writes may be under way at once. */
  readonly concurrency: number
  driver(kind: Kind): Driver
  /**
   * Everything on the target, of every family, in a stable order; `after`: the last one of the page before, as
   * `family/identity`.
   */
  list(
    options: { readonly limit: number; readonly after?: string },
    signal: AbortSignal,
  ): Promise<readonly ListedResource[]>
}

/** A declared target: one live system. */
export interface Target {
  readonly name: string
  readonly platform: string
  readonly organisation: string
}

/**
 * For whom a target is reached: a stack by name, and its run where one acts. A driver tells it to its target where that
 * has a place for it, a header of the request.
 */
export interface Caller {
  readonly stack?: string
  readonly run?: string
}

export interface Platform {
  readonly name: string
  readonly onFailure: 'undo' | 'continue'
  readonly kinds: readonly Kind[]
  /**
   * The kind of a document; undefined where the kind is not known, 'version' where the apiVersion is not one of its
   * own.
   */
  kind(kind: string, apiVersion: string): Kind | undefined | 'version'
  /** What to say of a document whose kind is not known here. */
  readonly explainUnknownKind: (kind: string, apiVersion: string) => Finding
  connect(target: Target, signal: AbortSignal, caller?: Caller): Promise<Connection>
}
