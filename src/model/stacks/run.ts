import type { Counts, Plan, RevisionDecision } from '../resources/change.js'
import { directionNote, type Direction } from '../sources/channel.js'
import type { Problem } from '../problem.js'
import { shortRevision } from '../sources/revision.js'
import { isOwner, ownerText } from './stack-owner.js'

export const causeKinds = [
  'created',
  'commit',
  'tag-moved',
  'directory-changed',
  'url-changed',
  'schedule',
  'drift',
  'person',
  'retry',
  'recovery',
] as const

export type CauseKind = (typeof causeKinds)[number]

/**
 * Why a run was queued. `tag`: the chosen tag, if `ref` is a version range; `by`: who requested it, or promoted the
 * tag; `note`: its purpose ('rollback to run 12: bad dashboards').
 */
export interface Cause {
  readonly kind: CauseKind
  readonly ref?: string
  readonly tag?: string
  readonly from?: string
  readonly to?: string
  /** Of `to`, seen from `from`. Not stored: it is read after the run was queued, and added where the run is shown. */
  readonly direction?: Direction
  readonly by?: string
  readonly note?: string
  /** The decision that moves the stack to the revision of this run. */
  readonly decision?: RevisionDecision
  /** A person requested this run: it does not wait for other stacks, unless `awaitsDependencies`. */
  readonly requested?: true
  /** Requested together with other stacks: it waits for those that its stack depends on. */
  readonly awaitsDependencies?: true
  /** What it would have waited for, in words. */
  readonly overrode?: string
  /** The reason why a person lets this run write during a closed sync window, if one is closed. */
  readonly overrideWindow?: string
  /** A sync window was closed when this run went on to write. */
  readonly overrodeWindow?: true
  /** No request waits for its end: it was approved while a window was closed. */
  readonly unattended?: true
}

/** The cause in words: `tag stable moved from 2f1c9ab to 81d0c3e`, `requested by ann: roll back to run 12`. */
export function causeText(cause: Cause): string {
  const by = cause.by === undefined ? '' : ` by ${isOwner(cause.by) ? ownerText(cause.by) : cause.by}`
  const note = cause.note === undefined || cause.note === '' ? '' : `: ${cause.note}`
  return `${causeWords(cause)}${by}${note}${overrideText(cause)}`
}

function overrideText({ overrode, overrideWindow, overrodeWindow }: Cause): string {
  const blocker = overrode?.replace(/\.$/, '')
  if (overrideWindow === undefined) return blocker === undefined ? '' : `; overrode a blocker: ${blocker}`
  if (blocker !== undefined) return `; overrode a blocker (${overrideWindow}): ${blocker}`
  return `; ${overrodeWindow === true ? 'overrode a closed window' : 'may override closed windows'}: ${overrideWindow}`
}

function causeWords({ kind, ref, tag, from, to, direction }: Cause): string {
  const origin = from === undefined ? '' : ` from ${shortRevision(from)}`
  const move = to === undefined ? origin : `${origin} to ${shortRevision(to)}${directionNote(direction ?? null)}`
  switch (kind) {
    case 'created':
    case 'schedule':
    case 'drift':
    case 'retry':
    case 'recovery':
      return kind
    case 'commit':
      return `new commit on ${ref ?? 'its ref'}${move}`
    case 'tag-moved':
      return tag === undefined
        ? `tag${ref === undefined ? '' : ` ${ref}`} moved${move}`
        : `${tag} is the highest version in ${ref ?? 'its range'}, moved${move}`
    case 'directory-changed':
      return 'directory changed'
    case 'url-changed':
      return 'file at the URL changed'
    case 'person':
      return 'requested'
  }
}

export const phases = ['queued', 'fetching', 'planning', 'needs-approval', 'applying', 'undoing', 'done'] as const

export type Phase = (typeof phases)[number]

export const outcomes = [
  'applied',
  'unchanged',
  'needs-approval',
  'failed',
  'undone',
  'superseded',
  'cancelled',
  'interrupted',
] as const

export type Outcome = (typeof outcomes)[number]

/** An attempt to bring a stack to a revision. Ids are decimal and ascending. Times are milliseconds since the epoch. */
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
  /** Digest of the package files that it read. */
  readonly files: string | null
  readonly createdAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
  /**
   * Apply the revision; remove all resources; remove them and delete the stack; change names, ownership, a single
   * resource, or only the stack itself: its settings, its suspension.
   */
  readonly intent: 'sync' | 'uninstall' | 'delete' | 'ownership'
  /** The digest of the plan to carry out; another plan is stale. */
  readonly expects: string | null
}

/**
 * The right to write the journal of a stack. Each lease of a stack has a higher token than the one before it, which it
 * ends: a process that was stopped meanwhile can no longer write.
 */
export interface Lease {
  readonly stack: string
  readonly token: number
  /** Absent: an interrupted run is recovered before a plan that no run carries out. */
  readonly run?: string
}

/** A lease that also lets its holder write a run. */
export interface RunLease extends Lease {
  readonly run: string
}

/** A run that this process carries out. */
export interface LeasedRun extends Run {
  readonly lease: RunLease
}

/** What a stack owns after a run that changed the target, or after a change of the stack itself. */
export interface OwnershipEvent {
  readonly eventType: 'create' | 'update' | 'uninstall'
  readonly run: string | null
  readonly name: string
  readonly description: string
  readonly resources: readonly OwnershipEventResource[]
  readonly sources: readonly string[]
  /** Package files that are fetched at each apply, beside the pushed ones. */
  readonly urls: readonly string[]
  readonly updatedAt: number
}

/** Its fields have the names that are stored. */
export interface OwnershipEventResource {
  readonly resourceID: string
  readonly kind: string
  readonly templateMetaName: string
  readonly associations: readonly { readonly kind: string; readonly metaName: string }[]
}

/** How events list families: needs of `associated` ones are associations; `unlisted` ones are left out. */
export interface EventFamilies {
  readonly associated: readonly string[]
  readonly unlisted: readonly string[]
}

export const noEventFamilies: EventFamilies = { associated: [], unlisted: [] }

/** A write during a closed window that a person allowed and that is not part of a run. `at`: ms since the epoch. */
export interface WindowOverride {
  readonly at: number
  readonly by: string
  /** `edit Bucket/raw`. */
  readonly what: string
  readonly why: string
  /** The closed window, in words. */
  readonly overrode: string
}
