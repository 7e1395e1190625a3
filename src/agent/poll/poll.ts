// One poll, top to bottom: refs → channel decisions → observations and runs → queue. One poll serves all stacks that
// follow the remote, by one request for all refs and one transaction for what it found.
import type { Clock } from '../../lib/clock.js'
import { lockNames, withLock, type Locks } from '../../lib/async/locks.js'
import type { DetectedBy } from '../../model/sources/channel.js'
import { toError } from '../../model/errors.js'
import type { Notification } from '../../model/agent/notification.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack } from '../../model/stacks/stack.js'
import type { OnRead, Source, SourceRevision } from '../../source/source.js'
import type { DecisionRequest, RemotePoll } from '../../stacks/scheduler.js'
import type { Store } from '../../store/store.js'
import { toFailure } from '../failure.js'
import type { PolledFleets } from '../fleets/fleets.js'
import type { Tasks } from '../schedule/tasks.js'
import type { Changes } from '../watch/changes.js'
import type { Live } from '../watch/live.js'
import type { Log } from '../watch/log.js'
import type { Meters, PollResult } from '../watch/meters.js'
import type { Watch } from '../watch/watch.js'
import type { ChannelPolicies, PolledRefs } from './channels/channel-policies.js'
import { fetchSoon } from './observations/content-at.js'
import {
  announcedCommits,
  areConfirmed,
  decisionNotification,
  findNotification,
} from './observations/find-notification.js'
import type { MoveFacts } from './channels/move-facts.js'
import { StackObserver, type DecidedPoll } from './observations/observe-stacks.js'
import { isSamePoll, QuietPolls, type QuietPoll } from './quiet-polls.js'
import { settleUnchanged } from './observations/settle-unchanged.js'

export interface PollerDeps {
  readonly source: Source
  readonly store: Store
  readonly clock: Clock
  readonly locks: Locks
  readonly log: Log
  readonly meters: Meters
  readonly tasks: Tasks
  readonly changes: Changes
  readonly live: Live
  readonly channels: ChannelPolicies
  readonly facts: MoveFacts
  readonly events: Watch
  readonly fleets: PolledFleets
  readonly queue: { add(run: Run): void; isBusy(stack: string): boolean }
}

/** `moved`: something changed; `runs`: the resulting runs. `failed`: why it failed. */
type PollResults = { readonly moved: boolean; readonly runs: readonly Run[] } | { readonly failed: unknown }

/** `polled`: the revisions of refs. `intervalMs`: the shortest of the stacks that follow the remote. */
export type PollOutcome = PollResults & { readonly polled: PolledRefs; readonly intervalMs: number }

/** `stacks`: undefined while the last poll was quiet. `stored`: of `#stored`. */
interface PollStart extends Pick<QuietPoll, 'version' | 'followers' | 'refs' | 'intervalMs'> {
  readonly quiet: QuietPoll | undefined
  readonly stacks: readonly Stack[] | undefined
  readonly stored: number | undefined
}

type RefsRead = { readonly last: RemotePoll } & (
  | { readonly polled: PolledRefs; readonly cost: PollCost }
  | { readonly failed: unknown }
)

interface PollCost {
  readonly method: string
  readonly bytes: number
  readonly ms: number
}

export class Poller {
  readonly #deps: PollerDeps
  readonly #observer: StackObserver
  /** By remote: how often something was stored; stacks that were read before that are outdated. */
  readonly #stored = new Map<string, number>()
  readonly #quiet = new QuietPolls()
  /** Each is fetched once before the refs are known. */
  readonly #announced = new WeakSet<Notification>()
  /** Since the start, of remotes that stacks follow. */
  readonly lastPolls = new Map<string, RemotePoll>()

  constructor(deps: PollerDeps) {
    this.#deps = deps
    this.#observer = new StackObserver(deps)
  }

  /**
   * Polls a remote for the stacks that follow it. undefined: no stack does any more, and no fleet. Rejects only on
   * abort, and if the database fails.
   */
  async poll(
    remote: string,
    followers: readonly string[],
    notifications: readonly Notification[],
    signal: AbortSignal,
  ): Promise<PollOutcome | undefined> {
    const { fleets, source, tasks } = this.#deps
    const start = await this.#begin(remote, followers)
    const refs = new Set([...start.refs, ...fleets.begin(remote)])
    if (refs.size === 0) return undefined
    const unconfirmed = new AbortController()
    const announced = this.#announcedNow(notifications, start)
    const ahead = this.#fetchAnnounced(remote, start, announced, AbortSignal.any([signal, unconfirmed.signal]))
    void tasks.keep(ahead).catch(() => {}) // its commits are fetched again where they are needed
    const read = await this.#readRefs(remote, [...refs], signal)
    const polled = 'polled' in read ? read.polled : new Map<string, never>()
    if (!areConfirmed(announced, polled)) unconfirmed.abort() // it must not delay the commits of the refs
    const isFetched = fetchSoon(source, signal)
    const found =
      this.#unchanged(remote, start, read) ?? this.#changed(remote, start, { read, notifications, isFetched }, signal)
    const isKnown = (): unknown => this.lastPolls.set(remote, read.last) // with the failures of its stacks
    return { polled, intervalMs: start.intervalMs, ...(await Promise.resolve(found).finally(isKnown)) }
  }

