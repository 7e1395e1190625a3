import type { Phase } from './run.js'
import type { Wait } from './wait.js'
import type { Failure, Health, Stack, SyncState } from './stack.js'

/** Which stacks a list shows: those of which all that is given is true. */
export interface StackFilter {
  /** A part of the name. */
  readonly name?: string
  readonly target?: string
  readonly sync?: SyncState
  readonly health?: Health
  readonly phase?: Phase
  readonly suspended?: boolean
  readonly managedBy?: Stack['managedBy']
  /** A plan is held, or nothing goes on without a new revision, another setting or a person. */
  readonly needs?: 'person'
}

/** `lastRun`: by when the last run was queued. `-`: the other way round. Stacks that are equal in it come by name. */
export const stackSorts = ['name', '-name', 'createdAt', '-createdAt', 'lastRun', '-lastRun'] as const
export type StackSort = (typeof stackSorts)[number]

/** What only the process knows of stacks, not the database. */
export interface Fleeting {
  /** Why the last look did not see a stack's ref, by stack. */
  readonly lookFailures: ReadonlyMap<string, Failure>
  /** Phases of the runs in hand, by run. */
  readonly inHand: ReadonlyMap<string, Phase>
  /** Why what stacks have to do waits, by stack. */
  readonly waits: ReadonlyMap<string, readonly Wait[]>
}
