// When remotes are polled: at their interval, and at once after a notification, a change of a watched directory, or a
// request. Each remote has one poll at a time; concurrent requests share it.
import type { Clock } from '../../lib/clock.js'
import { orAborted } from '../../lib/async/or-aborted.js'
import { describeError } from '../../model/errors.js'
import type { Fleet } from '../../model/stacks/fleet.js'
import type { Notification, NotificationOutcome } from '../../model/agent/notification.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack } from '../../model/stacks/stack.js'
import { fleetOwner } from '../../model/stacks/stack-owner.js'
import type { Source, UsedRemotes } from '../../source/source.js'
import type { DecisionRequest, PollDelay, Polls, RemotePoll } from '../../stacks/scheduler.js'
import type { Store } from '../../store/store.js'
import { jittered } from '../schedule/backoff.js'
import type { PolledFleets } from '../fleets/fleets.js'
import type { Timers } from '../schedule/schedule.js'
import type { Tasks } from '../schedule/tasks.js'
import type { Live } from '../watch/live.js'
import type { Log } from '../watch/log.js'
import type { ChannelPolicies, PolledRefs } from './channels/channel-policies.js'
import { DirectoryWatches } from './directory-watches.js'
import { Followers } from './followers.js'
import type { Hosts } from '../hosts/hosts.js'
import { firstPollMs } from './timers/next-poll.js'
import { Notifications } from './notifications.js'
import type { LatePoll } from './timers/overdue-polls.js'
import { PollRequests } from './poll-requests.js'
import { PollTimers } from './timers/poll-timers.js'
import type { Poller, PollOutcome } from './poll.js'
import { SharedPolls } from './shared-polls.js'
import { storedRemotes, stackRemotes } from './stack-remotes.js'

export interface RemotePollsDeps {
  readonly source: Source
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly random: () => number
  readonly timers: Timers
  readonly tasks: Tasks
  readonly live: Live
  readonly hosts: Hosts
  readonly channels: ChannelPolicies
  readonly poller: Poller
  readonly fleets: PolledFleets
  /** How long a read of a remote that the agent crashed on waits: its first poll comes after that. */
  readonly readWaitMs: (remote: string) => number
  /** Why a stack is not polled; undefined: it is. */
  readonly refusal: ((stack: Stack) => Error | undefined) | undefined
  /** The agent stops: aborts polls in progress. */
  readonly stop: AbortSignal
}

const afterFaultMs = 5_000

/** A stack by its id, or a fleet. */
interface Follower {
  readonly id: string
  readonly intervalMs: number
}

export class RemotePolls implements Polls {
  readonly #deps: RemotePollsDeps
  readonly #followers = new Followers()
  readonly #notifications: Notifications
  readonly #polls = new SharedPolls<PollOutcome | undefined>()
  readonly #watches: DirectoryWatches
  readonly #timers: PollTimers
  readonly #requests: PollRequests

  constructor(deps: RemotePollsDeps) {
    this.#deps = deps
    this.#timers = new PollTimers(deps)
    this.#requests = new PollRequests(deps)
    this.#notifications = new Notifications({ ...deps, poll: (remote, signal) => this.#pollRequested(remote, signal) })
    this.#watches = new DirectoryWatches({ ...deps, onChange: (remote) => this.#timers.atLatest(remote, 0) })
  }

  /**
   * The stack follows the remotes of its sources from now on, and no others: new ones are polled now. False: it is
   * refused, and follows none. `isStart`: so many stacks come at once that their first polls are spread.
   */
  follow(stack: Stack, isStart = false): boolean {
    const { poller, tasks } = this.#deps
    try {
      const { id, spec } = stack
      this.#follow({ id, intervalMs: spec.intervalMs }, stackRemotes(stack, this.#deps), isStart)
    } catch (error) {
      this.#leave(stack.id, [])
      void tasks.keep(poller.refuse(stack, error))
      return false
    }
    return true
  }

