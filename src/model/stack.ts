import type { Consent } from './change.js'
import type { SourceSpec } from './source-spec.js'
import type { GivenValue } from './supplied.js'

/** A field that others own, in all resources of a family. `path`: as plans print it, `*` for any key or index. */
export interface Ignored {
  readonly family: string
  readonly path: string
}

/** A length of time that comes again and again, in which a stack may, or may not, be written. */
export interface SyncWindow {
  readonly kind: 'allow' | 'deny'
  /** When it begins: a cron expression. */
  readonly schedule: string
  readonly durationMs: number
  /** Absent: the stack's. */
  readonly timeZone?: string
  readonly reason?: string
  /** What a person asks for by name writes, though this window closes the stack. */
  readonly manual?: 'allow'
}

/** What a person declares of a stack: its document, with every default written out. */
export interface StackSpec {
  readonly name: string
  readonly displayName?: string
  readonly description?: string
  readonly target: string
  readonly sources: readonly SourceSpec[]
  /** How often the source is looked at. Default 60,000, least 5,000. */
  readonly intervalMs: number
  /** How often the target is looked at. Default 300,000, least 5,000. */
  readonly driftIntervalMs: number
  /** When it is synced, whatever else happens: a cron expression, or `never`. */
  readonly schedule: string
  /** Of the schedule, and of windows that name none: an IANA name. */
  readonly timeZone: string
  /** When it may be synced without a person asking. None: always. */
  readonly windows: readonly SyncWindow[]
  /** Names of stacks that are to be ready before this one is synced without a person asking. */
  readonly dependsOn: readonly string[]
  readonly drift: 'correct' | 'report' | 'ignore'
  readonly apply: 'auto' | 'approval'
  /** Absent: the platform's default. */
  readonly onFailure?: 'undo' | 'continue'
  readonly maxDeletes: number
  readonly adopt: 'allow' | 'refuse'
  readonly dataLoss: 'refuse' | 'allow'
  readonly ignore: readonly Ignored[]
  /** Addresses, or `Family/*`: their removal waits for a person. */
  readonly protect: readonly string[]
  /** By env key. For a stack of the configuration file, `${env:…}` and `${file:…}` in a text are replaced. */
  readonly values?: Readonly<Record<string, GivenValue>>
  /** By key of the target's secret store: `${env:…}` or `${file:…}`. Only in the configuration file. */
  readonly secrets?: Readonly<Record<string, string>>
}

/** What changes of the one source that has these fields. */
export interface SourcePatch {
  readonly kind?: SourceSpec['kind']
  readonly url?: string
  readonly ref?: string
  readonly path?: string
  readonly digest?: string
  readonly directory?: string
}

/** Settings given anew; what is absent stays as it is. `source` changes one source, `sources` the whole list. */
export interface StackSpecPatch {
  readonly source?: SourcePatch
  readonly sources?: readonly SourceSpec[]
  readonly target?: string
  readonly displayName?: string
  readonly description?: string
  readonly intervalMs?: number
  readonly driftIntervalMs?: number
  readonly schedule?: string
  readonly timeZone?: string
  readonly windows?: StackSpec['windows']
  readonly dependsOn?: StackSpec['dependsOn']
  readonly drift?: StackSpec['drift']
  readonly apply?: StackSpec['apply']
  readonly onFailure?: StackSpec['onFailure']
  readonly maxDeletes?: number
  readonly adopt?: StackSpec['adopt']
  readonly dataLoss?: StackSpec['dataLoss']
  readonly ignore?: StackSpec['ignore']
  readonly protect?: StackSpec['protect']
  readonly values?: StackSpec['values']
}

export const stackDefaults = {
  target: 'local',
  intervalMs: 60_000,
  driftIntervalMs: 300_000,
  schedule: 'never',
  timeZone: 'UTC',
  windows: [],
  dependsOn: [],
  drift: 'correct',
  apply: 'auto',
  maxDeletes: 10,
  adopt: 'allow',
  dataLoss: 'refuse',
  ignore: [],
  protect: [],
} as const

export interface Suspension {
  readonly reason: string
  readonly by: string
  /** Milliseconds since the epoch; null: until a person resumes. */
  readonly until: number | null
}

/** Why a stack is suspended that was uninstalled and stays: the next package that is handed over ends it, and so does a person who resumes. */
export const uninstalled = 'uninstalled'

/** A roll back, or a hold at a revision. */
export interface Pin {
  readonly run: string
  readonly revision: string
  readonly by: string
  readonly why: string
}

export type SyncState = 'Synced' | 'OutOfSync' | 'Drifted' | 'Unknown'
export type Health = 'Healthy' | 'Progressing' | 'Degraded' | 'Missing' | 'Unknown'

export interface Condition {
  readonly type: 'Ready' | 'Reconciling' | 'Stalled'
  readonly status: boolean
  readonly reason: string
  readonly message: string
}

/** A revision as the source has it: `content` is the id of what is below `path` (a git tree or blob), the same where nothing below it changed. */
export interface Seen {
  readonly revision: string
  readonly content: string
}

/** What a target holds. `files`: digest of the package files, which are kept; `place`: where they came from. */
export interface AppliedPackage extends Seen {
  readonly files: string
  readonly place: string
}

/** Why the last look or run of a stack did not end well, and what that means for the next. */
export interface Failure {
  /** Reason of the condition `Ready`. */
  readonly reason: string
  readonly code: string
  readonly message: string
  readonly hint?: string
  /** soon: retried with back-off; change: waits for a new revision, a changed setting or a person; person: a person must decide. */
  readonly retry: 'soon' | 'change' | 'person'
}

/** A stack as it is remembered. Times are milliseconds since the epoch. */
export interface Stack {
  /** 16 hex digits, fixed. */
  readonly id: string
  readonly spec: StackSpec
  readonly managedBy: 'api' | 'file'
  readonly createdAt: number
  readonly suspended: Suspension | null
  readonly pinned: Pin | null
  /** `place`: where its sources were; absent where that was not written down yet. */
  readonly observed: (Seen & { readonly place?: string }) | null
  /** `settings`: digest of what, beside the revision, decides an attempt. */
  readonly attempted: { readonly revision: string; readonly settings: string } | null
  /** `run`: the run that applied it. */
  readonly applied: (AppliedPackage & { readonly run: string }) | null
  readonly consent: Consent | null
  /** When live was last compared with what is applied. */
  readonly checkedAt: number | null
  /** What that comparison found, where it is not corrected. */
  readonly drifted: number
  readonly failure: Failure | null
  /** Failures in a row, and when to try again. */
  readonly retries: number
  readonly retryAt: number | null
}

/** Of a stack that has what is pushed to it and nothing else: nobody has pushed anything yet. No failure: it waits. */
export function awaitsPackage({ spec, observed, applied }: Pick<Stack, 'spec' | 'observed' | 'applied'>): boolean {
  return observed === null && applied === null && spec.sources.every(({ kind }) => kind === 'inline')
}
