// What the doors show of a stack, a run, a plan. Stable: `--json` prints these, the API's schemas describe them. Times
// are RFC 3339 in UTC.
import type { ChannelMove } from '../model/channel.js'
import type { Event } from '../model/event.js'
import type { WindowOverride, Cause, Outcome, Phase, TemplateStackEvent } from '../model/run.js'
import type { Change, Counts, FieldChange, ApprovalReason, Plan } from '../model/change.js'
import type { Check } from '../model/check.js'
import type { JsonObject } from '../model/json.js'
import type { LastChange } from '../model/resource.js'
import type { Problem } from '../model/problem.js'
import type { SourceSpec } from '../model/source-spec.js'
import type { Blocker } from '../model/blocker.js'
import type { MoveView } from './channel-views.js'
import type { Condition, Health, StackSpec, SyncState } from '../model/stack.js'

/**
 * As declared, and `revision`: the newest state that was seen of it; `tag`: the one that was chosen where the ref is a
 * range of versions; only where one stack is looked at.
 */
export type SourceView = SourceSpec & { readonly revision: string | null; readonly tag?: string }

export interface ResourceRow {
  readonly kind: string
  /** metaName */
  readonly name: string
  readonly displayName: string
  readonly id: string
}

export interface RunRow {
  readonly id: string
  readonly revision: string
  readonly cause: Cause
  readonly phase: Phase
  readonly outcome: Outcome | null
  readonly createdAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly changes: Counts | null
}

/** What came of an `apply`. `already`: this run carried the plan out before, and nothing was left to do. */
export interface AppliedRow extends RunRow {
  readonly already?: true
}

export interface RunView extends RunRow {
  readonly stack: string
  readonly intent: 'sync' | 'uninstall' | 'delete' | 'record'
  /** Why it does not begin, while it is queued. */
  readonly blockers: readonly (Omit<Blocker, 'until'> & { readonly until: string | null })[]
  readonly plan: PlanView | null
  readonly problems: readonly Problem[]
}

/** `changes` include parts (label mappings), which `counts` leave out. */
export interface PlanView extends Plan {
  readonly stackName: string
  readonly counts: Counts
  readonly changes: readonly Change[]
  readonly needsApproval: readonly ApprovalReason[]
  readonly ignored: NonNullable<Plan['ignored']>
  readonly sharedDrift: NonNullable<Plan['sharedDrift']>
  /** Warnings of the package. */
  readonly problems: readonly Problem[]
}

/** A package directory of a repository. `kinds`: how many documents of each; `problems`: its errors. */
export interface DiscoveredPackage {
  readonly path: string
  readonly kinds: Readonly<Record<string, number>>
  readonly problems: readonly Problem[]
  /** Packages below it that a stack of it would read, too. */
  readonly includes: readonly string[]
  /** A stack that reads it already. */
  readonly stack: string | null
  /** A free name for a stack of it. */
  readonly name: string
}

/**
 * What several packages declare under one name. `alike`: stacks of them would share it; else all but the first are
 * refused.
 */
export interface ClashView {
  readonly family: string
  readonly name: string
  readonly paths: readonly string[]
  readonly alike: boolean
}

export interface DiscoveryView {
  readonly url: string
  readonly ref: string
  readonly path: string
  readonly revision: string
  readonly packages: readonly DiscoveredPackage[]
  readonly clashes: readonly ClashView[]
}

/** The documents of an export, and warnings of what they leave out. */
export interface ExportView {
  readonly documents: readonly JsonObject[]
  readonly problems: readonly Problem[]
}

export interface StackView {
  readonly name: string
  readonly displayName: string
  readonly id: string
  readonly managedBy: 'api' | 'file'
  readonly createdAt: string
  readonly sources: readonly SourceView[]
  readonly target: string
  readonly sync: SyncState
  readonly health: Health
  readonly phase: Phase
  readonly suspended: { readonly reason: string; readonly by: string; readonly until: string | null } | null
  readonly pinned: { readonly run: string; readonly revision: string; readonly by: string; readonly why: string } | null
  readonly conditions: readonly Condition[]
  readonly revision: {
    readonly observed: string | null
    readonly attempted: string | null
    readonly applied: string | null
  }
  readonly resources: readonly ResourceRow[]
  readonly lastRun: RunRow | null
  readonly nextPollAt: string | null
  readonly checkedAt: string | null
  /** The stack's document, with defaults: what `stack get -o yaml` prints. */
  readonly spec: StackSpec
  /** Its events as a template stack, newest last. */
  readonly events: readonly TemplateStackEvent[]
}

/** A row of `stack list`: what needs no look at what the stack owns. */
export type StackRow = Omit<StackView, 'resources' | 'events' | 'spec'>

/**
 * `seenAt`: when what it is at was seen first; `lookedAt`: when it was looked at last, `problem`: what went wrong with
 * that; `move`: the last one of its channel.
 */
export interface FollowedView {
  readonly source: string
  readonly revision: string | null
  readonly tag?: string
  readonly observedAt: string | null
  readonly polledAt: string | null
  readonly problem: string | null
  readonly move: MoveView | null
}

