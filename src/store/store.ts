// store: the database. Takes and gives nouns of the model; every verb is one transaction and durable when it resolves.
// Promises: a run, a move and what was observed are written together; a settlement is one write; a verb reads at most a
// page of 500.
import type { Address, Identity } from '../model/address.js'
import type { Consent, Counts, Plan } from '../model/resources/change.js'
import type { ChannelChange } from '../model/sources/channel.js'
import type { Problem } from '../model/problem.js'
import type { Claims, Owned, ResourceIdentity } from '../model/resources/resource.js'
import type { Cause, Lease, LeasedRun, RunLease, Outcome, OwnershipEvent, Phase, Run } from '../model/stacks/run.js'
import type {
  LabelCondition,
  LiveStatus,
  StackFilter,
  StackSort,
  Failure,
  Pin,
  ObservedRevision,
  Stack,
  StackSpec,
  Suspension,
  SyncState,
} from '../model/stacks/stack.js'
import type { Journal } from '../engine/journal.js'
import type { PushedPackages } from '../source/pushed-packages.js'
import type { ChannelTable } from './channel-table.js'
import type { Copies } from './copies.js'
import type { FleetTable } from './fleet-table.js'
import type { DeliveryTable } from './delivery-table.js'
import type { DeletedStack } from '../model/stacks/deleted-stack.js'
import type { OverrideTable } from './override-table.js'
import type { PageRequest } from './page-request.js'

export interface NewRun {
  readonly stack: string
  /** '' until the source was polled. */
  readonly revision: string
  readonly cause: Cause
  readonly intent?: Run['intent']
  readonly expects?: string | null
}

/** The result of a poll of a remote for one stack. */
export interface StackObservation {
  readonly stack: string
  readonly revision: string
  /** The locations of its sources: `placeOf`. */
  readonly place: string
  /** Absent: no run is needed (pinned, and attempted before). */
  readonly cause?: Cause
  /** The run that waits for this revision, in place of a new one. */
  readonly run?: string
  /** The channel moved on: the rollback ends. */
  readonly unpin: boolean
}

export interface StackChange {
  readonly spec?: StackSpec
  readonly managedBy?: Stack['managedBy']
  readonly suspended?: Suspension | null
  readonly pinned?: Pin | null
  readonly consent?: Consent | null
  /** null: it is unknown whether the actual state is the desired one. */
  readonly checkedAt?: number | null
  /** When a drift check failed: it delays the next one, and an unknown state stays unknown. */
  readonly triedAt?: number
  readonly drifted?: number
  readonly failure?: Failure | null
  readonly retries?: number
  readonly retryAt?: number | null
}

/** Called in the transaction that changes something of a stack, with the stored stack. Throws: nothing is written. */
export type StackCheck = (now: Stack) => void

export interface PackageFileRow {
  readonly path: string
  readonly id: string
  readonly bytes: Uint8Array
}

/** The attempt of a run, written when its plan begins. */
export interface Attempt {
  readonly lease: RunLease
  readonly observed: ObservedRevision
  readonly settings: string
  /** Digest of the files; stored already, or in `save`. */
  readonly files: string
  readonly save: readonly PackageFileRow[]
}

/** A run at a revision whose content was compared with the applied one. */
export interface ComparedRun {
  readonly run: string
  readonly stack: string
  readonly seen: ObservedRevision
}

export interface FinishedRun {
  readonly outcome: Outcome
  readonly phase?: Phase
  readonly problems?: readonly Problem[]
  readonly failure?: Failure | null
  /** Stored with the run. */
  readonly plan?: Plan
  readonly changes?: Counts
}

/** Default sort: by name. */
export interface StackQuery extends PageRequest {
  readonly filter: StackFilter
  readonly sort?: StackSort | undefined
  readonly liveStatus: LiveStatus
}

/** `last`: its last run, without plan. `cursor`: the `after` of what comes after it. */
export interface SelectedStack {
  readonly stack: Stack
  readonly last: Run | undefined
  readonly cursor: string
}

/** `next`: the `after` of the next page; null: this is the last page. */
export interface SelectedStacks {
  readonly found: readonly SelectedStack[]
  readonly next: string | null
}

