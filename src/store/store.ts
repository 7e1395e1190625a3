// store: what is remembered. Takes and gives nouns of the model; every verb is one transaction and durable when it resolves.
// Promises: a run, a move and what was seen are written together; what settles, settles at once; no verb reads more than a page of 500.
import type { Address, Identity } from '../model/address.js'
import type { Consent, Counts, Plan } from '../model/change.js'
import type { ChannelChange } from '../model/channel.js'
import type { Problem } from '../model/problem.js'
import type { Claims, Owned } from '../model/resource.js'
import type { Cause, Outcome, Phase, Run, StackEvent } from '../model/run.js'
import type { Fleeting, StackFilter, StackSort } from '../model/stack-query.js'
import type { Failure, Pin, Seen, Stack, StackSpec, Suspension, SyncState } from '../model/stack.js'
import type { Journal } from '../engine/journal.js'
import type { PushedPackages } from '../source/pushed-packages.js'
import type { ChannelTable } from './channel-table.js'
import type { Copies } from './copies.js'
import type { DeliveryTable } from './delivery-table.js'
import type { OverrideTable } from './override-table.js'
import type { PageOf } from './page-of.js'

export interface NewRun {
  readonly stack: string
  /** '' until the source was looked at. */
  readonly revision: string
  readonly cause: Cause
  readonly intent?: Run['intent']
  readonly expects?: string | null
}

/** What one look at a remote means for one stack. */
export interface Observation {
  readonly stack: string
  readonly revision: string
  /** Where its sources are: `placeOf`. */
  readonly place: string
  /** Absent: no run is due to it (pinned, and attempted before). */
  readonly cause?: Cause
  /** The run that waits for this revision; it takes the place of a new one. */
  readonly run?: string
  /** The channel went on: the roll back ends. */
  readonly unpin: boolean
}

export interface StackChange {
  readonly spec?: StackSpec
  readonly managedBy?: Stack['managedBy']
  readonly suspended?: Suspension | null
  readonly pinned?: Pin | null
  readonly consent?: Consent | null
  /** null: nobody knows any more whether the target is as declared. */
  readonly checkedAt?: number | null
  /** When a comparison failed: the next one is that much later, and a target that nobody knows stays unknown. */
  readonly triedAt?: number
  readonly drifted?: number
  readonly failure?: Failure | null
  readonly retries?: number
  readonly retryAt?: number | null
}

export interface PackageFileRow {
  readonly path: string
  readonly id: string
  readonly bytes: Uint8Array
}

/** What a run attempts, written as its plan begins. */
export interface Attempt {
  readonly run: string
  readonly stack: string
  readonly seen: Seen
  readonly settings: string
  /** Digest of the files; kept already, or given in `save`. */
  readonly files: string
  readonly save: readonly PackageFileRow[]
}

export interface RunEnd {
  readonly outcome: Outcome
  readonly phase?: Phase
  readonly problems?: readonly Problem[]
  readonly failure?: Failure | null
  /** Kept with the run. */
  readonly plan?: Plan
  readonly changes?: Counts
}

/** Default sort: by name. */
export interface StackQuery extends PageOf {
  readonly filter: StackFilter
  readonly sort?: StackSort
  readonly fleeting: Fleeting
}

/** `last`: its last run, without plan. `next`: give it as `after` for what follows; null: this was the last page. */
export interface SelectedStacks {
  readonly found: readonly { readonly stack: Stack; readonly last: Run | undefined }[]
  readonly next: string | null
}

/** `id`: 16 hex digits; absent: any. `quietly`: its first run ends as it is made, with the event of its creation; nothing is looked at or applied. */
export interface NewStack {
  readonly managedBy: Stack['managedBy']
  readonly target: string
  readonly cause: Cause
  readonly id?: string
  readonly quietly?: true
}

