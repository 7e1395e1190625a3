// All that looks at remotes, put together: what stacks follow, when it is looked at, what the gate lets through, what
// was told of it.
import type { Clock } from '../../lib/clock.js'
import type { Stack } from '../../model/stack.js'
import type { ChannelPolicy } from '../../channel/channel-policy.js'
import type { Source } from '../../source/source.js'
import type { RefTips } from '../../source/ref-tips.js'
import type { Store } from '../../store/store.js'
import type { Log } from '../watch/log.js'
import type { Meters } from '../watch/meters.js'
import type { Timers } from '../schedule/schedule.js'
import { ChannelPolicies, type PolledRefs } from './channel-policies.js'
import { withRetryAfter } from './with-retry-after.js'
import { Notifications } from './notifications.js'
import { CachedRefTips } from './cached-ref-tips.js'
import { MoveFacts } from './move-facts.js'
import { Poller, type PollerDeps } from './poll.js'
import { LastPolls } from './last-polls.js'
import { RemotePolls } from './remote-polls.js'

export interface PollingDeps extends Pick<PollerDeps, 'onMoved' | 'onRun' | 'onChanged' | 'keep'> {
  readonly source: Source
  readonly refTips: RefTips
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly meters: Meters
  /** 0 to 1, for jitter. */
  readonly random: () => number
  readonly timetable: Timers
  /** Looks at one host in a second. */
  readonly pollsPerHost: number
  /** The agent stops: ends what is under way. */
  readonly stop: AbortSignal
  /** Why a stack is left alone, whatever it follows. Default: none is. */
  readonly refusal?: (stack: Stack) => Error | undefined
}

export class Polling {
  readonly #keep: PollingDeps['keep']
  readonly #refusal: (stack: Stack) => Error | undefined
  /** It notes what a host asks for, whoever asked it. */
  readonly source: Source
  readonly lastPolls = new LastPolls()
  readonly policies: ChannelPolicies
  readonly poller: Poller
  readonly polls: RemotePolls
  readonly notifications: Notifications

  constructor(deps: PollingDeps) {
    const { store, clock, log, pollsPerHost } = deps
    this.#keep = deps.keep
    this.#refusal = deps.refusal ?? ((): undefined => undefined)
    const source = withRetryAfter(deps.source, (remote, error) => this.polls.unavailable(remote, error))
    this.source = source
    const refTips = new CachedRefTips(deps.refTips)
    this.policies = new ChannelPolicies({ store, clock, log, refTips })
    const shared = { ...deps, source, health: this.lastPolls, gate: this.policies }
    this.poller = new Poller({ ...shared, facts: new MoveFacts({ store, source, log, refTips }) })
    this.polls = new RemotePolls({
      ...shared,
      poller: this.poller,
      notificationsFor: (remote) => this.notifications.of(remote),
      pollsPerHost,
    })
    this.notifications = new Notifications({ ...deps, poll: (remote, signal) => this.polls.poll(remote, signal) })
  }

  /** False: a source of it is refused. */
  follow(stack: Stack, isStart = false): boolean {
    try {
      this.polls.follow(stack, this.#remotesOf(stack), isStart)
    } catch (error) {
      this.polls.unfollow(stack.id)
      this.#keep(this.poller.refuse(stack, error))
      return false
    }
    return true
  }

  unfollow(stack: string): void {
    this.polls.unfollow(stack)
    this.poller.remove(stack)
  }

  /**
   * From now on these policies count, also for an agent that is started without the file. What is held back is decided
   * again by them.
   */
  setChannelPolicies(policies: readonly ChannelPolicy[]): void {
    for (const remote of this.policies.setPolicies(policies)) this.#keep(this.polls.channelsDue(remote))
    this.#keep(this.policies.storePolicies(policies))
  }

  /** At all remotes of a stack. Throws why one was not seen. */
  async look(stack: Stack, signal: AbortSignal): Promise<void> {
    await Promise.all(this.#remotesOf(stack).map((remote) => this.polls.poll(remote, signal)))
    const failed = this.poller.failure(stack.id)
    if (failed !== undefined) throw failed.error
  }

  /** What stacks would be offered of these refs now; nothing is written down. */
  async releasedTips(remote: string, refs: readonly string[], signal: AbortSignal): Promise<PolledRefs> {
    const seen = await this.source.poll(remote, refs, signal)
    return (await this.policies.decide(remote, seen, () => 'person', signal)).offered
  }

  /** Throws what is refused. */
  #remotesOf(stack: Stack): readonly string[] {
    const { spec } = stack
    const refused = this.#refusal(stack)
    if (refused !== undefined) throw refused
    return [...new Set(spec.sources.map((source) => this.source.remoteOf(source, spec.name)))]
  }
}
