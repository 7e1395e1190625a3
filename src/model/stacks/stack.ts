import { timeText } from '../../lib/text/time-text.js'
import type { Address } from '../address.js'
import type { RunBlocker } from './blocker.js'
import type { Consent } from '../resources/change.js'
import type { Phase } from './run.js'
import type { SourceSpec } from '../sources/source-spec.js'
import type { GivenValue, UnreadableInput } from '../resources/inputs.js'
import { isOwner, type ManagedBy } from './stack-owner.js'

/** An ignored field in all resources of a family. `path`: as plans print it, `*` for any key or index. */
export interface IgnoreRule {
  readonly family: string
  readonly path: string
}

/** A recurring period in which a stack may, or must not, be written. */
export interface SyncWindow {
  readonly kind: 'allow' | 'deny'
  /** When it begins: a cron expression. */
  readonly schedule: string
  readonly durationMs: number
  /** Absent: the stack's. */
  readonly timeZone?: string
  readonly reason?: string
  /** Manual commands write during this closed window. */
  readonly manual?: 'allow'
}

/** The declaration of a stack: its document with all defaults. */
export interface StackSpec {
  readonly name: string
  readonly displayName?: string
  readonly description?: string
  /** They select stacks in commands and lists; no run depends on them. */
  readonly labels: Readonly<Record<string, string>>
  readonly target: string
  readonly sources: readonly SourceSpec[]
  /** How often the source is polled. Default 60,000, minimum 5,000. */
  readonly intervalMs: number
  /** How often drift is checked. Default 300,000, minimum 5,000. */
  readonly driftIntervalMs: number
  /** Additional times of a sync: a cron expression, or `never`. */
  readonly schedule: string
  /** An IANA name, for the schedule and for windows without their own. */
  readonly timeZone: string
  /** When it may be synced automatically. None: always. */
  readonly windows: readonly SyncWindow[]
  /** Names of stacks that must be ready before this one is synced automatically. */
  readonly dependsOn: readonly string[]
  readonly drift: 'correct' | 'report' | 'ignore'
  readonly apply: 'auto' | 'approval'
  /** Absent: the platform's default. */
  readonly onFailure?: 'undo' | 'continue'
  readonly maxDeletes: number
  readonly adopt: 'allow' | 'refuse'
  readonly dataLoss: 'refuse' | 'allow'
  readonly ignore: readonly IgnoreRule[]
  /** Addresses, or `Family/*`: their removal needs approval. */
  readonly protect: readonly string[]
  /** By env key. For a stack of the configuration file, `${env:…}` and `${file:…}` in a text are replaced. */
  readonly values?: Readonly<Record<string, GivenValue>>
  /** By key of the target's secret store: `${env:…}` or `${file:…}`. Only in the configuration file. */
  readonly secrets?: Readonly<Record<string, string>>
}

/** A change of the one source that has these fields. */
export interface SourcePatch {
  readonly kind?: SourceSpec['kind']
  readonly url?: string
  readonly ref?: string
  readonly path?: string
  readonly digest?: string
  readonly directory?: string
}

/** A change of single labels; null removes one. */
export type LabelChange = Readonly<Record<string, string | null>>

type Resettable<Settings> = { readonly [Name in keyof Settings]?: Settings[Name] | null }

/**
 * New settings; absent ones stay, null resets one to its default. `source` changes one source, `sources` the whole
 * list. `setValues`, `setSecrets` and `unset` change single values and secrets, `setLabels` single labels, `addIgnore`
 * adds ignored fields; `values`, `secrets`, `labels` and `ignore` replace all.
 */
export interface StackSpecPatch extends Resettable<Omit<StackSpec, 'name' | 'sources'>> {
  readonly sources?: StackSpec['sources']
  readonly source?: SourcePatch
  readonly setValues?: StackSpec['values']
  readonly setSecrets?: StackSpec['secrets']
  /** Keys of values and secrets. */
  readonly unset?: readonly string[]
  readonly setLabels?: LabelChange
  readonly addIgnore?: StackSpec['ignore']
}

