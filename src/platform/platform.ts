// platform: the port to the systems that gitmoor manages, one folder for each.
// Takes desired states; gives actual ones. A driver knows no spec, no plan and no stack.
// Promises: a created resource has its trace from the start; removing a missing resource succeeds; errors decide the
// retry (Unavailable, Rejected, Ambiguous), never what the journal does.
import type { z } from 'zod'
import type { Address, Identity } from '../model/address.js'
import type { Document, EnvValues } from '../model/resources/document.js'
import type { Json, JsonObject, Secret } from '../model/json.js'
import type { Kind } from '../model/resources/kind.js'
import type { SyncError } from '../model/errors.js'
import type { Finding } from '../model/problem.js'
import type { Observed, Owned, ResourceIdentity } from '../model/resources/resource.js'
import type { EventFamilies } from '../model/stacks/run.js'

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
  /**
   * What the journal keeps of an actual state for an undo: a state in which, for example, a digest replaces a large
   * content. Pure. Absent: all of it. An undo gives it to `trace`, `create` and
   * `update`, and the latter two may refuse it (`Rejected`).
   */
  snapshot?(actual: JsonObject): JsonObject
  /** Succeeds if the resource is missing. */
  remove(now: Observed, signal: AbortSignal): Promise<void>
  /**
   * Removes what the target keeps of a resource that somebody else removed, such as its credentials. Succeeds if
   * nothing is left; does nothing while the resource exists. Absent: the target keeps nothing.
   */
  removeLeftovers?(identity: Identity, signal: AbortSignal): Promise<void>
  /** Absent: the driver cannot report changes. The connection stays open until the result is disposed. */
  watch?(callbacks: WatchCallbacks): ResourceWatches
}

/** Called at any time, also during calls of the same driver. They do not throw. */
export interface WatchCallbacks {
  /** The resource may have changed, or be gone; also by a write of gitmoor. */
  readonly woken: (address: Address) => void
  /** The resource is not watched, or no longer. gitmoor adds it again later. */
  readonly lost: (address: Address, why: SyncError) => void
}

/** Resources of a driver that are watched. Each has an identity. */
export interface ResourceWatches extends AsyncDisposable {
  /** Resolves when all of them are watched, or reported as lost: no later change is missed. */
  add(lookups: readonly ResourceLookup[]): Promise<void>
  /** Those that are not watched are ignored. */
  drop(addresses: readonly Address[]): void
}

/** A resource in a listing of the target. */
export interface ListedResource {
  readonly family: string
  readonly observed: Observed
}

/** A resource that a foreign stack lists, each address once. It may no longer exist. */
export type ForeignResource = Pick<Owned, 'address' | 'identity' | 'needs' | 'partOf'>

/** A stack that the system keeps itself: gitmoor can take it over. */
export interface ForeignStack {
  readonly id: string
  /** May be empty, like the description. */
  readonly name: string
  readonly description: string
  readonly resources: readonly ForeignResource[]
  /** What the system still does to these resources after gitmoor took them over. */
  readonly warnings: readonly Finding[]
}

export interface Connection extends AsyncDisposable {
  /** The kinds of the target, for a platform that does not know them before it connects. */
  readonly kinds?: Kinds
  /**
   * Rights that gitmoor lacks, a version that the platform does not know: plans, runs and the doctor show them. A
   * listing may add what it may lack.
   */
  readonly warnings?: readonly Finding[]
  /** What people see of the system, such as its version. No secrets. */
  readonly about?: JsonObject
  /** Concurrent writes of one run. */
  readonly concurrency: number
  driver(kind: Kind): Driver
  /** The stacks that the system keeps itself; with an id, that one or none. Absent: it keeps none. */
  foreignStacks?(options: { readonly id?: string }, signal: AbortSignal): Promise<readonly ForeignStack[]>
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
  /** For selectors: no driver reads them. Absent: none. */
  readonly labels?: Readonly<Record<string, string>>
  /** As `PlatformDescription.settings` reads them. */
  readonly settings: JsonObject
}

