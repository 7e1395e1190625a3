// platform: the port to the systems that gitmoor manages, one folder for each.
// Takes desired states; gives actual ones. A driver knows no spec, no plan and no stack.
// Promises: a created resource has its trace from the start; removing a missing resource succeeds; errors decide the
// retry (Unavailable, Rejected, Ambiguous), never what the journal does.
import type { Address, Identity } from '../model/address.js'
import type { Json, JsonObject } from '../model/json.js'
import type { Kind } from '../model/kind.js'
import type { Finding } from '../model/problem.js'
import type { Observed } from '../model/resource.js'

/** Finds a resource by its identity; without one, or if it does not exist, by its key. */
export interface ResourceLookup {
  readonly address: Address
  readonly identity?: Identity
  readonly key?: string
}

/** Access to the resources of one family on one target. */
export interface Driver {
  /** Missing resources are not in the map. A few are read with one request each, many with one listing. */
  read(lookups: readonly ResourceLookup[], signal: AbortSignal): Promise<ReadonlyMap<Address, Observed>>
  /**
   * By what `find` recognizes a resource that is created: a chosen id, a natural identity, or name and random mark. No
   * I/O, no secrets.
   */
  trace(state: JsonObject): Json
  /** The resource that a create with this trace made, complete or not; never another one. */
  find(trace: Json, signal: AbortSignal): Promise<Observed | undefined>
  /** One atomic request; the new resource has the trace. It may lack a part of `state`: an update follows. */
  create(state: JsonObject, trace: Json, signal: AbortSignal): Promise<Observed>
  /**
   * Brings an existing resource to this state, also a partly written one; safe to repeat. `state` is complete (a
   * snapshot, or the actual state overlaid with the desired one): fields that it lacks are cleared.
   */
  update(now: Observed, state: JsonObject, signal: AbortSignal): Promise<Observed>
  /** Succeeds if the resource is missing. */
  remove(now: Observed, signal: AbortSignal): Promise<void>
}

/** A resource in a listing of the target. */
export interface ListedResource {
  readonly family: string
  readonly observed: Observed
}

export interface Connection extends AsyncDisposable {
  /** Concurrent writes. */
  readonly concurrency: number
  driver(kind: Kind): Driver
  /**
   * All resources on the target, of every family, in a stable order. `after`: the last one of the previous page, as
   * `family/identity`.
   */
  list(
    options: { readonly limit: number; readonly after?: string | undefined },
    signal: AbortSignal,
  ): Promise<readonly ListedResource[]>
}

/** A declared target: one system that gitmoor manages. */
export interface Target {
  readonly name: string
  readonly platform: string
  readonly organisation: string
}

/** The stack, by name, and the run for which a target is called. A driver may send both in request headers. */
export interface Caller {
  readonly stack?: string
  readonly run?: string
}

export interface Platform {
  readonly name: string
  readonly onFailure: 'undo' | 'continue'
  readonly kinds: readonly Kind[]
  /** The kind of a document. undefined: unknown kind; 'version': unknown apiVersion. */
  kind(kind: string, apiVersion: string): Kind | undefined | 'version'
  /** The problem of a document with an unknown kind or apiVersion. */
  readonly explainUnknownKind: (kind: string, apiVersion: string) => Finding
  connect(target: Target, signal: AbortSignal, caller?: Caller): Promise<Connection>
}
