import type { Address } from '../model/address.js'
import { Refused } from '../model/errors.js'
import type { Consent } from '../model/resources/change.js'
import type { Drift } from '../model/resources/drift.js'
import type { Owned } from '../model/resources/resource.js'
import type { Cause, Lease, Run } from '../model/stacks/run.js'
import type {
  LiveStatus,
  StackFilter,
  StackSort,
  Failure,
  Pin,
  Stack,
  StackSpec,
  Suspension,
  Unhealthy,
} from '../model/stacks/stack.js'
import type { State } from '../status/status.js'
import type { DeletedStack, StackDeletion } from '../model/stacks/deleted-stack.js'
import type { PageRequest } from './page-request.js'

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
  /** With `drifted`: which. Absent: it is not known which. */
  readonly drift?: Drift
  /** null: everything works. */
  readonly unhealthy?: Unhealthy | null
  readonly failure?: Failure | null
  readonly retries?: number
  readonly retryAt?: number | null
}

/** `cause`: also adds an ended run with this cause, so that the history has the change. Absent: it does not. */
export interface RecordedChange extends StackChange {
  readonly cause?: Cause
}

/** `checkedAt`: when it was found. */
export interface StoredDrift extends Drift {
  readonly checkedAt: number
}

/** Called in the transaction that changes something of a stack, with the stored stack. Throws: nothing is written. */
export type StackCheck = (now: Stack) => void

/** Default sort: by name. */
export interface StackQuery extends PageRequest {
  readonly filter: StackFilter
  readonly sort?: StackSort | undefined
  readonly liveStatus: LiveStatus
  readonly stored?: StoredStatus | undefined
  /** The answer has the `total`. */
  readonly counted?: true
}

/** Conditions on what the process may know otherwise than the store. */
export interface StoredStatus {
  /** Only stacks in one of these states. */
  readonly states?: readonly State[] | undefined
  /** The states that the process knows otherwise, by stack: for `states`, and for a list that is sorted by them. */
  readonly liveStates?: ReadonlyMap<string, State>
  /** Only stacks of which it is true by what is stored alone, and those of `live`. */
  readonly needsPerson?: boolean | undefined
  readonly live: LiveStacks
}

/** The stacks of which the process may know something that is not stored, beside those of the live status. */
export interface LiveStacks {
  readonly stacks: readonly string[]
  /** And all stacks of other targets than these. */
  readonly exceptTargets: readonly string[]
  /** And all stacks of other owners. */
  readonly exceptManagedBy?: Stack['managedBy'] | undefined
}

/** `last`: its last run, without plan. `behindSince`: as in `StackStatusRow`. `cursor`: the `after` of what follows. */
export interface SelectedStack {
  readonly stack: Stack
  readonly behindSince: number | null
  readonly last: Run | undefined
  readonly cursor: string
}

/** `next`: the `after` of the next page; null: this is the last page. `total`: on all pages; null: not counted. */
export interface SelectedStacks {
  readonly found: readonly SelectedStack[]
  readonly next: string | null
  readonly total: number | null
}

/**
 * `id`: 16 hex digits; absent: generated. `quietly`: its first run ends at once, with the event of its creation;
 * nothing is polled or applied. `own`: resources that it adopts.
 */
export interface NewStack {
  readonly managedBy: Stack['managedBy']
  readonly target: string
  readonly cause: Cause
  readonly id?: string
  readonly quietly?: true
  readonly own?: readonly Owned[]
  readonly suspended?: Suspension
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

/** A stack and what decides its next step, all of one moment. */
export interface StackWithRuns {
  readonly stack: Stack
  /** The newest run that is not a change of ownership alone. */
  readonly last: Run | undefined
  /** The oldest first. */
  readonly unfinished: readonly Run[]
}

export function nameTaken(name: string): Refused {
  return new Refused('conflict', `There is a stack named ${name} already.`, {
    code: 'stacks/name-taken',
    hint: `Choose another name, or change that one with \`gitmoor stack set ${name}\`.`,
  })
}

export interface StackTable {
  /** The stack and its first run. Errors: `nameTaken`; `Rejected` store/owned, if another stack owns one of `own`. */
  create(spec: StackSpec, made: NewStack): Promise<{ readonly stack: Stack; readonly run: Run }>
  /**
   * Returns a finished run for the history. Errors: `Refused` conflict, if a run left its journal open (a stack is
   * suspended anyway); `Rejected` store/owned.
   */
  changeOwnership(amendment: OwnershipChange, check?: StackCheck): Promise<Run>
  /** By name or id. */
  get(name: string): Promise<Stack | undefined>
  /** What the last drift check found; undefined: no drift, or it is not known which. */
  drift(id: string): Promise<StoredDrift | undefined>
  /** By name or id, with its runs. */
  withRuns(name: string): Promise<StackWithRuns | undefined>
  /** The first names, in order. */
  names(limit: number): Promise<readonly string[]>
  /** Existing stacks of these ids. */
  many(ids: readonly string[]): Promise<readonly Stack[]>
  /** By name, after the given one. */
  list(page: PageRequest): Promise<readonly Stack[]>
  /** Stacks that match the filter. Errors: `Refused` usage, if `after` is not a valid cursor. */
  select(query: StackQuery): Promise<SelectedStacks>
  /** The addresses of repositories of which stacks follow this ref, as they declare them. */
  gitUrls(ref: string): Promise<readonly string[]>
  /** Of a stack by its id; or by the lease of a run that changes its own stack. Errors: `LeaseLost`. */
  change(of: string | Lease, change: RecordedChange, check?: StackCheck): Promise<void>
  /** The same, in the order of all writes, but durable up to 2 s later if there are many: they share commits. */
  changeSoon(id: string, change: StackChange): Promise<void>
  /** The same, and queues the run that applies the settings: at the pinned revision, else at one that a poll finds. */
  changeSettings(id: string, settings: NewSettings, check?: StackCheck): Promise<Run>
  /** Sharers become owners of its resources; others belong to no stack. Its newest runs are kept: `deleted`. */
  delete(id: string, check?: StackCheck, by?: string): Promise<void>
  /** The stack of this name or id that was deleted last. Only the newest ones are kept. */
  deleted(name: string): Promise<DeletedStack | undefined>
  /** Newest first, after this `seq`. */
  deletions(page: PageRequest): Promise<readonly StackDeletion[]>
  /** Stacks whose journal is not empty. */
  unsettled(): Promise<readonly string[]>
  /** The live systems that stacks are bound to, by the name of their target. */
  boundSystems(): Promise<ReadonlyMap<string, string>>
  /** The number of stacks, by the name of their target. */
  countByTarget(): Promise<ReadonlyMap<string, number>>
}