  /** The fleet follows this remote from now on, and it is polled now; undefined: it follows none. */
  followFleet({ spec }: Fleet, remote: string | undefined): void {
    const follower = { id: fleetOwner(spec.name), intervalMs: spec.template.intervalMs }
    this.#follow(follower, remote === undefined ? [] : [remote], false)
  }

  /** The stack was deleted. */
  unfollow(stack: string): void {
    this.#leave(stack, [])
    this.#deps.poller.remove(stack)
  }

  async poll(stack: Stack, signal: AbortSignal): Promise<void> {
    await Promise.all(stackRemotes(stack, this.#deps).map((remote) => this.#pollRequested(remote, signal)))
    const failed = this.#deps.live.unreachable.of(stack.id)
    if (failed !== undefined) throw failed.error
  }

  notify(remote: string, notification: Notification): Promise<NotificationOutcome> {
    return this.#deps.tasks.keep(this.#notifications.notify(remote, notification))
  }

  async released(remote: string, polled: PolledRefs, signal: AbortSignal): Promise<PolledRefs> {
    return (await this.#deps.channels.decide(remote, polled, () => 'person', signal)).released
  }

  decide(remote: string, decision: DecisionRequest): Promise<readonly Run[]> {
    return this.#deps.tasks.keep(this.#decideAgain(remote, decision))
  }

  get followers(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#followers.all
  }

  /** The remotes of all stored stacks, also of those that were created meanwhile. */
  async remotesInUse(): Promise<UsedRemotes> {
    const { remotes, undecided } = await storedRemotes(this.#deps)
    return { remotes: [...new Set([...remotes, ...this.#followers.remotes])], undecided }
  }

  nextAt({ id }: Stack): number | null {
    return this.#timers.nextAt(this.#followers.remotesOf(id))
  }

  requestedAt({ id }: Stack): number | null {
    return this.#requests.waitingUntil(this.#followers.remotesOf(id))
  }

  get delays(): ReadonlyMap<string, PollDelay> {
    return this.#deps.live.pollDelays
  }

  get provenWebhooks(): ReadonlyMap<string, string> {
    return this.#timers.provenWebhooks
  }

  last(remote: string): RemotePoll | undefined {
    return this.#deps.poller.lastPolls.get(remote)
  }

  get late(): LatePoll | undefined {
    return this.#timers.late
  }

  get oldestMs(): number {
    return this.#timers.oldestMs
  }

  /** Polls a remote whose timer is due, unless its host must be left alone. Never rejects. */
  async due(remote: string): Promise<void> {
    const { hosts, stop, log, random } = this.#deps
    const delay = hosts.delay(remote)
    if (delay !== undefined) return this.#timers.plan(remote, { ms: delay.waitMs, why: delay.why })
    try {
      await orAborted(this.#share(remote), stop)
    } catch (error) {
      if (stop.aborted) return
      log.error('poll failed', { remote, error: describeError(error) })
      this.#timers.atLatest(remote, jittered(afterFaultMs, random()))
    }
  }

  /** Decides moves that wait for a time, when it has come. Never rejects. */
  async channelsDue(remote: string): Promise<void> {
    const { stop, log, clock, timers } = this.#deps
    try {
      await this.#decideAgain(remote)
    } catch (error) {
      if (stop.aborted) return
      log.error('channels not decided', { remote, error: describeError(error) })
      timers.atLatest(`channels ${remote}`, clock.now() + afterFaultMs)
    }
  }

  /**
   * Credentials or connections may have changed: polls remotes whose last poll failed, and once more those that are
   * polled with the former ones now.
   */
  retryFailed(): void {
    for (const remote of this.#followers.all.keys())
      if (this.#polls.isInProgress(remote)) void this.#deps.tasks.keep(this.due(remote))
      else if (this.last(remote)?.failure != null) this.#timers.atLatest(remote, 0)
  }

  /** Webhooks were removed or changed: what they proved counts no longer. */
  doubtWebhooks(names: ReadonlySet<string>): void {
    this.#notifications.doubtWebhooks(names)
    this.#timers.doubtWebhooks(names)
  }

  /** Sets the timer for the next blocked move of a remote that waits for a time. */
  planChannels(remote: string): void {
    const { timers, channels } = this.#deps
    const due = channels.dueAt.get(remote)
    if (due === undefined) timers.delete(`channels ${remote}`)
    else timers.set(`channels ${remote}`, due)
  }

  async #decideAgain(remote: string, decision?: DecisionRequest): Promise<readonly Run[]> {
    const { poller, stop } = this.#deps
    const runs = await poller.decideAgain(remote, () => this.#followers.of(remote), decision, stop)
    this.planChannels(remote)
    return runs
  }

  #follow({ id, intervalMs }: Follower, remotes: readonly string[], isStart: boolean): void {
    const afterMs = isStart ? firstPollMs(this.#watches.size, intervalMs) : 0
    this.#leave(id, remotes)
    for (const remote of remotes) {
      const waitMs = this.#deps.readWaitMs(remote)
      if (waitMs > 0) this.#deps.live.pollDelays.set(remote, 'crashed')
      this.#timers.follow(remote, Math.max(afterMs, waitMs), intervalMs)
      this.#watches.add(remote)
    }
  }

  /** The stack follows only these remotes from now on. */
  #leave(stack: string, remotes: readonly string[]): void {
    for (const remote of this.#followers.follow(stack, remotes)) {
      this.#timers.delete(remote)
      this.#remove(remote)
      this.#watches.delete(remote)
    }
    this.#deps.live.unreachable.keep(stack, remotes)
  }

  /** No stack follows the remote any more. */
  #remove(remote: string): void {
    const { hosts, poller } = this.#deps
    hosts.remove(remote)
    poller.removeRemote(remote)
    this.#timers.remove(remote)
    this.#requests.remove(remote)
  }

  /** A poll that begins after this call; undefined: no stack follows the remote. */
  async #pollRequested(remote: string, signal: AbortSignal): Promise<PollOutcome | undefined> {
    await this.#requests.add(remote, signal)
    this.#deps.hosts.prioritise(remote)
    return orAborted(this.#share(remote), signal)
  }

  #share(remote: string): Promise<PollOutcome | undefined> {
    return this.#polls.poll(remote, () => this.#pollInTurn(remote))
  }

  async #pollInTurn(remote: string): Promise<PollOutcome | undefined> {
    const { hosts, live } = this.#deps
    this.#timers.begin(remote)
    live.pollDelays.set(remote, 'throttled')
    const isRequested = this.#requests.take(remote)
    try {
      await hosts.pass(remote, isRequested)
      live.pollDelays.delete(remote)
      return await this.#pollNow(remote, isRequested)
    } finally {
      hosts.release(remote)
    }
  }

  async #pollNow(remote: string, isRequested: boolean): Promise<PollOutcome | undefined> {
    const { poller, fleets, hosts, stop } = this.#deps
    const notifications = this.#notifications.of(remote)
    const outcome = await poller.poll(remote, this.#followers.of(remote), notifications, stop)
    if (outcome === undefined) {
      this.#remove(remote)
      return undefined
    }
    this.planChannels(remote)
    const intervalMs = Math.min(outcome.intervalMs, ...fleets.intervalsAt(remote))
    const error = 'failed' in outcome ? outcome.failed : undefined
    hosts.ended(remote, error, intervalMs)
    this.#timers.ended(remote, {
      error,
      failures: this.#requests.countFailures(remote, error, isRequested),
      moved: 'moved' in outcome && outcome.moved,
      notifiedBy: this.#notifications.webhookOf(notifications),
      intervalMs,
      isRequested,
    })
    return outcome
  }
}
