// What use cases need from the agent, which decides when polls and runs start. The agent implements it.
import type { Channel, ChannelChange } from '../model/sources/channel.js'
import type { Fleet } from '../model/stacks/fleet.js'
import type { NumberedEvent, TargetEvent } from '../model/stacks/event.js'
import type { UnreadableInput } from '../model/resources/inputs.js'
import type { Stopped, SyncError } from '../model/errors.js'
import type { Notification, NotificationOutcome } from '../model/agent/notification.js'
import type { Phase, Run } from '../model/stacks/run.js'
import type { LiveStatus, Failure, Stack } from '../model/stacks/stack.js'
import type { RunBlocker } from '../model/stacks/blocker.js'
import type { ChannelPolicy, NamedChannel } from '../channel/channel-policy.js'
import type { SourceRevision } from '../source/source.js'

export interface Scheduler {
  readonly polls: Polls
  readonly fleets: FleetListings
  readonly channels: ChannelStates
  readonly runs: RunQueue
  readonly events: Events
  readonly live: LiveFacts
  /** Why gitmoor does nothing for the stack; undefined: it does. */
  refusal(stack: Stack): SyncError | undefined
  /** The stack is new, or its settings changed. */
  follow(stack: Stack): void
  /** The stack was deleted. */
  unfollow(stack: string): void
  /** Unfinished runs of the last process are queued, timers run, and the stacks of the file are declared. */
  readonly started: boolean
  readonly stopping: boolean
}