/** The stack, by name, and the run for which a target is called. A driver may send both in request headers. */
export interface Caller {
  readonly stack?: string
  readonly run?: string
  /** What was read for others up to some seconds ago will do: for drift checks, of which there are many at once. */
  readonly mayShareReads?: true
}

/** How a target stores the secrets that people give for it. */
export interface SecretStore {
  /** Of its resources: one for each key. */
  readonly family: string
  /** The document of a given secret. */
  document(key: string, value: Secret, values: EnvValues): Document
  /** The resource whose own credential the target would store under this key; it may not exist. undefined: none. */
  ownerOf(key: string): ResourceIdentity | undefined
}

/** How resources of a target have labels. */
export interface Labelling {
  /** Of the labels. */
  readonly family: string
  /** A label on a resource; undefined: the listed resource is something else. */
  labelled(listed: ListedResource): { readonly label: Identity; readonly resource: ResourceIdentity } | undefined
  /** The fields of `spec` that declare labels with these metaNames. */
  declare(names: readonly string[]): JsonObject
}

/** The meaning of documents on a platform. */
export interface DocumentKinds {
  /** The kind of a document. undefined: unknown kind; 'version': unknown apiVersion. */
  kind(kind: string, apiVersion: string): Kind | undefined | 'version'
  /** The problem of a document with an unknown kind or apiVersion. */
  readonly explainUnknownKind: (kind: string, apiVersion: string) => Finding
}

/** All kinds of a target. */
export interface Kinds extends DocumentKinds {
  /** A name and family may have several, for several versions: ownership of existing resources uses the first. */
  readonly kinds: readonly Kind[]
}

/** The version of this contract. */
export type ContractVersion = 1

/** What is known of a platform without a target: files are checked by it before anything is opened. */
export interface PlatformDescription {
  readonly name: string
  /** Of the contract that the platform is written for. */
  readonly version: ContractVersion
  /** The keys of a target in the configuration file, beside `platform`. They name secrets; they never contain one. */
  readonly settings: z.ZodObject
  /** Families of its kinds. Absent: only its targets know them. */
  readonly families?: readonly string[]
  /** How events of its stacks list what they own. */
  readonly eventFamilies: EventFamilies
  /** The JSON Schema of its package files. */
  packageSchema(): object
  /** Checks packages. */
  openKinds(): DocumentKinds & Disposable
}

/** The kinds of all its targets are on the platform itself. Without them, each connection gives its own. */
export interface Platform extends Partial<Kinds>, Partial<Disposable> {
  readonly name: string
  readonly version: ContractVersion
  readonly onFailure: 'undo' | 'continue'
  /** Runs that may write to one live system at once. Absent: 1. */
  readonly places?: number
  /**
   * Runs of several stacks may write to one live system at once, beside `places`, if each only updates resources that
   * its stack alone owns. Absent: they may not.
   */
  readonly updatesInParallel?: boolean
  /** True if drivers of the target have `watch`. Pure. Absent: they have not. */
  reportsChanges?(settings: JsonObject): boolean
  /** Names the live system: targets with equal ids are one system. Claims and locks use it. Pure. */
  systemId(settings: JsonObject): string
  /** Absent: packages name no secrets of the target. */
  readonly secretStore?: SecretStore
  /** Absent: resources have no labels. */
  readonly labelling?: Labelling
  /** Of these resources, those that the target made itself, as `family/identity`: nobody declares or owns them. */
  madeByTarget?(listed: readonly ListedResource[]): ReadonlySet<string>
  connect(target: Target, signal: AbortSignal, caller?: Caller): Promise<Connection>
}

/** A platform with the kinds of one target. */
export type TargetPlatform = Kinds & Pick<Platform, 'name' | 'onFailure' | 'secretStore' | 'labelling' | 'madeByTarget'>
