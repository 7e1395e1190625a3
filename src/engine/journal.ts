// The journal belongs to the stack, not to the run. Empty means settled. See docs/design.md, "The journal".
import type { Address, Identity } from '../model/address.js'
import type { Change } from '../model/change.js'
import type { Json } from '../model/json.js'
import type { Problem } from '../model/problem.js'
import type { Owned } from '../model/resource.js'
import type { Sealed } from '../model/sealed.js'
import type { AppliedPackage, Failure } from '../model/stack.js'

/** No identity but a trace, in `doing` or `undoing`: something may exist that nobody has seen. */
export interface Entry {
  readonly id: number
  readonly run: string
  readonly change: Change
  readonly state: 'doing' | 'done' | 'undoing' | 'undone'
  /** `Observed` as the step found it; absent: it was not there, or only the record changes. */
  readonly before?: Sealed
  /** Of the create in hand, forward or back. */
  readonly trace?: Json
  /** Where it is now. */
  readonly identity?: Identity
  /** Records of change.address and change.from, as they were when the step began. */
  readonly ownedBefore: readonly Owned[]
}

export interface Mark {
  readonly state?: Entry['state']
  readonly trace?: Json
  readonly identity?: Identity | null
  readonly own?: readonly Owned[]
  readonly disown?: readonly Address[]
  /** Whoever owned it until now shares it from now on. */
  readonly takes?: true
}

export interface Settlement {
  readonly outcome: 'applied' | 'unchanged' | 'undone' | 'failed'
  /** What is applied from now on. Absent: it stays what it was. null: nothing is (uninstalled). */
  readonly applied?: AppliedPackage | null
  readonly problems: readonly Problem[]
  readonly failure: Failure | null
  /** What is seen to differ and is another stack's to put right. Default 0. */
  readonly drifted?: number
}

/** What began an undo: the problems of the run, and what the failure means for the stack. */
export interface UndoCause {
  readonly problems: readonly Problem[]
  readonly failure: Failure | null
}

/** Each verb is durable when it resolves, and one transaction. */
export interface Journal {
  /** Writes down a step before it is done; `ownedBefore` is filled in here. */
  begin(
    stack: string,
    run: string,
    change: Change,
    known: { readonly before?: Sealed; readonly identity?: Identity; readonly trace?: Json },
  ): Promise<number>
  /** Progress and ownership of a step. */
  mark(stack: string, entry: number, mark: Mark): Promise<void>
  /** Its create never happened. */
  drop(stack: string, entry: number): Promise<void>
  /** From here on the run undoes what the journal holds; why, is remembered with it. */
  turn(stack: string, run: string, why: UndoCause): Promise<void>
  /** What is not settled, oldest first. */
  open(stack: string): Promise<readonly Entry[]>
  /** The end: journal and consent emptied, revision, run and event written; what the stack dropped passes to the oldest sharer. */
  settle(stack: string, run: string, settlement: Settlement): Promise<void>
}

/** Seals snapshots with the data directory's key. */
export interface Sealer {
  seal(text: string): Sealed
  open(sealed: Sealed): string
}
