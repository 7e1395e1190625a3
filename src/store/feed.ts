import type { Run } from '../model/stacks/run.js'
import type { LiveStatus, Stack, SyncState } from '../model/stacks/stack.js'
import type { State } from '../status/status.js'
import type { PageRequest } from './page-request.js'
import type { LiveStacks } from './stack-table.js'

/** The stored status of a stack: few columns, so all stacks can be read often. Times are ms since the epoch. */
export interface StackStatusRow {
  readonly stack: string
  readonly name: string
  readonly target: string
  /** The locations of its sources. */
  readonly package: string
  readonly managedBy: Stack['managedBy']
  readonly suspended: boolean
  readonly pinned: boolean
  /** Its owner no longer declares it. */
  readonly undeclared: boolean
  /** The last drift check or the last run failed. */
  readonly failing: boolean
  /** The last run was cancelled. */
  readonly cancelled: boolean
  readonly awaitsPackage: boolean
  /** By what is stored alone. */
  readonly state: State
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
  /** Resources that do not work. */
  readonly unhealthy: number
  /**
   * Since when its desired revision is not applied: since the first of its newest runs at it was queued. null: it is
   * applied, or no run was for it.
   */
  readonly behindSince: number | null
  readonly applied: string | null
  /** When the run that applied it ended; null: nothing is applied, or the run was pruned. */
  readonly appliedAt: number | null
}

/** The number of stacks of a package and a target in a state, by what is stored alone, at an applied revision. */
export interface StackGroup extends Pick<StackStatusRow, 'package' | 'target' | 'state' | 'applied'> {
  readonly stacks: number
  /** The first by name. */
  readonly first: string
}

/** Runs of all stacks as they are queued, and the status of all stacks, for watchers; without plans. */
export interface Feed {
  /** The id of the newest run; '0': there is none. */
  newest(): Promise<string>
  /** Runs after this one, oldest first, at most `limit`. */
  after(run: string, limit: number): Promise<readonly Run[]>
  /** Existing runs of these ids, oldest first. */
  many(ids: readonly string[]): Promise<readonly Run[]>
  /** `behindSince` of a stack. */
  behindSince(stack: string): Promise<number | null>
  /** By name, after the given one. */
  statuses(page: PageRequest): Promise<readonly StackStatusRow[]>
  /** Of existing stacks of these ids, by name. */
  statusesOf(stacks: readonly string[]): Promise<readonly StackStatusRow[]>
  /** All stacks, by package and target. */
  groups(): Promise<readonly StackGroup[]>
  /** The number of stacks that follow each ref, by the address with which they declare its repository. */
  followers(): Promise<readonly { readonly url: string; readonly ref: string; readonly stacks: number }[]>
  /** The ids of stacks of which the process may know something that is not stored. */
  liveStacks(request: { readonly live: LiveStacks; readonly liveStatus: LiveStatus }): Promise<readonly string[]>
}
