import type { Counts, Plan } from './change.js'
import type { Problem } from './problem.js'

export type CauseKind =
  'created' | 'commit' | 'tag-moved' | 'directory-changed' | 'url-changed' | 'schedule' | 'drift' | 'person' | 'retry' | 'recovery'

/** Why a run is. `tag`: the one that was chosen where `ref` is a range of versions; `by`: who asked; `note`: what for ('roll back to run 12: bad dashboards'). */
export interface Cause {
  readonly kind: CauseKind
  readonly ref?: string
  readonly tag?: string
  readonly from?: string
  readonly to?: string
  readonly by?: string
  readonly note?: string
  /** A person asked for this run by name: it waits for no other stack. */
  readonly asked?: true
  /** What it would have waited for, in words. */
  readonly past?: string
  /** A person lets this run write though a sync window is closed: why. */
  readonly overrideWindow?: string
  /** No request waits for its end: it was approved while a window was closed. */
  readonly unattended?: true
}

export type Phase = 'queued' | 'fetching' | 'planning' | 'held' | 'applying' | 'undoing' | 'done'
export type Outcome = 'applied' | 'unchanged' | 'held' | 'failed' | 'undone' | 'superseded' | 'cancelled' | 'interrupted'

/** One attempt to bring a stack to a revision. Ids are decimal, ascending over all stacks. Times are milliseconds since the epoch. */
export interface Run {
  readonly id: string
  readonly stack: string
  readonly revision: string
  readonly cause: Cause
  readonly phase: Phase
  readonly outcome: Outcome | null
  readonly plan: Plan | null
  readonly changes: Counts | null
  readonly problems: readonly Problem[]
  /** Digest of the package files it read. */
  readonly files: string | null
  readonly createdAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
  /** What it does: brings the stack to the revision; removes all it owns; the same, and then forgets the stack; changes the stack's record alone. */
  readonly intent: 'sync' | 'uninstall' | 'delete' | 'record'
  /** The digest it was asked to carry out; another plan is stale. */
  readonly expects: string | null
}

/** An event of a template stack: a run that changed the target, or a change of the stack itself. */
export interface StackEvent {
  readonly eventType: 'create' | 'update' | 'uninstall'
  readonly run: string | null
  readonly name: string
  readonly description: string
  readonly resources: readonly EventResource[]
  readonly sources: readonly string[]
  /** What is fetched at each apply, beside what is handed over. */
  readonly urls: readonly string[]
  readonly updatedAt: number
}

export interface EventResource {
  readonly apiVersion: string
  readonly resourceID: string
  readonly kind: string
  readonly templateMetaName: string
  readonly associations: readonly { readonly kind: string; readonly metaName: string }[]
}