export interface Suspension {
  readonly reason: string
  readonly by: string
  /** Milliseconds since the epoch; null: until a person resumes. */
  readonly until: number | null
  /** When it began. Absent: a version that did not store it. */
  readonly at?: number
  /** The configuration file that declared the stack, if the agent was started with another one since. */
  readonly declaredIn?: string
  /** The suspension of a person that continues when the configuration file declares the stack again. */
  readonly before?: Suspension
}

/** ` by ann until 2026-01-01 05:00:00Z: lunch`, after `suspended`. An owner of stacks gives only its reason. */
export function suspensionText({ by, until, reason }: Omit<Suspension, 'before'>): string {
  const who = isOwner(by) ? '' : ` by ${by}`
  return `${who}${until === null ? '' : ` until ${timeText(until)}`}: ${reason}`
}

/** True if the configuration file or a fleet declared the stack and no longer does: its owner suspended it. */
export function isUndeclared(stack: {
  readonly managedBy: string
  readonly suspended: Pick<Suspension, 'by'> | null
}): boolean {
  return stack.managedBy !== 'api' && stack.suspended?.by === stack.managedBy
}

/** True if the suspension blocks a run with this intent. A stack that is no longer declared can be uninstalled. */
export function suspends(stack: Pick<Stack, 'managedBy' | 'suspended'>, intent: string | undefined): boolean {
  return stack.suspended !== null && !(intent === 'delete' && isUndeclared(stack))
}

/** The reason of a suspension after an uninstall. The next push ends it, and so does a person who resumes. */
export const uninstalled = 'uninstalled'

export function isUninstalled({ suspended }: Pick<Stack, 'suspended'>): boolean {
  return suspended !== null && isUninstall(suspended.reason)
}

/** Why an uninstall suspended a stack. */
export function isUninstall(why: string): boolean {
  return why === uninstalled
}

/** A rollback, or a revision at which the stack is kept. */
export interface Pin {
  readonly run: string
  readonly revision: string
  readonly by: string
  readonly why: string
  /** When it began, in milliseconds since the epoch. Absent: a version that did not store it. */
  readonly at?: number
}

export type SyncState = 'Synced' | 'OutOfSync' | 'Drifted' | 'Unknown'
export type Health = 'Healthy' | 'Progressing' | 'Degraded' | 'Missing' | 'Unknown'

export interface Condition {
  readonly type: 'Ready' | 'Reconciling' | 'Stalled' | 'Healthy'
  readonly status: boolean
  readonly reason: string
  readonly message: string
}

/** A revision of a source. `content`: the id of what is below `path` (a git tree or blob), equal if nothing changed. */
export interface ObservedRevision {
  readonly revision: string
  readonly content: string
}

/** An applied package. `files`: digest of the stored package files; `place`: the sources. */
export interface AppliedPackage extends ObservedRevision {
  readonly files: string
  readonly place: string
}

/** Why the last poll or run of a stack failed, and when the next one begins. */
export interface Failure {
  /** Reason of the condition `Ready`. */
  readonly reason: string
  readonly code: string
  readonly message: string
  readonly hint?: string
  /** The existing ref or path of which the missing one is probably a typo. */
  readonly suggestion?: string
  /** soon: with backoff; change: after a new revision, a changed setting or a person; person: a person must decide. */
  readonly retry: 'soon' | 'change' | 'person'
  /** When the first of such failures in a row happened, in ms since the epoch; absent: unknown. */
  readonly since?: number
}

/** A resource that does not work. `reason`: one sentence. */
export interface UnhealthyResource {
  readonly address: Address
  readonly reason: string
}

/** Resources that do not work: how many, and the first of them by address. */
export interface Unhealthy {
  readonly count: number
  readonly first: readonly UnhealthyResource[]
}

/** What people and programs wait for. `healthy`: synced, and a check after that found nothing unhealthy. */
export const awaitedStates = ['synced', 'healthy'] as const
export type AwaitedState = (typeof awaitedStates)[number]