/** Changes of a stack's names and ownership that write nothing to the target. */
export interface Amendment {
  readonly stack: string
  readonly cause: Cause
  readonly spec?: StackSpec
  readonly own?: readonly Owned[]
  /** What sharers declare passes to them; what is left belongs to nobody. The stack counts as drifted by it, until it is looked at. */
  readonly disown?: readonly Address[]
}

export interface StackTable {
  /** The record and its first run. Errors: `Refused` conflict. */
  create(spec: StackSpec, made: NewStack): Promise<{ readonly stack: Stack; readonly run: Run }>
  /** Gives the run that stands for it in the history, ended already. Errors: `Refused` conflict, where a run left its journal open; `Rejected` store/owned. */
  amend(amendment: Amendment): Promise<Run>
  /** By name or id. */
  get(name: string): Promise<Stack | undefined>
  /** Those of these ids that are there. */
  many(ids: readonly string[]): Promise<readonly Stack[]>
  /** By name, after the given one. */
  list(page: PageOf): Promise<readonly Stack[]>
  /** Those that the filter lets through. Errors: `Refused` usage, where `after` is no place in such a list. */
  select(query: StackQuery): Promise<SelectedStacks>
  change(id: string, change: StackChange): Promise<void>
  /** What it owned passes to sharers, or belongs to nobody. */
  delete(id: string): Promise<void>
  /** Stacks whose journal is not empty. */
  unsettled(): Promise<readonly string[]>
}

export interface RunTable {
  /** Closes what is queued and not begun, then queues this: at the revision that the stack shall be at by then, unless a plan of this one was asked for. */
  add(run: NewRun): Promise<Run>
  /** What became of channels, what stacks see, and the runs that follow from it, at once. Gives the runs, and the changes with the ids of moves. */
  observe(
    observations: readonly Observation[],
    changes: readonly ChannelChange[],
  ): Promise<{ readonly runs: readonly Run[]; readonly changes: readonly ChannelChange[] }>
  /** Runs of which nothing below the stack's path changed. */
  settleUnchanged(runs: readonly { readonly run: string; readonly stack: string; readonly seen: Seen }[]): Promise<void>
  /** The run begins its plan: revision, files and settings are written down. */
  attempt(attempt: Attempt): Promise<void>
  /** What a killed agent left unfinished waits for its turn again. */
  requeue(run: string): Promise<void>
  /** The plan it carries out; `changes` are its counts. */
  savePlan(run: string, plan: Plan, changes: Counts): Promise<void>
  finish(run: string, end: RunEnd): Promise<void>
  get(id: string): Promise<Run | undefined>
  /** Newest first, without plans. */
  list(stack: string, page: PageOf): Promise<readonly Run[]>
  /** The newest run of each, without plans. */
  last(stacks: readonly string[]): Promise<ReadonlyMap<string, Run>>
  /** Not finished, of these stacks or, where none is named, of all; of each the oldest first. */
  unfinished(...stacks: readonly string[]): Promise<readonly Run[]>
  /** Whether a plan of this revision ever began. */
  wasAttempted(stack: string, revision: string): Promise<boolean>
  /** The newest `limit`, oldest first. */
  events(stack: string, limit: number): Promise<readonly StackEvent[]>
}

/** A record with its last change, and the run that made it; null: that run is not kept any more, or was before this was recorded. */
export interface Explained {
  readonly record: Owned
  readonly run: Pick<Run, 'cause' | 'revision'> | null
}

/** How it stands with a stack, as far as it is remembered: narrow, so that all stacks can be read often. Times are milliseconds since the epoch. */
export interface Standing {
  readonly stack: string
  readonly name: string
  readonly target: string
  readonly managedBy: Stack['managedBy']
  readonly suspended: boolean
  /** The last look at its target or its last run did not end well. */
  readonly failing: boolean
  readonly sync: SyncState
  readonly held: boolean
  /** Its last run has not ended. */
  readonly unfinished: boolean
  readonly drifted: number
  /** The revision it shall be at; null: none was seen yet. */
  readonly wanted: string | null
  readonly applied: string | null
  /** When the run ended that applied it; null: nothing is applied, or that run is forgotten. */
  readonly appliedAt: number | null
}

