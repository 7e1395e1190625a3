import type { Channel, ChannelChange } from '../model/channel.js'
import type { NumberedEvent } from '../model/event.js'
import type { Stopped } from '../model/errors.js'
import type { Notification, NotificationOutcome } from '../model/notification.js'
import type { Phase, Run } from '../model/run.js'
import type { LiveStatus } from '../model/stack-query.js'
import type { Blocker } from '../model/blocker.js'
import type { Failure, Stack } from '../model/stack.js'
import type { ChannelPolicy, NamedChannel } from '../channel/channel-policy.js'
import type { SourceRevision } from '../source/source.js'

/**
 * How a look at a remote went: when it began (milliseconds since the epoch), how long the remote took to answer, and
 * why it did not.
 */
export interface RemotePoll {
  readonly remote: string
  readonly at: number
  readonly ms: number
  readonly failure: Failure | null
}

/**
 * Why a look comes later than the interval says: its webhook is proven; it failed; its host asked for peace, or cannot
 * be reached; or others are before it.
 */
export const pollDelays = ['stretched', 'asked', 'crashed', 'unreachable', 'turn'] as const
export type PollDelay = (typeof pollDelays)[number]

/**
 * What is decided about one channel, given as it is when its turn comes. `decide` rejects with `Refused` where that
 * cannot be.
 */
export interface DecisionRequest {
  readonly ref: string
  readonly decide: (channel: Channel) => Promise<ChannelChange>
}

/**
 * Who listens. `id`: where it begins; `missed`: more happened since `after` than is remembered, or in another process.
 */
export interface Subscription {
  readonly id: string
  readonly missed: boolean
  readonly stop: () => void
}

/** What the verbs ask of the agent, which decides when things run. */
export interface Scheduler {
  /**
   * Looks at the stack's remote, by a request that begins after this call. Rejects with the reason why this stack could
   * not be seen.
   */
  poll(stack: Stack, signal: AbortSignal): Promise<void>
  /**
   * Somebody told of a change: the remote is looked at, again for up to a minute while it does not show it. One look
   * serves all who told meanwhile. Never rejects.
   */
  notify(remote: string, hint: Notification): Promise<NotificationOutcome>
  /** All remotes that stacks follow, with the ids of their stacks. */
  readonly followers: ReadonlyMap<string, ReadonlySet<string>>
  /**
   * What refs stand for as far as it is released, by one request; nothing is written down. Errors: those of
   * `Source.look`.
   */
  releasedTips(
    remote: string,
    refs: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, SourceRevision | Error>>
  /** A person decides about a channel; what follows from that begins at once. Errors: those of `decide`. */
  decide(remote: string, deciding: DecisionRequest): Promise<void>
  /** The channel, where its newest move is not what stacks follow. */
  blockedMove(remote: string, ref: string): Channel | undefined
  policyOf(channel: NamedChannel): ChannelPolicy
  /** The other addresses under which the repository of a remote is, or was, followed. */
  otherAddresses(remote: string): readonly string[]
  /** Something may be due for the stack. */
  wake(stack: string): void
  /** Ends the run in hand, if there is one; resolves when it has ended. */
  stop(stack: string, why: Stopped): Promise<void>
  /** Nothing runs for the stack meanwhile. */
  exclusively<T>(stack: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>
  /** Settings changed, or the stack is new. */
  follow(stack: Stack): void
  unfollow(stack: string): void
  /** The phase of a run in hand. */
  phaseOf(run: Pick<Run, 'id' | 'stack'>): Phase | undefined
  /** Why the last look did not see the stack's ref. */
  pollFailure(stack: string): Failure | undefined
  /** Why what the stack has to do waits. */
  blockers(stack: string): readonly Blocker[]
  /** All of that, of all stacks, as it is now. */
  readonly liveStatus: LiveStatus
  nextPollAt(stack: Stack): number | null
  /** Remotes whose next look comes later than the interval says. */
  readonly delayedPolls: ReadonlyMap<string, PollDelay>
  /** Remotes of which a webhook, by its name, told a change before a look had found it, since the agent started. */
  readonly provenWebhooks: ReadonlyMap<string, string>
  /** The last look at the remote; undefined: there was none yet. */
  lastPoll(remote: string): RemotePoll | undefined
  /** A remote that should have been looked at long ago: time is not kept. */
  readonly latePoll: { readonly remote: string; readonly lateMs: number } | undefined
  /** How long ago the oldest look that is due or under way was due, in milliseconds; 0: none is. */
  readonly oldestPollMs: number
  /**
   * Told of everything that happens from now on. `after`: the last happening that the listener knows; what came since
   * is told before this returns.
   */
  subscribe(after: string | undefined, listener: (happening: NumberedEvent) => void): Subscription
  /** Resolves when something about the stack changes. */
  nextChange(stack: string, signal: AbortSignal): Promise<void>
  /** What the last process left unfinished was looked at, and time is kept. */
  readonly started: boolean
  readonly stopping: boolean
}
