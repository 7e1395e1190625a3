import type { ApprovalReason, Counts, Plan } from '../model/resources/change.js'
import type { ChannelChange } from '../model/sources/channel.js'
import type { SourceSpec } from '../model/sources/source-spec.js'
import type { Problem } from '../model/problem.js'
import type { Cause, CauseKind, LeasedRun, RunLease, Outcome, OwnershipEvent, Phase, Run } from '../model/stacks/run.js'
import type { ManagedBy } from '../model/stacks/stack-owner.js'
import type { LabelCondition, Failure, ObservedRevision, Pin, StackSpec } from '../model/stacks/stack.js'
import type { PageRequest } from './page-request.js'
import type { StackChange, StackCheck } from './stack-table.js'
import type { PackageFileRow } from './file-table.js'

export interface NewRun {
  readonly stack: string
  /** '' until the source was polled. */
  readonly revision: string
  /** If a poll found a newer revision since the caller read the stack, that one is run. */
  readonly orNewer?: true
  readonly cause: Cause
  readonly intent?: Run['intent']
  readonly expects?: string | null
  /** What changes of its stack in the same transaction: no crash leaves the change without the run. */
  readonly change?: StackChange
}

/** The result of a poll of a remote for one stack. */
export interface StackObservation {
  readonly stack: string
  readonly revision: string
  /** The stack that was polled. Nothing is stored if it has other sources or another pin by now: it is polled again. */
  readonly polled: { readonly sources: readonly SourceSpec[]; readonly pinned: Pin | null }
  /** The locations of its sources: `placeOf`. */
  readonly place: string
  /** Its content id, if it is known. */
  readonly content?: string
  /** Absent: no run is needed (the stack stays pinned, or an uninstall needs approval). */
  readonly cause?: Cause
  /** The run that waits for this revision, in place of a new one. */
  readonly run?: string
  /** The channel moved on: the rollback ends. */
  readonly unpin: boolean
}

/** The attempt of a run, written when its plan begins. */
export interface Attempt {
  readonly lease: RunLease
  /** When it began to fetch its revision: milliseconds since the epoch. Default: now. */
  readonly fetchingAt?: number
  readonly observed: ObservedRevision
  /** The digest of the settings that decide an attempt. */
  readonly settings: string
  /** All settings. */
  readonly spec: StackSpec
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
  /** Queued in the same transaction, unless a newer run is queued. */
  readonly next?: NewRun
}

export interface StackRunQuery extends PageRequest {
  /** Empty: all stacks. */
  readonly selector: readonly LabelCondition[]
  /** Only those of stacks with this owner. */
  readonly managedBy?: ManagedBy
  /** Only those of this stack, by its id. */
  readonly stack?: string
  /** Only those that this person or program requested. */
  readonly by?: string
  readonly cause?: CauseKind
  /** Only those that ended in one of these ways. */
  readonly outcomes?: readonly Outcome[]
  /** Only those that were queued at this time or later, in milliseconds since the epoch. */
  readonly since?: number
  /** Only those that were queued before this time. */
  readonly until?: number
}

/**
 * When phases of a run began last: milliseconds since the epoch. null: it has not entered the phase, or an older
 * version ran it.
 */
export interface PhaseTimes {
  readonly fetching: number | null
  readonly planning: number | null
  readonly applying: number | null
  readonly undoing: number | null
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
  /** Closes queued runs, then queues this one. */
  add(run: NewRun, check?: StackCheck): Promise<Run>
  /** Cancels a run whose plan needs approval. Nothing else of its stack changes. */
  cancelAwaiting(run: string): Promise<void>
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
  /**
   * Gives a run the lease of its stack. Earlier leases of the stack end: those of this process now, those of others
   * with the next write of this one. `takeLease`, `attempt` and `savePlan` are durable with the next write of the
   * lease, at the latest after 50 ms: until `begin` nothing of the run is on the target.
   */
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
  /** When phases of a run began; undefined: there is no such run. */
  phaseTimes(id: string): Promise<PhaseTimes | undefined>
  /** The settings that the run read; undefined: it read none, or an older version ran it. */
  settings(id: string): Promise<StackSpec | undefined>
  /** Newest first, without plans. */
  list(stack: string, page: PageRequest): Promise<readonly Run[]>
  /** Runs of all stacks that match the selector, newest first, without plans. */
  listOfStacks(query: StackRunQuery): Promise<readonly StackRun[]>
  /** The newest run of each stack, without plans. */
  last(stacks: readonly string[]): Promise<ReadonlyMap<string, Run>>
  /** Why the plans of these runs need approval; nothing for a run without a plan. Reads no change of a plan. */
  approvalReasons(runs: readonly string[]): Promise<ReadonlyMap<string, readonly ApprovalReason[]>>
  /** Unfinished runs of these stacks, or of all if none is named; the oldest of each stack first. */
  unfinished(...stacks: readonly string[]): Promise<readonly Run[]>
  /**
   * The digest of the files of the last attempt, if it was of this revision and stored its plan: until then they may be
   * a part of the package.
   */
  plannedFiles(stack: string, revision: string): Promise<string | undefined>
  /** True if a plan of this revision ever began. */
  wasAttempted(stack: string, revision: string): Promise<boolean>
  /** The newest `limit`, oldest first. */
  events(stack: string, limit: number): Promise<readonly OwnershipEvent[]>
}
