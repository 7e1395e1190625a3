import type { Phase } from './run.js'
import type { RunBlocker } from './blocker.js'
import type { Failure, Health, Stack, SyncState } from './stack.js'

/** Filters of a list of stacks, combined with AND. */
export interface StackFilter {
  /** A part of the name. */
  readonly name?: string
  readonly target?: string
  readonly sync?: SyncState
  readonly health?: Health
  readonly phase?: Phase
  readonly suspended?: boolean
  readonly managedBy?: Stack['managedBy']
  /** A plan needs approval, or the stack waits for a new revision, another setting or a person. */
  readonly needs?: 'person'
}

/** `lastRun`: when the last run was queued. `-`: descending. Stacks with equal values are sorted by name. */
export const stackSorts = ['name', '-name', 'createdAt', '-createdAt', 'lastRun', '-lastRun'] as const
export type StackSort = (typeof stackSorts)[number]

/** Status that only the process knows; it is not stored. */
export interface LiveStatus {
  /** Why the last poll did not find a stack's ref, by stack. */
  readonly pollFailures: ReadonlyMap<string, Failure>
  /** Phases of the runs in progress, by run. */
  readonly inProgress: ReadonlyMap<string, Phase>
  /** Why stacks are not synced for now, by stack. */
  readonly blockers: ReadonlyMap<string, readonly RunBlocker[]>
}