export interface Explanation {
  readonly name: string
  readonly follows: readonly FollowedView[]
  /** The cause of the last run in words, and what came of it. */
  readonly lastRun: string
  /** What holds it: suspension, pin, held plan, failure, window, stacks that are not ready; empty: nothing. */
  readonly blockers: readonly { readonly reason: string; readonly message: string; readonly next: string }[]
  /** How its windows stand now, and until when; null: it has none. */
  readonly window: { readonly open: boolean; readonly until: string | null; readonly reason: string | null } | null
  /** The stacks it depends on. `why`: what keeps one from being ready; '' where it is. */
  readonly dependencies: readonly { readonly name: string; readonly ready: boolean; readonly why: string }[]
  readonly nextPollAt: string | null
  /** Why it is looked at later than the interval says. */
  readonly delays: readonly string[]
  readonly nextScheduleAt: string | null
  readonly nextDriftCheckAt: string | null
  readonly nextRetryAt: string | null
  /** Windows that requests without a run wrote past, the newest first. `past`: the window, in words. */
  readonly overrides: readonly (Omit<WindowOverride, 'at'> & { readonly at: string })[]
  readonly text: string
}

/** Why one thing is as it is. */
export interface ResourceExplanation {
  readonly address: string
  readonly kind: string
  readonly displayName: string
  readonly id: string
  /** Another stack owns it. */
  readonly shared: boolean
  /** It was there before the stack, and was taken over. */
  readonly adopted: boolean
  /** Its removal waits for a person. */
  readonly protected: boolean
  /**
   * null: applied by a version that did not remember it. `cause`: of the run, in words; null: that run is not kept any
   * more.
   */
  readonly lastChange: (Omit<LastChange, 'at'> & { readonly at: string; readonly cause: string | null }) | null
}

export interface ResourceDetail extends ResourceExplanation {
  readonly partOf: string | null
  readonly parts: readonly string[]
  readonly needs: readonly string[]
  readonly neededBy: readonly string[]
  /** Of what is shared: whose it is. */
  readonly owner: { readonly stack: string; readonly address: string } | null
  /** Stacks that share it. */
  readonly sharers: readonly string[]
  /** Its fields that others own. */
  readonly ignored: readonly string[]
  /** The fields of its last change, with their values; null: the plan is not kept any more. */
  readonly changes: readonly FieldChange[] | null
  /** What keeps its stack from going on, as `Explanation` has it. */
  readonly blockers: Explanation['blockers']
}

/** What the doctor found. */
export interface Diagnosis {
  readonly checks: readonly Check[]
  readonly worst: 'ok' | 'warning' | 'problem'
}

/**
 * A template stack of the InfluxDB API. `createdAt`: milliseconds since the epoch; `events`: at most the newest 500,
 * oldest first, at least one.
 */
export interface TemplateStackView {
  readonly id: string
  readonly orgID: string
  readonly createdAt: number
  readonly events: readonly TemplateStackEvent[]
}

export interface NewTemplateStack {
  readonly orgID: string
  /** Need not be unique, may be empty. */
  readonly name: string
  readonly description: string
  readonly urls: readonly string[]
}

/** `kind`: a kind or a family. */
export interface Adoptee {
  readonly kind: string
  readonly id: string
  /** Absent, or used by another resource of the stack: a name is made. */
  readonly metaName?: string
}

/**
 * What a stack gave up. `findsAgain`: a sync finds it by its name while the package declares it; else it makes another
 * one.
 */
export interface ReleasedResource {
  readonly run: RunRow
  readonly id: string
  readonly findsAgain: boolean
}

/** What is absent stays as it is. */
export interface TemplateStackChange {
  readonly name?: string
  readonly description?: string
  readonly urls?: readonly string[]
  readonly adopt: readonly Adoptee[]
  readonly untrack: readonly Pick<Adoptee, 'kind' | 'id'>[]
}

/**
 * An organisation of the InfluxDB API: the live system behind a target. `id`: 16 hex digits. `target`: the first target
 * that is declared of it.
 */
export interface OrganisationView {
  readonly id: string
  readonly name: string
  readonly target: string
}

/**
 * Something that happened. `open`: nothing was missed so far; `reset`: something was, and lists are to be read anew.
 * `run`: of `run.…`; `channel`: of `channel.moved`.
 */
export interface EventView {
  /** Give it as `after` to go on from here; of another process it is nothing. */
  readonly id: string
  readonly type: 'open' | 'reset' | Event['type']
  readonly at: string
  /** The name of the stack that it happened to. */
  readonly stack: string | null
  readonly run: RunRow | null
  readonly channel: Pick<ChannelMove, 'remote' | 'ref' | 'from' | 'to' | 'state'> | null
}

/** A thing on a target; `stack` and `address` where a stack owns it. */
export interface TargetResource {
  readonly target: string
  readonly family: string
  readonly id: string
  readonly displayName: string
  readonly stack: string | null
  readonly address: string | null
  readonly actual: object
}

export interface Page<T> {
  readonly items: readonly T[]
  /** Give it as `after` for the next page; null: this was the last. */
  readonly next: string | null
}