/** Polls of remotes: requests for the revisions that their refs are at. */
export interface Polls {
  /**
   * Polls the stack's remotes by requests that begin after this call. Rejects if a source of the stack is unreachable.
   */
  poll(stack: Stack, signal: AbortSignal): Promise<void>
  /**
   * A notification about a change: polls the remote, again for up to a minute until it shows the change. Notifications
   * at the same time share polls. Never rejects.
   */
  notify(remote: string, notification: Notification): Promise<NotificationOutcome>
  /** The released revisions of refs that a source polled. Nothing is stored. */
  released(
    remote: string,
    polled: ReadonlyMap<string, SourceRevision | Error>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, SourceRevision | Error>>
  /** Carries out a person's decision about a channel. Returns the resulting runs. Errors: those of `decide`. */
  decide(remote: string, decision: DecisionRequest): Promise<readonly Run[]>
  /** The ids of the stacks that follow each remote. */
  readonly followers: ReadonlyMap<string, ReadonlySet<string>>
  /** When the first of the stack's remotes is polled next. */
  nextAt(stack: Stack): number | null
  /**
   * When a requested poll of one of the stack's remotes begins, in milliseconds since the epoch; null: none waits. It
   * waits because the last poll failed.
   */
  requestedAt(stack: Stack): number | null
  /** Remotes whose next poll is later than their interval says. */
  readonly delays: ReadonlyMap<string, PollDelay>
  /** Remotes of which a webhook reported a change before polling found it, with the webhook's name. */
  readonly provenWebhooks: ReadonlyMap<string, string>
  /** The last poll of the remote; undefined: there was none since the start. */
  last(remote: string): RemotePoll | undefined
  /** The remote whose poll is most overdue; undefined: polls are on time. */
  readonly late: { readonly remote: string; readonly lateMs: number } | undefined
  /** How long ago the oldest poll that is due or in progress was due, in milliseconds; 0: none is. */
  readonly oldestMs: number
}

/** Listings of fleets. */
export interface FleetListings {
  /**
   * The fleet is new, or its declaration or the targets changed: it is listed now, or after a poll that begins now.
   */
  follow(fleet: Fleet): void
  /** The fleet is no longer declared, or was deleted. */
  unfollow(name: string): void
  /** Does the work while the fleet is not listed. */
  exclusively<T>(fleet: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>
  /** The refs of fleets that follow a remote. */
  refsAt(remote: string): readonly string[]
}

/** What is known of the channels that stacks follow. */
export interface ChannelStates {
  /** The channel, if stacks do not follow its newest move. */
  blockedMove(remote: string, ref: string): Channel | undefined
  /** Remotes with a channel whose newest move stacks do not follow. */
  readonly blockedRemotes: ReadonlySet<string>
  policyOf(channel: NamedChannel): ChannelPolicy
  /** The other addresses under which stacks follow, or followed, the remote's repository. */
  otherAddresses(remote: string): readonly string[]
  /** What the channel becomes after a decision of a person. Stores nothing. */
  after(decided: ChannelChange, signal: AbortSignal): Promise<Channel>
}

/** Runs of stacks, one at a time for each stack. */
export interface RunQueue {
  /** Checks what is due for the stack, and runs it. */
  wake(stack: string): void
  /** When the worker of the stack is woken by time; null: it works, or nothing is due later. */
  nextAt(stack: string): number | null
  /** A run was queued: it supersedes an older one in progress. */
  add(run: Run): void
  /** A request changed what the stack owns, or deletes it: stacks that its ownership stopped are retried. */
  ownershipChanged(stack: Stack): Promise<void>
  /** Stops the run in progress; resolves when it has ended. */
  stop(stack: string, why: Stopped): Promise<void>
  /** Does the work while no run of the stack is in progress. */
  exclusively<T>(stack: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

export interface Events {
  /** The id of the last event: an `after` for `subscribe`. */
  readonly lastId: string
  /**
   * Calls the listener for each event from now on. `after`: the id of the last event that the listener knows; later
   * ones are replayed before this returns.
   */
  subscribe(after: string | undefined, listener: (event: NumberedEvent) => void): Subscription
  /** A client changed a resource of a target. */
  targetChanged(event: TargetEvent): void
  /** A request stored something about the stack, or a run of it, that the run queue does not know. */
  stackChanged(stack: string): void
  /** Resolves at the next change of the stack. */
  nextChange(stack: string, signal: AbortSignal): Promise<void>
}

/** Live status of stacks, and of single ones. */
export interface LiveFacts extends LiveStatus {
  /** The phase of a run in progress. */
  phaseOf(run: Pick<Run, 'id' | 'stack'>): Phase | undefined
  /** Why the last poll of the stack's sources failed. */
  pollFailure(stack: string): Failure | undefined
  /** A drift check of the stack is in progress that queues a correction of what it finds. */
  isCorrecting(stack: string): boolean
  /** Why the stack is not synced automatically for now. */
  blockersOf(stack: string): readonly RunBlocker[]
  /** Secrets and values that the settings of the stack refer to, and that cannot be read now. */
  unreadableInputsOf(stack: string): readonly UnreadableInput[]
}

/** The last poll of a remote: when it began (milliseconds since the epoch), how long it took, and why it failed. */
export interface RemotePoll {
  readonly remote: string
  readonly at: number
  readonly ms: number
  readonly failure: Failure | null
}

/**
 * Why a poll is later than the interval says. `webhook`: a proven webhook reports changes; `retry-after`: the server
 * asked for it (Retry-After); `crashed`: the agent crashed while it read the remote; `unreachable`: its host is;
 * `throttled`: polls of its host are throttled.
 */
export const pollDelays = ['webhook', 'retry-after', 'crashed', 'unreachable', 'throttled'] as const
export type PollDelay = (typeof pollDelays)[number]

/**
 * A person's decision about a channel. `decide` is given the stored channel, and rejects with `Refused`. `accept` is
 * given what the policy makes of the decision; nothing is stored if it throws.
 */
export interface DecisionRequest {
  readonly ref: string
  readonly decide: (channel: Channel) => Promise<ChannelChange>
  readonly accept?: (channel: Channel) => void
}

/** `id`: of the last event before it began; `missed`: some events after `after` are no longer known. */
export interface Subscription {
  readonly id: string
  readonly missed: boolean
  readonly stop: () => void
}