/** Runs of all stacks as they come and how it stands with all stacks, for whoever watches; without plans. */
export interface Feed {
  /** Id of the newest; '0': there is none. */
  newest(): Promise<string>
  /** Those that came after this one, oldest first, at most `limit`. */
  after(run: string, limit: number): Promise<readonly Run[]>
  /** Those of these ids that are there, oldest first. */
  many(ids: readonly string[]): Promise<readonly Run[]>
  /** Since when each stack is wanted at its revision: when the first of its newest runs was queued that are all of that revision, in milliseconds since the epoch. */
  wantedSince(stacks: readonly { readonly stack: string; readonly revision: string }[]): Promise<ReadonlyMap<string, number>>
  /** By name, after the given one. */
  standings(page: PageOf): Promise<readonly Standing[]>
}

export interface OwnershipTable {
  /** Without their last changes. */
  of(stack: string): Promise<ReadonlyMap<Address, Owned>>
  /** The same, by their addresses. */
  byAddress(stack: string): Promise<readonly Owned[]>
  /** Resources without parts, the newest change first; after `after`, which is `RUN ADDRESS` of the last one of the page before. */
  newest(stack: string, page: PageOf): Promise<readonly Explained[]>
  explained(stack: string, address: string): Promise<Explained | undefined>
  /** Others' records of these things on a stack's target, which is a live system. The stack need not be there yet. */
  claims(
    of: { readonly stack: string; readonly target: string },
    found: readonly { readonly family: string; readonly identity: Identity }[],
  ): Promise<Claims>
  /** What stacks have at this address, each thing once, with the first of them by name and the name of its target; at most `limit`. */
  at(address: Address, limit: number): Promise<readonly { readonly stack: string; readonly target: string; readonly identity: Identity }[]>
  /** Who owns things, by `family/identity`. */
  owners(
    target: string,
    things: readonly { readonly family: string; readonly identity: Identity }[],
  ): Promise<ReadonlyMap<string, { readonly stack: string; readonly address: Address }>>
}

export interface FileTable {
  /** Each file and their listing are checked against their names. undefined: they are not kept, or not as they were written; then the damaged part is removed. */
  get(digest: string): Promise<readonly PackageFileRow[] | undefined>
  /** Keeps files that were fetched again. */
  keep(digest: string, files: readonly PackageFileRow[]): Promise<void>
  /** Forgets runs that are no events beyond the newest `runsKept` of each stack, and files beyond those of its newest `revisionsKept` applied runs. */
  prune(keep: { readonly runsKept: number; readonly revisionsKept: number }): Promise<void>
}

/** What the store did to itself and a person should know of: mended, restored, brought to a new version. */
export interface Notice {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** `store/mended`: the room, then what. */
  readonly code: string
  readonly message: string
}

export interface NoticeTable {
  /** The newest first. */
  list(limit: number): Promise<readonly Notice[]>
}

/** A package that was pushed. `digest`: of the listing of paths and contents. */
export interface Push {
  readonly digest: string
  readonly files: readonly PackageFileRow[]
  readonly by: string
  /** Where it came from, for the template stack. Absent: unknown. */
  readonly sources?: readonly string[]
}

export interface PushTable extends PushedPackages {
  /** Takes the place of what was pushed to the stack (by its id) before. */
  put(stack: string, push: Push): Promise<void>
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
  readonly notices: NoticeTable
  readonly copies: Copies
  readonly deliveries: DeliveryTable
  readonly overrides: OverrideTable
  /** Why it cannot keep what is written: it does not answer, its files are gone, the disk is full. undefined: it can. */
  fault(): Promise<string | undefined>
  /** Whether the files of the database are still in place. Where they are not, whoever opened the store is told, as of damage. */
  checkFiles(): string | undefined
}
