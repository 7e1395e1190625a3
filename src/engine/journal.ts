// The journal belongs to the stack, not to the run. Empty means settled. See docs/design.md, "The journal".
import type { Address, Identity } from '../model/address.js'
import type { Change } from '../model/resources/change.js'
import type { Json, Sealed } from '../model/json.js'
import type { Problem } from '../model/problem.js'
import type { Owned, ResourceIdentity } from '../model/resources/resource.js'
import type { Lease, RunLease } from '../model/stacks/run.js'
import type { AppliedPackage, Failure, Unhealthy } from '../model/stacks/stack.js'

/** A step. With a trace and no identity, in `doing` or `undoing`, an unknown resource may exist. */
export interface JournalEntry {
  readonly id: number
  readonly run: string
  readonly change: Change
  readonly state: 'doing' | 'done' | 'undoing' | 'undone'
  /** `Observed` from before the step; absent: it did not exist, or only ownership changes. */
  readonly before?: Sealed
  /** Of the create in progress, or of that of an undo. */
  readonly trace?: Json
  /** The current identity. */
  readonly identity?: Identity
  /** Ownership of change.address and change.from before the step. */
  readonly ownedBefore: readonly Owned[]
}

/** A step that begins, and what is known before it. */
export interface NewEntry extends Pick<JournalEntry, 'change' | 'before' | 'trace' | 'identity'> {
  /**
   * Ownership of an adopted resource, or of one that is taken over: stored with the step, so no other stack plans to
   * write the resource meanwhile. Its former owner shares it from then on.
   */
  readonly claim?: Owned
}

export interface Progress {
  readonly state?: JournalEntry['state']
  readonly trace?: Json
  readonly identity?: Identity | null
  readonly own?: readonly Owned[]
  readonly disown?: readonly Address[]
  /** A change of a run that ended was found on the target: the run counts it. */
  readonly found?: true
}

/** The progress of an entry that is undone. `own`: the ownership from before its step. */
export function undoneMark(
  { change: { address } }: JournalEntry,
  identity: Identity | undefined,
  own: readonly Owned[],
): Progress {
  const disown = own.some((one) => one.address === address) ? [] : [address]
  return { state: 'undone', identity: identity ?? null, own, disown }
}

export interface Settlement {
  readonly outcome: 'applied' | 'unchanged' | 'undone' | 'failed'
  /** What is applied from now on. Absent: unchanged. null: nothing (uninstalled). */
  readonly applied?: AppliedPackage | null
  readonly problems: readonly Problem[]
  readonly failure: Failure | null
  /** Differences that another stack must correct. Default 0. */
  readonly drifted?: number
  /** Resources that do not work, as they were read or written. Absent: as before. */
  readonly unhealthy?: Unhealthy | null
  /** Of a partial plan: consent, failure and what is applied stay. No event, unless it lists something else. */
  readonly partial?: true
}

/** Why an undo began: the problems of the run, and the stack's failure. */
export interface UndoCause {
  readonly problems: readonly Problem[]
  readonly failure: Failure | null
}

/**
 * Each verb is one transaction, and durable when it resolves; a lease is stored with the first write that needs it.
 * Errors of the verbs that take a lease: `LeaseLost`, if the stack has a newer lease, or the run is finished.
 */
export interface Journal {
  /** For work that no run carries out. Earlier leases of the stack end, also those of other processes. */
  takeLease(stack: string): Promise<Lease>
  /**
   * Stores steps before they are done, in their order; `ownedBefore` is filled in here. Returns their ids. Large steps
   * are several transactions. Errors: `Rejected` store/owned, if another stack owns what a step claims.
   */
  begin(lease: RunLease, steps: readonly NewEntry[]): Promise<readonly number[]>
  /** Progress and ownership of a step. */
  recordProgress(lease: Lease, entry: number, mark: Progress): Promise<void>
  /**
   * The same, stored with the next write of the lease, before it; durable when it resolves. If it cannot be stored, the
   * lease writes nothing more until `flush`.
   */
  recordLater(lease: Lease, entry: number, mark: Progress): Promise<void>
  /** Stores what waits for the next write of the lease, which may write again after that. Errors: why it failed. */
  flush(lease: Lease): Promise<void>
  /** Deletes an entry whose create never happened. */
  drop(lease: Lease, entry: number): Promise<void>
  /** From here on the run undoes the journal's entries. Stores the reason. */
  startUndo(lease: RunLease, why: UndoCause): Promise<void>
  /** Entries that are not settled, oldest first. */
  openEntries(stack: string): Promise<readonly JournalEntry[]>
  /** True if another stack owns the resource by now. */
  isTaken(stack: string, resource: ResourceIdentity): Promise<boolean>
  /** True if there are entries that are not settled. */
  isOpen(stack: string): Promise<boolean>
  /** Empties journal and consent; stores revision, run and event; untracked resources pass to their oldest sharer. */
  settle(lease: RunLease, settlement: Settlement): Promise<void>
}

/** Seals snapshots with the data directory's key. */
export interface Sealer {
  seal(text: string): Sealed
  open(sealed: Sealed): string
}
