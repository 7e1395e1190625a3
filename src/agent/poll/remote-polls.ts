// Looks at remotes: one at a time for each, shared by all who ask, and planned again when it has ended.
import type { Clock } from '../../lib/clock.js'
import { describeError, type Unavailable } from '../../model/errors.js'
import type { Notification } from '../../model/notification.js'
import { orAborted } from '../../lib/or-aborted.js'
import type { Stack } from '../../model/stack.js'
import type { Source } from '../../source/source.js'
import type { Store } from '../../store/store.js'
import type { DecisionRequest, PollDelay } from '../../stacks/scheduler.js'
import { jittered } from '../schedule/backoff.js'
import type { ChannelPolicies } from './channel-policies.js'
import { Followers } from './followers.js'
import { remoteHost, Hosts } from './hosts.js'
import { OverduePolls, type LatePoll } from './overdue-polls.js'
import type { Log } from '../watch/log.js'
import { SharedPolls } from './shared-polls.js'
import { firstPollMs, nextPoll } from './next-poll.js'
import type { PollOutcome, Poller } from './poll.js'
import type { LastPolls } from './last-polls.js'
import type { Timers } from '../schedule/schedule.js'
import { nextProof, type WebhookProof } from './webhook-proof.js'

export interface RemotePollsDeps {
  readonly source: Pick<Source, 'watch'>
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly random: () => number
  readonly poller: Poller
  readonly health: LastPolls
  readonly timetable: Timers
  /** What was told of a remote. */
  readonly notificationsFor: (remote: string) => readonly Notification[]
  /** Looks a second at one host. */
  readonly pollsPerHost: number
  readonly gate: Pick<ChannelPolicies, 'dueAt'>
  /** The agent stops: ends what is under way. */
  readonly stop: AbortSignal
}

const afterFaultMs = 5_000
/** Between two looks at a remote that fails, both asked for by somebody. */
export const requestedApartMs = 10_000

/** When a remote is looked at next. `intervalMs`: where it is another by now. */
interface PlannedNext {
  readonly ms: number
  readonly why: PollDelay | null
  readonly intervalMs?: number
}

export class RemotePolls {
  readonly #deps: RemotePollsDeps
  readonly #followers = new Followers()
  readonly #polls = new SharedPolls<PollOutcome | undefined>()
  readonly #overdue = new OverduePolls()
  readonly #watches = new Map<string, Disposable | undefined>()
  readonly #hosts: Hosts
  readonly #proofs = new Map<string, WebhookProof>()
  readonly #delays = new Map<string, PollDelay>()
  /** Remotes that somebody asked for, and not only their interval. */
  readonly #requested = new Set<string>()
  /** When somebody last had a remote polled, by `Clock.elapsed`. */
  readonly #requestedAt = new Map<string, number>()
  /** Looks in a row that saw nothing; those that somebody asked for count once at most. */
  readonly #failures = new Map<string, number>()

  constructor(deps: RemotePollsDeps) {
    this.#deps = deps
    this.#hosts = new Hosts({ ...deps, onReachable: (host) => this.#hostReachable(host) })
    deps.stop.addEventListener('abort', () => [...this.#watches.keys()].forEach((remote) => this.#unwatch(remote)), {
      once: true,
    })
  }

  /**
   * A stack follows these remotes, and no others any more: each is looked at now, then at its interval, and at once
   * where it tells of changes. `isStart`: so many come at once that their first looks are spread.
   */
  follow({ id, spec }: Stack, remotes: readonly string[], isStart = false): void {
    const nth = this.#watches.size
    this.#leave(id, remotes)
    for (const remote of remotes) this.#begin(remote, spec.intervalMs, isStart ? firstPollMs(nth, spec.intervalMs) : 0)
  }

  /** All that somebody follows. */
  get remotes(): readonly string[] {
    return this.#followers.remotes
  }

  unfollow(stack: string): void {
    this.#leave(stack, [])
  }