  /**
   * Decides again about moves that polls found before, without a request: time passed, or a person decided. Returns the
   * resulting runs. Rejects as `decision` does.
   */
  async decideAgain(
    remote: string,
    followers: () => readonly string[],
    decision: DecisionRequest | undefined,
    signal: AbortSignal,
  ): Promise<readonly Run[]> {
    const { channels, store, source } = this.#deps
    return this.#inTurn(remote, signal, async () => {
      const decisions = await channels.decideAgain(remote, decision, signal)
      const all = await store.stacks.many(followers())
      const stacks = all.filter((stack) => this.#observer.isKnown(remote, stack, decisions.released))
      const notifications = decisions.changes.flatMap(decisionNotification)
      const isFetched = fetchSoon(source, signal)
      const { runs } = await this.#storeAndQueue(remote, stacks, { ...decisions, notifications, isFetched }, signal)
      return runs
    })
  }

  /** The stack may not follow what it declares: this is reported as a failed poll. */
  refuse(stack: Stack, error: unknown): Promise<void> {
    return this.#observer.failed('', stack, error)
  }

  /** No stack follows the remote any more. */
  removeRemote(remote: string): void {
    this.lastPolls.delete(remote)
    this.#quiet.delete(remote)
  }

  /** The stack was deleted. */
  remove(stack: string): void {
    this.#observer.remove(stack)
  }

  /** Commits that webhooks announced since the last poll. */
  #announcedNow(notifications: readonly Notification[], { refs }: PollStart): readonly string[] {
    const fresh = notifications.filter((one) => !this.#announced.has(one))
    for (const one of fresh) this.#announced.add(one)
    return announcedCommits(fresh, refs)
  }

  /** Fetches announced commits while the poll reads the refs. Nothing uses one unless its ref points to it. */
  async #fetchAnnounced(
    remote: string,
    start: PollStart,
    announced: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    if (announced.length === 0) return
    const stacks = start.stacks ?? (await this.#stacksWith(remote, start))
    if (stacks.every(({ suspended, pinned }) => suspended !== null || pinned !== null)) return
    const isFetched = fetchSoon(this.#deps.source, signal)
    await Promise.all(announced.map((commit) => isFetched(remote, `sha1:${commit}`)))
  }

  /** Reads the stacks, unless a poll that finds the same as the last one does not need them. */
  async #begin(remote: string, followers: readonly string[]): Promise<PollStart> {
    const { store } = this.#deps
    const start = { version: store.pollVersion(), followers, stored: this.#stored.get(remote) }
    const quiet = this.#quiet.of(remote, start)
    if (quiet !== undefined) return { ...quiet, ...start, quiet, stacks: undefined }
    const stacks = await store.stacks.many(followers)
    const intervalMs = Math.min(...stacks.map(({ spec }) => spec.intervalMs))
    return { ...start, quiet, stacks, intervalMs, refs: this.#observer.refsAt(remote, stacks) }
  }

  /** The poll found the same as the last one, and nothing that it depends on was written: it has nothing to do. */
  #unchanged(remote: string, { quiet, version }: PollStart, read: RefsRead): PollResults | undefined {
    if (quiet === undefined || 'failed' in read || !isSamePoll(quiet.polled, read.polled)) return undefined
    if (this.#deps.store.pollVersion() !== version) return undefined
    this.#deps.fleets.polled(remote, quiet.released)
    this.#report(remote, 'unchanged', read.cost)
    return { moved: false, runs: [] }
  }

  async #changed(
    remote: string,
    start: PollStart,
    { read, ...poll }: Pick<DecidedPoll, 'notifications' | 'isFetched'> & { readonly read: RefsRead },
    signal: AbortSignal,
  ): Promise<PollResults> {
    const { channels, fleets } = this.#deps
    this.#quiet.delete(remote)
    const stacks = start.stacks ?? (await this.#stacksWith(remote, start))
    if ('failed' in read) {
      fleets.polled(remote, toError(read.failed))
      for (const stack of stacks) await this.#observer.failed(remote, stack, read.failed)
      return { failed: read.failed }
    }
    const { polled, cost } = read
    const detectedBy = (ref: string, revision: SourceRevision | Error): DetectedBy =>
      findNotification(poll.notifications, ref, revision)?.detectedBy ?? 'poll'
    const storing = this.#inTurn(remote, signal, async () => {
      const isOutdated = this.#stored.get(remote) !== start.stored
      const now = isOutdated ? await this.#stacksWith(remote, start) : stacks
      const decisions = await channels.decide(remote, polled, detectedBy, signal)
      const stored = await this.#storeAndQueue(remote, now, { ...decisions, ...poll }, signal)
      const isQuiet = !stored.moved && !channels.isAnyBlocked(remote, polled.keys()) && this.#areReached(now)
      if (isQuiet) this.#quiet.set(remote, { ...start, polled, released: decisions.released }, now)
      return stored
    })
    const { moved, runs } = await storing.catch((error: unknown) => {
      if (!signal.aborted) for (const stack of stacks) this.#observer.notStored(remote, stack, error)
      throw error
    })
    this.#report(remote, moved ? 'moved' : 'unchanged', cost)
    return { moved, runs }
  }

  /** False: what was found for one of them could not be compared or stored, and the next poll tries again. */
  #areReached(stacks: readonly Stack[]): boolean {
    return stacks.every(({ id }) => this.#deps.live.unreachable.of(id) === undefined)
  }

  /** The stacks of a poll as they are now. One that follows another ref or remote by now waits for its own poll. */
  async #stacksWith(remote: string, { followers, refs }: PollStart): Promise<readonly Stack[]> {
    const stacks = await this.#deps.store.stacks.many(followers)
    return stacks.filter((stack) => this.#observer.isPolled(remote, stack, refs))
  }

  async #readRefs(remote: string, refs: readonly string[], signal: AbortSignal): Promise<RefsRead> {
    const { source, clock } = this.#deps
    const at = clock.now()
    const began = clock.elapsed()
    const read = { method: 'none', bytes: 0 }
    const cost = (): PollCost => ({ ...read, ms: Math.round(clock.elapsed() - began) })
    const onRead: OnRead = ({ method, bytes }) => Object.assign(read, { method, bytes: read.bytes + bytes })
    try {
      const polled = await source.poll(remote, refs, signal, onRead)
      return { polled, cost: cost(), last: { remote, at, ms: cost().ms, failure: null } }
    } catch (error) {
      if (signal.aborted) throw error
      this.#report(remote, 'failed', cost())
      return { failed: error, last: { remote, at, ms: cost().ms, failure: toFailure(error) } }
    }
  }

  /** Stores moves, observations and runs at once; queues the runs, but those in which nothing changed. */
  async #storeAndQueue(
    remote: string,
    stacks: readonly Stack[],
    decided: DecidedPoll,
    signal: AbortSignal,
  ): Promise<{ readonly moved: boolean; readonly runs: readonly Run[] }> {
    const { store, source, log, tasks, changes, channels, facts, events, queue } = this.#deps
    const stored = await this.#observer.store(remote, stacks, decided, signal)
    this.#deps.fleets.polled(remote, decided.released)
    const { runs, observed } = stored
    if (observed.size === 0 && stored.changes.length === 0) return { moved: false, runs }
    this.#stored.set(remote, (this.#stored.get(remote) ?? 0) + 1)
    channels.onStored(stored.changes)
    const moves = stored.changes.flatMap((change) => change.moves).filter(({ state }) => state !== 'superseded')
    for (const move of moves) events.moved(move)
    if (stored.changes.length > 0) for (const stack of stacks) changes.notify(stack.id)
    const comparing = { remote, source, isFetched: decided.isFetched, signal }
    const settling = settleUnchanged(runs, { stacks: observed, store, queue, ...comparing })
    const { open, settled, freed } = await settling.catch((error: unknown) => {
      for (const run of runs) queue.add(run) // they are stored: each begins without the comparison
      throw error
    })
    if (settled > 0) log.info('new revisions change nothing', { remote, stacks: settled })
    for (const stack of observed.keys()) changes.notify(stack)
    for (const run of [...open, ...freed]) queue.add(run) // from here: runs/worker.ts, stacks/sync.ts
    const unknown = moves.filter(({ to, name, facts }) => to !== null && name !== '' && facts === null)
    if (unknown.length > 0) void tasks.keep(facts.learn(remote, unknown, signal))
    return { moved: true, runs }
  }

  /** What polls and decisions find at a remote is stored one after the other. */
  #inTurn<T>(remote: string, signal: AbortSignal, store: () => Promise<T>): Promise<T> {
    return withLock(this.#deps.locks, lockNames.remote(remote), signal, store)
  }

  #report(remote: string, result: PollResult, cost: PollCost): void {
    this.#deps.meters.polled({ result, ...cost })
    this.#deps.log.debug('polled', { remote, result, ...cost })
  }
}