/** A stored stack. Times are milliseconds since the epoch. */
export interface Stack {
  /** 16 hex digits, fixed. */
  readonly id: string
  readonly spec: StackSpec
  readonly managedBy: ManagedBy
  readonly createdAt: number
  readonly suspended: Suspension | null
  readonly pinned: Pin | null
  /** Digest of the newest pushed package. */
  readonly pushed: string | null
  /** `place`: its sources; absent if an older version did not store them. */
  readonly observed: (ObservedRevision & { readonly place?: string }) | null
  /** `settings`: digest of the settings that, beside the revision, decide an attempt. */
  readonly attempted: { readonly revision: string; readonly settings: string } | null
  /** `run`: the run that applied it. */
  readonly applied: (AppliedPackage & { readonly run: string }) | null
  readonly consent: Consent | null
  /** When the actual state was last compared with the applied one. */
  readonly checkedAt: number | null
  /** Differences that this comparison found and that are not corrected. */
  readonly drifted: number
  /** When they were first found, through all checks that found some since; null: there are none. */
  readonly driftedSince: number | null
  /** What `checkedAt` found that does not work; null: nothing. */
  readonly unhealthy: Unhealthy | null
  /** When something was first unhealthy, through all checks that found some since; null: nothing is. */
  readonly unhealthySince: number | null
  readonly failure: Failure | null
  /** Failures in a row, and the time of the next retry. */
  readonly retries: number
  readonly retryAt: number | null
}

/** True for a stack with only an inline source that has no push yet. This is not a failure. */
export function awaitsPackage({ spec, observed, applied }: Pick<Stack, 'spec' | 'observed' | 'applied'>): boolean {
  return observed === null && applied === null && spec.sources.every(({ kind }) => kind === 'inline')
}

/** A condition of a selector. `differs`: also true without the label. */
export type LabelCondition =
  | { readonly operator: 'equals' | 'differs'; readonly key: string; readonly value: string }
  | { readonly operator: 'exists' | 'absent'; readonly key: string }

/** Filters of a list of stacks, combined with AND. */
export interface StackFilter {
  /** Only stacks of these names. */
  readonly names?: readonly string[]
  /** A part of the name. */
  readonly name?: string
  readonly target?: string
  readonly sync?: SyncState
  readonly health?: Health
  readonly phase?: Phase
  readonly suspended?: boolean
  readonly managedBy?: Stack['managedBy']
  /** What is true of its labels. */
  readonly selector?: readonly LabelCondition[]
  /** Only stacks with a source at this path, or below it. */
  readonly path?: string
  /** Only stacks that follow this ref. */
  readonly follows?: FollowedRef
}

/** A ref under the addresses with which stacks declare its repository. */
export interface FollowedRef {
  readonly urls: readonly string[]
  readonly ref: string
}

/**
 * `lastRun`: when the last run was queued; `lag`: how long the desired revision has not been applied; `needs`: the
 * state, `-needs` begins with failed stacks; `package`: where its sources are. `-`: descending. Stacks with equal
 * values are sorted by name; of `-lag` and `-needs` from A to Z.
 */
const sortKeys = ['name', 'createdAt', 'lastRun', 'lag', 'needs', 'target', 'package'] as const
export const stackSorts = sortKeys.flatMap((key) => [key, `-${key}`] as const)
export type StackSort = (typeof stackSorts)[number]

/** Status that only the process knows; it is not stored. */
export interface LiveStatus {
  /** Why the last poll did not find a stack's ref, by stack. */
  readonly pollFailures: ReadonlyMap<string, Failure>
  /** Phases of the runs in progress, by run. */
  readonly inProgress: ReadonlyMap<string, Phase>
  /** Why stacks are not synced for now, by stack. */
  readonly blockers: ReadonlyMap<string, readonly RunBlocker[]>
  /** Inputs of stacks that cannot be read now, by stack. */
  readonly unreadableInputs: ReadonlyMap<string, readonly UnreadableInput[]>
}