  /**
   * By a look that begins after this call; undefined: nobody follows the remote. It begins at once, but at a remote
   * that fails only so long after the last one that somebody asked for.
   */
  async poll(remote: string, signal: AbortSignal): Promise<PollOutcome | undefined> {
    const { clock, stop } = this.#deps
    const leftMs = this.#failures.has(remote)
      ? (this.#requestedAt.get(remote) ?? -requestedApartMs) + requestedApartMs - clock.elapsed()
      : 0
    if (leftMs > 0) await clock.sleep(leftMs, AbortSignal.any([signal, stop]))
    this.#requestedAt.set(remote, clock.elapsed())
    this.#requested.add(remote)
    this.#hosts.prioritise(remote)
    return orAborted(this.#share(remote), signal)
  }

  /** What is due is looked at. Never rejects. */
  async due(remote: string): Promise<void> {
    const { stop, log, clock, random, timetable } = this.#deps
    const held = this.#hosts.delay(remote)
    if (held !== undefined) return this.#plan(remote, { ms: held.waitMs, why: held.why })
    try {
      await orAborted(this.#share(remote), stop)
    } catch (error) {
      if (stop.aborted) return
      log.error('look failed', { remote, error: describeError(error) })
      timetable.atLatest(`remote ${remote}`, clock.now() + jittered(afterFaultMs, random()))
    }
  }

  /** All remotes that stacks follow, with their stacks. */
  get followers(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#followers.all
  }

  /** Decides again of what was seen of a remote before, which is not asked. Errors: those of `deciding`. */
  async decideAgain(remote: string, deciding?: DecisionRequest): Promise<void> {
    const { poller, stop } = this.#deps
    await poller.decideAgain(remote, () => this.#followers.of(remote), deciding, stop)
    this.planChannels(remote)
  }

  /** What waits for a time is decided again then. Never rejects. */
  async channelsDue(remote: string): Promise<void> {
    const { stop, log, clock, timetable } = this.#deps
    try {
      await this.decideAgain(remote)
    } catch (error) {
      if (stop.aborted) return
      log.error('channels not decided', { remote, error: describeError(error) })
      timetable.atLatest(`channels ${remote}`, clock.now() + afterFaultMs)
    }
  }

  /** Of one remote. */
  planChannels(remote: string): void {
    const { timetable, gate } = this.#deps
    const due = gate.dueAt.get(remote)
    if (due === undefined) timetable.delete(`channels ${remote}`)
    else timetable.set(`channels ${remote}`, due)
  }

  /** When the first of a stack's remotes is looked at next. */
  nextAt(stack: string): number | undefined {
    const times = this.#followers
      .remotesOf(stack)
      .flatMap((remote) => this.#deps.timetable.get(`remote ${remote}`) ?? [])
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** Remotes whose next look comes later than the interval says. */
  get delayed(): ReadonlyMap<string, PollDelay> {
    return this.#delays
  }

  /** Remotes that a webhook is proven to tell of, with its name. */
  get proven(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#proofs].flatMap(([remote, proof]) => (proof.kind === 'proven' ? [[remote, proof.by] as const] : [])),
    )
  }

  /** A remote answered with an error that may say how long to leave it alone. */
  unavailable(remote: string, error: Unavailable): void {
    this.#hosts.unavailable(remote, error)
  }

  /** How long ago the oldest look that is due or under way was due, in milliseconds; 0: none is. */
  get oldestMs(): number {
    return this.#overdue.oldestMs(this.#deps.clock.elapsed())
  }

  get late(): LatePoll | undefined {
    return this.#overdue.late(this.#deps.clock.elapsed())
  }

  /** Of what it followed, all but these. */
  #leave(stack: string, remotes: readonly string[]): void {
    const { timetable, poller } = this.#deps
    for (const remote of this.#followers.follow(stack, remotes)) {
      timetable.delete(`remote ${remote}`)
      this.#remove(remote)
      this.#unwatch(remote)
    }
    poller.follow(stack, remotes)
  }

  #remove(remote: string): void {
    this.#deps.health.remove(remote)
    this.#overdue.remove(remote)
    this.#hosts.remove(remote)
    for (const known of [this.#proofs, this.#delays, this.#requested, this.#requestedAt, this.#failures])
      known.delete(remote)
  }

  #begin(remote: string, intervalMs: number, afterMs: number): void {
    const { timetable, clock } = this.#deps
    timetable.atLatest(`remote ${remote}`, clock.now() + afterMs)
    this.#watch(remote)
    this.#overdue.follow(remote, clock.elapsed() + afterMs, intervalMs)
  }

  #watch(remote: string): void {
    const { source, timetable, clock, log, stop } = this.#deps
    if (this.#watches.has(remote) || stop.aborted) return
    let isTold = false
    const onChange = (): void => timetable.atLatest(`remote ${remote}`, clock.now())
    const onError = (error: unknown): void => {
      if (!isTold) log.warn('not watched, only looked at', { remote, error: describeError(error) })
      isTold = true
    }
    this.#watches.set(remote, source.watch(remote, { onChange, onError }))
  }

  #unwatch(remote: string): void {
    this.#watches.get(remote)?.[Symbol.dispose]()
    this.#watches.delete(remote)
  }

  #share(remote: string): Promise<PollOutcome | undefined> {
    return this.#polls.poll(remote, () => this.#pollInTurn(remote))
  }

  async #pollInTurn(remote: string): Promise<PollOutcome | undefined> {
    this.#overdue.begin(remote, this.#deps.clock.elapsed())
    this.#delays.set(remote, 'turn')
    const isAsked = this.#requested.delete(remote)
    try {
      await this.#hosts.pass(remote, isAsked)
      this.#delays.delete(remote)
      return await this.#pollNow(remote, isAsked)
    } finally {
      this.#hosts.leave(remote)
    }
  }

  async #pollNow(remote: string, isAsked: boolean): Promise<PollOutcome | undefined> {
    const { store, poller, clock, random, stop, notificationsFor } = this.#deps
    const stacks = await store.stacks.many(this.#followers.of(remote))
    if (stacks.length === 0) {
      this.#remove(remote)
      return undefined
    }
    const hints = notificationsFor(remote)
    const outcome = await poller.poll(remote, stacks, hints, stop)
    const error = 'failed' in outcome ? outcome.failed : undefined
    this.planChannels(remote)
    const intervalMs = Math.min(...stacks.map((stack) => stack.spec.intervalMs))
    const found = {
      moved: 'moved' in outcome && outcome.moved,
      notifiedBy: hints.find(({ hook }) => hook !== undefined)?.hook,
      now: clock.elapsed(),
    }
    const proof = nextProof(this.#proofs.get(remote) ?? { kind: 'unproven' }, found)
    this.#proofs.set(remote, proof)
    this.#hosts.note(remote, error, intervalMs)
    const failures = this.#countFailure(remote, error, isAsked)
    const next = nextPoll({ intervalMs, failures, error, proof }, random())
    const plannedAt = isAsked && failures > 0 ? this.#deps.timetable.get(`remote ${remote}`) : undefined
    this.#plan(remote, {
      ...next,
      ms: Math.min(next.ms, Math.max(0, (plannedAt ?? Infinity) - clock.now())),
      intervalMs,
    })
    return outcome
  }

  #countFailure(remote: string, error: unknown, isAsked: boolean): number {
    const before = this.#failures.get(remote) ?? 0
    if (error === undefined) this.#failures.delete(remote)
    else this.#failures.set(remote, isAsked ? Math.max(1, before) : before + 1)
    return this.#failures.get(remote) ?? 0
  }

  #plan(remote: string, { ms, why, intervalMs }: PlannedNext): void {
    const { timetable, clock } = this.#deps
    timetable.set(`remote ${remote}`, clock.now() + ms)
    this.#overdue.plan(remote, clock.elapsed() + ms, intervalMs)
    if (why === null) this.#delays.delete(remote)
    else this.#delays.set(remote, why)
  }

  /** What waited for it is due. */
  #hostReachable(host: string): void {
    const { timetable, clock } = this.#deps
    for (const [remote, why] of this.#delays)
      if (why === 'unreachable' && remoteHost(remote) === host) timetable.atLatest(`remote ${remote}`, clock.now())
  }
}
