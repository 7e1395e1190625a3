// What a poll of a remote means for each stack that follows it: a new revision, a run that waited for the poll, or a
// failure.
import type { Clock } from '../../../lib/clock.js'
import { lockNames, withLock, type Locks } from '../../../lib/async/locks.js'
import { blockedMoveCode } from '../../../channel/blocked-move.js'
import { withoutUndefined } from '../../../lib/without-undefined.js'
import type { ChannelChange } from '../../../model/sources/channel.js'
import type { Notification } from '../../../model/agent/notification.js'
import type { Cause, Run } from '../../../model/stacks/run.js'
import { sameRevision } from '../../../model/sources/revision.js'
import { sameSources, sourceRef } from '../../../model/sources/source-spec.js'
import { awaitsPackage, type Stack } from '../../../model/stacks/stack.js'
import type { Source, SourceRevision } from '../../../source/source.js'
import type { StackObservation } from '../../../store/run-table.js'
import type { Store } from '../../../store/store.js'
import { awaitsUninstall } from '../../../status/axes.js'
import { toFailure, toProblems } from '../../failure.js'
import type { Changes } from '../../watch/changes.js'
import type { Live } from '../../watch/live.js'
import type { Log } from '../../watch/log.js'
import type { ChannelDecisions, PolledRefs } from '../channels/channel-policies.js'
import { afterVeto } from './after-veto.js'
import type { ContentDeps, IsFetched } from './content-at.js'
import { findNotification } from './find-notification.js'
import { keptPin, type KeptPin } from './kept-pin.js'
import { KnownRevisions } from './known-revisions.js'
import { observeStack } from './observe-stack.js'
import { fetchCompared } from './settle-unchanged.js'

/** The released revisions, the changes of channels, the notifications about the remote, and the fetches of the poll. */
export interface DecidedPoll extends ChannelDecisions {
  readonly notifications: readonly Notification[]
  readonly isFetched: IsFetched
}

/** The resulting runs, the changes of channels, and the stacks that observed something new. */
export interface StoredPoll {
  readonly runs: readonly Run[]
  readonly changes: readonly ChannelChange[]
  readonly observed: ReadonlyMap<string, Stack>
}

export interface StackObserverDeps {
  readonly source: Pick<Source, 'remoteOf' | 'fetch' | 'content'>
  readonly store: Store
  readonly locks: Locks
  readonly clock: Clock
  readonly log: Log
  readonly changes: Changes
  readonly live: Pick<Live, 'unreachable'>
}

const unreachableBefore: Cause = { kind: 'retry', note: 'the source was unreachable before' }

type Comparing = Pick<ContentDeps, 'isFetched' | 'signal'>

export class StackObserver {
  readonly #deps: StackObserverDeps
  readonly #revisions = new KnownRevisions()
  /** Stacks all of whose sources answered the last polls. */
  readonly #reached = new Set<string>()

  constructor(deps: StackObserverDeps) {
    this.#deps = deps
  }