/**
 * `id`: 16 hex digits; absent: generated. `quietly`: its first run ends at once, with the event of its creation;
 * nothing is polled or applied.
 */
export interface NewStack {
  readonly managedBy: Stack['managedBy']
  readonly target: string
  readonly cause: Cause
  readonly id?: string
  readonly quietly?: true
}

/** `cause`: of the run that applies them. */
export interface NewSettings extends StackChange {
  readonly cause: Cause
}

/** Changes of a stack's names and ownership that write nothing to the target. */
export interface OwnershipChange {
  readonly stack: string
  readonly cause: Cause
  readonly spec?: StackSpec
  /** Its owner no longer declares the stack. */
  readonly suspended?: Suspension
  readonly own?: readonly Owned[]
  /** Resources to untrack. Sharers become their owners. The stack counts as drifted until its next check. */
  readonly untrack?: readonly Address[]
}

export interface StackTable {
  /** The stack and its first run. Errors: `Refused` conflict. */
  create(spec: StackSpec, made: NewStack): Promise<{ readonly stack: Stack; readonly run: Run }>
  /**
   * Returns a finished run for the history. Errors: `Refused` conflict, if a run left its journal open (a stack is
   * suspended anyway); `Rejected` store/owned.
   */
  changeOwnership(amendment: OwnershipChange, check?: StackCheck): Promise<Run>
  /** By name or id. */
  get(name: string): Promise<Stack | undefined>
  /** The first names, in order. */
  names(limit: number): Promise<readonly string[]>
  /** Existing stacks of these ids. */
  many(ids: readonly string[]): Promise<readonly Stack[]>
  /** By name, after the given one. */
  list(page: PageRequest): Promise<readonly Stack[]>
  /** Stacks that match the filter. Errors: `Refused` usage, if `after` is not a valid cursor. */
  select(query: StackQuery): Promise<SelectedStacks>
  /** Of a stack by its id; or by the lease of a run that changes its own stack. Errors: `LeaseLost`. */
  change(of: string | Lease, change: StackChange, check?: StackCheck): Promise<void>
  /** The same, and queues the run that applies the settings: at the pinned revision, else at one that a poll finds. */
  changeSettings(id: string, settings: NewSettings, check?: StackCheck): Promise<Run>
  /** Sharers become owners of its resources; others belong to no stack. Its newest runs are kept: `deleted`. */
  delete(id: string, check?: StackCheck, by?: string): Promise<void>
  /** The stack of this name or id that was deleted last. Only the newest ones are kept. */
  deleted(name: string): Promise<DeletedStack | undefined>
  /** Stacks whose journal is not empty. */
  unsettled(): Promise<readonly string[]>
}

export interface StackRunQuery extends PageRequest {
  /** Empty: all stacks. */
  readonly selector: readonly LabelCondition[]
}

/** A run, and the name of its stack. */
export interface StackRun {
  readonly run: Run
  readonly stackName: string
}

/**
 * A run is written by its lease. Errors of the methods that take one: `LeaseLost`, if the stack has a newer lease; of
 * `attempt`, `recordOverride` and `savePlan` also if the run is finished.
 */