  /** Refs of the stacks' sources at a remote, each once. */
  refsAt(remote: string, stacks: readonly Stack[]): readonly string[] {
    return [...new Set(stacks.flatMap((stack) => this.#refsAt(remote, stack)))]
  }

  /** True if the stack has sources at the remote, all of them at these refs. */
  isPolled(remote: string, { spec }: Stack, refs: readonly string[]): boolean {
    const polled = spec.sources.filter((source) => this.#deps.source.remoteOf(source, spec.name) === remote)
    return polled.length > 0 && polled.every((source) => refs.includes(sourceRef(source)))
  }

  /** True if the revisions of all the stack's refs at a remote are known. */
  isKnown(remote: string, stack: Stack, revisions: PolledRefs): boolean {
    return this.#refsAt(remote, stack).every((ref) => revisions.has(ref))
  }

  /**
   * Stores what the stacks observe. If a stack follows several remotes, their polls are stored one after the other,
   * each from the stored state: none overwrites the revision of another source.
   */
  async store(
    remote: string,
    stacks: readonly Stack[],
    decided: DecidedPoll,
    signal: AbortSignal,
  ): Promise<StoredPoll> {
    if (stacks.every(({ spec }) => spec.sources.length === 1)) return this.#store(remote, stacks, decided, signal)
    return withLock(this.#deps.locks, lockNames.observations, signal, async () =>
      this.#store(remote, await this.#deps.store.stacks.many(stacks.map(({ id }) => id)), decided, signal),
    )
  }

  /**
   * A poll failed for a stack. A run that waits for the poll fails, unless it waits for a push or a release. Nothing
   * happens if the stack has other sources by now: they are polled next.
   */
  async failed(remote: string, stack: Stack, error: unknown): Promise<void> {
    const { live, store, log, changes } = this.#deps
    const [now] = await store.stacks.many([stack.id])
    if (now === undefined || !sameSources(now.spec.sources, stack.spec.sources)) return
    const failure = toFailure(error ?? new Error('the remote did not answer for this ref'))
    const isBlocked = failure.code === blockedMoveCode
    const isForPush = failure.code === 'source/nothing-pushed'
    const awaits = isBlocked || (isForPush && awaitsPackage(stack))
    const since = this.#unreachableSince(stack)
    const isNew = live.unreachable.add(stack.id, remote, {
      failure: { ...failure, ...withoutUndefined({ since }) },
      error,
      awaits,
    })
    this.#reached.delete(stack.id)
    const [waiting] = (await store.runs.unfinished(stack.id)).filter((run) => run.revision === '')
    const isLeftAlone = failure.code === 'config/not-given'
    const ends = waiting !== undefined && !isForPush && !isBlocked && !isLeftAlone
    if (ends) await store.runs.endQueued(waiting.id, { outcome: 'failed', problems: toProblems(error, stack) })
    if (isNew && !awaits)
      log.warn(isLeftAlone ? 'stack not managed' : 'source unreachable', {
        stack: stack.spec.name,
        code: failure.code,
        error: failure.message,
      })
    if (isNew || ends) changes.notify(stack.id)
  }

  /** undefined: since before the start, and nobody knows since when. */
  #unreachableSince({ id, observed, createdAt }: Stack): number | undefined {
    if (this.#reached.has(id)) return this.#deps.clock.now()
    return observed === null ? createdAt : undefined
  }

  /** The database failed: what a poll found is not stored. The failure is kept in memory until a poll is stored. */
  notStored(remote: string, stack: Stack, error: unknown): void {
    const { live, changes } = this.#deps
    const isNew = live.unreachable.add(stack.id, remote, { failure: toFailure(error), error })
    if (isNew) changes.notify(stack.id)
  }

  /** The stack was deleted. */
  remove(stack: string): void {
    this.#revisions.remove(stack)
    this.#reached.delete(stack)
  }

  async #store(
    remote: string,
    stacks: readonly Stack[],
    { released, changes, notifications, isFetched }: DecidedPoll,
    signal: AbortSignal,
  ): Promise<StoredPoll> {
    const [waiting, cutOff, freed] = await Promise.all([
      this.#waiting(stacks),
      this.#cutOff(stacks),
      afterVeto(stacks, changes, this.#deps),
    ])
    const { source, store } = this.#deps
    const comparing = { isFetched, signal }
    const observations: StackObservation[] = []
    const reached: Stack[] = []
    for (const stack of stacks) {
      const revisions = await this.#revisionsAt(remote, stack, released)
      if (revisions === undefined) continue
      const again = freed.get(stack.id) ?? (cutOff.has(stack.id) ? unreachableBefore : undefined)
      const before = { waiting: waiting.get(stack.id), again, comparing }
      const observation = await this.#observe(remote, stack, revisions, { ...before, notifications })
      if (observation instanceof Error) {
        await this.failed(remote, stack, observation)
        continue
      }
      reached.push(stack)
      if (observation !== undefined) observations.push(observation)
    }
    const nothing = observations.length === 0 && changes.length === 0
    const byId = new Map(stacks.map((stack) => [stack.id, stack]))
    fetchCompared(observations, { stacks: byId, remote, source, ...comparing })
    const kept = await this.#withoutDroppedUninstalls(observations, stacks)
    const stored = nothing ? { runs: [], changes: [] } : await store.runs.observe(kept, changes)
    for (const stack of reached) this.#reachable(remote, stack)
    const observed = new Map(observations.map(({ stack }) => [stack, byId.get(stack)!]))
    return { ...stored, observed }
  }

  /** A stack whose uninstall needs approval gets no run for a new revision: it would drop the uninstall. */
  async #withoutDroppedUninstalls(
    observations: readonly StackObservation[],
    stacks: readonly Stack[],
  ): Promise<readonly StackObservation[]> {
    const queued = observations.filter(({ cause }) => cause !== undefined).map(({ stack }) => stack)
    if (queued.length === 0) return observations
    const last = await this.#deps.store.runs.last(queued)
    const waits = new Set(
      stacks.filter((stack) => awaitsUninstall({ stack, last: last.get(stack.id) })).map(({ id }) => id),
    )
    return observations.map(({ cause, ...one }) =>
      cause === undefined || waits.has(one.stack) ? one : { ...one, cause },
    )
  }

  /** By source of the stack at the remote; undefined: one is not known, and the poll failed for the stack. */
  async #revisionsAt(
    remote: string,
    stack: Stack,
    released: PolledRefs,
  ): Promise<ReadonlyMap<number, SourceRevision> | undefined> {
    const revisions = new Map<number, SourceRevision>()
    for (const at of this.#sourcesAt(remote, stack)) {
      const revision = released.get(sourceRef(stack.spec.sources[at]!))
      if (revision === undefined || revision instanceof Error) {
        await this.failed(remote, stack, revision)
        return undefined
      }
      revisions.set(at, revision)
    }
    return revisions
  }

  /** undefined: nothing is new, or the revision of a source elsewhere is not known. An error: it cannot be compared. */
  async #observe(
    remote: string,
    stack: Stack,
    revisions: ReadonlyMap<number, SourceRevision>,
    {
      notifications,
      comparing,
      ...before
    }: {
      readonly waiting: Run | undefined
      readonly again: Cause | undefined
      readonly comparing: Comparing
      readonly notifications: readonly Notification[]
    },
  ): Promise<StackObservation | Error | undefined> {
    const known = this.#revisions.add(stack, revisions)
    if (known === undefined || this.#deps.live.unreachable.isElsewhere(stack.id, remote)) return undefined
    this.#reached.add(stack.id)
    const pin = before.waiting === undefined ? await this.#keptPin(remote, stack, known.revision, comparing) : undefined
    if (pin instanceof Error) return pin
    const [notification] = [...revisions].flatMap(
      ([at, revision]) => findNotification(notifications, sourceRef(stack.spec.sources[at]!), revision) ?? [],
    )
    return observeStack(stack, known, { ...before, pin, notification })
  }

  async #keptPin(
    remote: string,
    stack: Stack,
    revision: string,
    comparing: Comparing,
  ): Promise<KeptPin | Error | undefined> {
    if (stack.pinned === null || sameRevision(stack.observed?.revision, revision)) return undefined
    const { source, store } = this.#deps
    if (await store.runs.wasAttempted(stack.id, revision)) return {}
    return keptPin(stack, revision, { remote, source, ...comparing })
  }

  /** Indices of the stack's sources at a remote. */
  #sourcesAt(remote: string, { spec }: Stack): readonly number[] {
    const all = spec.sources.map((_, at) => at)
    if (all.length === 1) return all
    return all.filter((at) => this.#deps.source.remoteOf(spec.sources[at]!, spec.name) === remote)
  }

  #refsAt(remote: string, stack: Stack): readonly string[] {
    return this.#sourcesAt(remote, stack).map((at) => sourceRef(stack.spec.sources[at]!))
  }

  #reachable(remote: string, stack: Stack): void {
    const { live, log, changes } = this.#deps
    if (!live.unreachable.end(stack.id, remote)) return
    log.info('source reachable again', { stack: stack.spec.name, remote })
    changes.notify(stack.id)
  }

  /** Runs that wait for a poll, by stack. */
  async #waiting(stacks: readonly Stack[]): Promise<ReadonlyMap<string, Run>> {
    const unfinished = stacks.length === 0 ? [] : await this.#deps.store.runs.unfinished(...stacks.map(({ id }) => id))
    return new Map(unfinished.filter((run) => run.revision === '').map((run) => [run.stack, run]))
  }

  /** Stacks that were unreachable, or not polled since the start, and whose last run failed for this reason. */
  async #cutOff(stacks: readonly Stack[]): Promise<ReadonlySet<string>> {
    const unreached = stacks.filter(({ id }) => !this.#reached.has(id)).map(({ id }) => id)
    const last = [...(await this.#deps.store.runs.last(unreached)).values()]
    const cutOff = last.filter(({ revision, outcome }) => revision === '' && outcome === 'failed')
    return new Set(cutOff.map(({ stack }) => stack))
  }
}