export interface RunTable {
  /** Closes queued runs, then queues this one: at the now desired revision, unless it carries out a given plan. */
  add(run: NewRun, check?: StackCheck): Promise<Run>
  /** Ends queued runs of the stack as cancelled, with this failure. */
  cancelQueued(stack: string, failure: Failure, check?: StackCheck): Promise<void>
  /**
   * Stores states of channels, observations of stacks, and the resulting runs in one transaction. Returns the runs, and
   * the changes with the ids of moves.
   */
  observe(
    observations: readonly StackObservation[],
    changes: readonly ChannelChange[],
  ): Promise<{ readonly runs: readonly Run[]; readonly changes: readonly ChannelChange[] }>
  /**
   * Ends queued runs whose revision changed nothing below the stack's path. Returns those it ended: not where a run is
   * in progress, or the applied content is no longer the one that was compared.
   */
  settleUnchanged(runs: readonly ComparedRun[]): Promise<readonly string[]>
  /** Gives a run the lease of its stack. Earlier leases of the stack end, also those of other processes. */
  takeLease(run: Run): Promise<LeasedRun>
  /** The run begins its plan: stores revision, files and settings. */
  attempt(attempt: Attempt): Promise<void>
  /** Queues an unfinished run again. */
  requeue(lease: RunLease): Promise<void>
  /** Adds to the cause of the run that it overrides a closed window. */
  recordOverride(lease: RunLease): Promise<void>
  /** The plan that the run carries out; `changes` are its counts. */
  savePlan(lease: RunLease, plan: Plan, changes: Counts): Promise<void>
  /** Ends an unfinished run. */
  finish(lease: RunLease, end: FinishedRun): Promise<void>
  /** Ends a run that is still queued: it needs no lease, since nothing carries it out. */
  endQueued(run: string, end: FinishedRun): Promise<void>
  /**
   * Adds a direct write to a resource of the stack, with the intent `ownership`: it supersedes no run. Returns its id.
   * It is `interrupted` until `endWrite`.
   */
  addWrite(stack: string, write: { readonly cause: Cause; readonly changes: Counts }): Promise<string>
  endWrite(run: string, outcome: 'applied' | 'failed', problems: readonly Problem[]): Promise<void>
  get(id: string): Promise<Run | undefined>
  /** Newest first, without plans. */
  list(stack: string, page: PageRequest): Promise<readonly Run[]>
  /** Runs of all stacks that match the selector, newest first, without plans. */
  listOfStacks(query: StackRunQuery): Promise<readonly StackRun[]>
  /** The newest run of each stack, without plans. */
  last(stacks: readonly string[]): Promise<ReadonlyMap<string, Run>>
  /** Unfinished runs of these stacks, or of all if none is named; the oldest of each stack first. */
  unfinished(...stacks: readonly string[]): Promise<readonly Run[]>
  /** True if a plan of this revision ever began. */
  wasAttempted(stack: string, revision: string): Promise<boolean>
  /** The newest `limit`, oldest first. */
  events(stack: string, limit: number): Promise<readonly OwnershipEvent[]>
}

/** Ownership with its last change, and the cause of that run; null: the run was pruned, or is unknown. */
export interface ExplainedResource {
  readonly owned: Owned
  readonly cause: Cause | null
}

/** The stored status of a stack: few columns, so all stacks can be read often. Times are ms since the epoch. */
export interface StackStatusRow {
  readonly stack: string
  readonly name: string
  readonly target: string
  readonly managedBy: Stack['managedBy']
  readonly suspended: boolean
  readonly pinned: boolean
  /** The last drift check or the last run failed. */
  readonly failing: boolean
  /** The last run was cancelled. */
  readonly cancelled: boolean
  readonly awaitsPackage: boolean
  readonly sync: SyncState
  readonly needsApproval: boolean
  /** '0': it has none. */
  readonly lastRun: string
  /** The last run has not ended. */
  readonly unfinished: boolean
  /** The last run did not find a secret that the package uses. */
  readonly secretMissing: boolean
  /** The number of other warnings of the last run. */
  readonly warnings: number
  readonly drifted: number
  /** The desired revision; null: none was observed yet. */
  readonly desired: string | null
  readonly applied: string | null
  /** When the run that applied it ended; null: nothing is applied, or the run was pruned. */
  readonly appliedAt: number | null
}

/** Runs of all stacks as they are queued, and the status of all stacks, for watchers; without plans. */
export interface Feed {
  /** The id of the newest run; '0': there is none. */
  newest(): Promise<string>
  /** Runs after this one, oldest first, at most `limit`. */
  after(run: string, limit: number): Promise<readonly Run[]>
  /** Existing runs of these ids, oldest first. */
  many(ids: readonly string[]): Promise<readonly Run[]>
  /** Since when each stack's revision is desired, in ms since the epoch: since the first of its newest runs at it. */
  desiredSince(
    stacks: readonly { readonly stack: string; readonly revision: string }[],
  ): Promise<ReadonlyMap<string, number>>
  /** By name, after the given one. */
  statuses(page: PageRequest): Promise<readonly StackStatusRow[]>
}

export interface OwnershipTable {
  /** Without their last changes. */
  of(stack: string): Promise<ReadonlyMap<Address, Owned>>
  /** The same, by their addresses. */
  byAddress(stack: string, page?: Partial<PageRequest>): Promise<readonly Owned[]>
  /**
   * Resources without parts, the newest change first. `next`: the `after` of the next page; null: this is the last one.
   * Errors: `Refused` usage, if `after` is not a valid cursor.
   */
  newest(
    stack: string,
    page: PageRequest,
  ): Promise<{ readonly found: readonly ExplainedResource[]; readonly next: string | null }>
  explained(stack: string, address: string): Promise<ExplainedResource | undefined>
  /** Others' ownership of these resources on a stack's target, which is a live system. The stack need not exist yet. */
  claims(of: { readonly stack: string; readonly target: string }, found: readonly ResourceIdentity[]): Promise<Claims>
  /** Resources at this address, each once, with the first stack by name and the name of its target; at most `limit`. */
  at(
    address: Address,
    limit: number,
  ): Promise<readonly { readonly stack: string; readonly target: string; readonly identity: Identity }[]>
  /** Owners of resources, by `family/identity`. */
  owners(
    target: string,
    resources: readonly ResourceIdentity[],
  ): Promise<ReadonlyMap<string, { readonly stack: string; readonly address: Address }>>
}

export interface FileTable {
  /** Checks each file and their listing against their digests. undefined: missing or damaged; damage is removed. */
  get(digest: string): Promise<readonly PackageFileRow[] | undefined>
  /** The ids of the files, by path; empty: they are not stored. */
  ids(digest: string): Promise<ReadonlyMap<string, string>>
  /** Stores files that were fetched again. */
  keep(digest: string, files: readonly PackageFileRow[]): Promise<void>
  /** Deletes runs without events beyond the newest `runsKept` of each stack, and files of old applied runs. */
  prune(keep: { readonly runsKept: number; readonly revisionsKept: number }): Promise<void>
}

/** A change of the database itself that people should know of: repaired, restored, upgraded. */
export interface DatabaseEvent {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** `store/repaired`: the room, then the event. */
  readonly code: string
  readonly message: string
}

export interface DatabaseEventTable {
  /** The newest first. */
  list(limit: number): Promise<readonly DatabaseEvent[]>
}

/** A pushed package. `digest`: of the listing of paths and contents. */
export interface Push {
  readonly digest: string
  readonly files: readonly PackageFileRow[]
  readonly by: string
  /** Where it came from, as the client says. Absent: unknown. */
  readonly sources?: readonly string[]
}

export interface PushTable extends PushedPackages {
  /** Replaces the former push of the stack (by its id), and ends its suspension after an uninstall. */
  put(stack: string, push: Push, check?: StackCheck): Promise<void>
}

export interface Store {
  readonly stacks: StackTable
  readonly runs: RunTable
  readonly feed: Feed
  readonly ownership: OwnershipTable
  readonly files: FileTable
  readonly channels: ChannelTable
  readonly journal: Journal
  readonly pushes: PushTable
  readonly databaseEvents: DatabaseEventTable
  readonly copies: Copies
  readonly deliveries: DeliveryTable
  readonly overrides: OverrideTable
  readonly fleets: FleetTable
  /** Why it cannot write: it does not answer, its files are gone, the disk is full. undefined: it can. */
  whyUnwritable(): Promise<string | undefined>
  /** Why the files of the database are not in place; undefined: they are. Damage is also reported to the opener. */
  checkFiles(): string | undefined
}

/** Methods that store sentences for people. Plans, packages and snapshots are stored as they are. */
export const sentenceMethods = {
  stacks: ['create', 'changeOwnership', 'change', 'changeSettings'],
  runs: ['add', 'cancelQueued', 'observe', 'finish', 'endQueued', 'addWrite', 'endWrite'],
  journal: ['startUndo', 'settle'],
  channels: ['learn'],
  overrides: ['add'],
  fleets: ['keepListing'],
  deliveries: ['add', 'finish'],
} as const
