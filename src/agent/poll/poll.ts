// One look at a remote serves every stack that follows it: one request for all refs, one fetch for each commit, one
// transaction for what came of it.
import type { ChannelChange, ChannelMove, DetectedBy } from '../../model/channel.js'
import type { Clock } from '../../lib/clock.js'
import type { Notification } from '../../model/notification.js'
import { Lock } from '../../lib/lock.js'
import type { Run } from '../../model/run.js'
import { sourceRef } from '../../model/source-spec.js'
import { awaitsPackage, type Failure, type Stack } from '../../model/stack.js'
import type { OnRead, SourceRevision, Source } from '../../source/source.js'
import type { DecisionRequest } from '../../stacks/scheduler.js'
import type { StackObservation, Store } from '../../store/store.js'
import { toFailure, toProblems } from '../failure.js'
import type { ChannelPolicies, PolledRefs, ChannelDecisions } from './channel-policies.js'
import { KnownRevisions } from './known-revisions.js'
import { blockedMoveCode } from '../../channel/blocked-move.js'
import type { Log } from '../watch/log.js'
import type { PollResult, Meters } from '../watch/meters.js'
import type { MoveFacts } from './move-facts.js'
import type { LastPolls } from './last-polls.js'
import { observeStack } from './observe-stack.js'
import { settleUnchanged } from './settle-unchanged.js'
import { decisionNotification, findNotification } from './find-notification.js'
import { PollFailures, type PollFailure } from './poll-failures.js'

export interface PollerDeps {
  readonly source: Source
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly health: LastPolls
  readonly meters: Meters
  readonly gate: ChannelPolicies
  readonly facts: MoveFacts
  /** Told when a channel moved, and of what becomes of the move, once that is written down. */
  readonly onMoved: (move: ChannelMove) => void
  /** A newer run is there: what is in hand for the stack is superseded. */
  readonly onRun: (run: Run) => void
  readonly onChanged: (stack: string) => void
  /** Told of work that is under way. */
  readonly keep: (work: Promise<unknown>) => void
}

/**
 * What came of a look: what was seen, whether anything moved, and the runs that follow; or why nothing at all could be
 * seen.
 */
export type PollOutcome =
  { readonly seen: PolledRefs; readonly moved: boolean; readonly runs: readonly Run[] } | { readonly failed: unknown }

/** What stacks are offered, what became of channels, and what was told of the remote. */
interface DecidedPoll extends ChannelDecisions {
  readonly notifications: readonly Notification[]
}

/** What was written down: the runs that follow, and the stacks that observed something. */
interface StoredPoll {
  readonly runs: readonly Run[]
  readonly changes: readonly ChannelChange[]
  readonly observed: ReadonlyMap<string, Stack>
}

/** `recorded`: how often something was written down: stacks that were read before are not as they were. */
interface RemoteTurn {
  readonly lock: Lock
  recorded: number
}

export class Poller {
  readonly #deps: PollerDeps
  readonly #failures = new PollFailures()
  readonly #revisions = new KnownRevisions()
  readonly #deciding = new Lock()
  /** By remote: what is seen of its channels is decided one after the other. */
  readonly #turns = new Map<string, RemoteTurn>()
  /** Stacks all of whose sources were seen by the last looks. */
  readonly #seen = new Set<string>()

  constructor(deps: PollerDeps) {
    this.#deps = deps
  }

  /** Why the last look did not see a source of the stack, that it waits for its package included. */
  failure(stack: string): PollFailure | undefined {
    return this.#failures.of(stack)
  }

  /** What of that is a failure. */
  failureOf(stack: string): Failure | undefined {
    return this.#failures.failureOf(stack)
  }

  /** It follows these remotes, and no others any more. */
  follow(stack: string, remotes: readonly string[]): void {
    this.#failures.keep(stack, remotes)
  }

  /** It cannot follow what it declares, which is told as what cannot be seen. */
  refuse(stack: Stack, error: unknown): Promise<void> {
    return this.#storeFailure('', stack, error)
  }

  /** The same of all stacks. */
  get failures(): ReadonlyMap<string, Failure> {
    return this.#failures.failures
  }

  remove(stack: string): void {
    this.#failures.remove(stack)
    this.#revisions.remove(stack)
    this.#seen.delete(stack)
  }

  /**
   * Looks once for all these stacks, which follow the same remote. Never rejects for what a remote does. `hints`: what
   * was told of it.
   */
  async poll(
    remote: string,
    stacks: readonly Stack[],
    notifications: readonly Notification[],
    signal: AbortSignal,
  ): Promise<PollOutcome> {
    const { source, store, clock, health, gate } = this.#deps
    const turn = this.#turn(remote)
    const known = turn.recorded
    const refs = [...new Set(stacks.flatMap((stack) => this.#refsAt(remote, stack)))]
    const at = clock.now()
    const began = clock.elapsed()
    const took = (): number => Math.round(clock.elapsed() - began)
    const read = { method: 'none', bytes: 0 }
    const onRead: OnRead = ({ method, bytes }) => Object.assign(read, { method, bytes: read.bytes + bytes })
    let seen: PolledRefs
    try {
      seen = await source.poll(remote, refs, signal, onRead)
      health.set({ remote, at, ms: took(), failure: null })
    } catch (error) {
      if (signal.aborted) throw error
      health.set({ remote, at, ms: took(), failure: toFailure(error) })
      this.#report(remote, 'failed', { ...read, ms: took() })
      for (const stack of stacks) await this.#storeFailure(remote, stack, error)
      return { failed: error }
    }
    const ms = took()
    const { moved, runs } = await turn.lock.run(signal, async () => {
      const detectedBy = (ref: string, what: SourceRevision | Error): DetectedBy =>
        findNotification(notifications, ref, what)?.detectedBy ?? 'poll'
      const now = turn.recorded === known ? stacks : await store.stacks.many(stacks.map(({ id }) => id))
      return this.#record(
        remote,
        now,
        { ...(await gate.decide(remote, seen, detectedBy, signal)), notifications },
        signal,
      )
    })
    this.#report(remote, moved ? 'moved' : 'unchanged', { ...read, ms })
    return { seen, moved, runs }
  }

  #report(
    remote: string,
    result: PollResult,
    cost: { readonly method: string; readonly bytes: number; readonly ms: number },
  ): void {
    this.#deps.meters.polled({ result, ...cost })
    this.#deps.log.debug('looked', { remote, result, ...cost })
  }

  /**
   * Decides again of what was seen before: time went by, or a person decided. The remote is not asked. Rejects as
   * `deciding` does.
   */
  async decideAgain(
    remote: string,
    followers: () => readonly string[],
    deciding: DecisionRequest | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { gate, store } = this.#deps
    await this.#turn(remote).lock.run(signal, async () => {
      const passed = await gate.decideAgain(remote, deciding, signal)
      const stacks = await store.stacks.many(followers())
      const seen = stacks.filter((stack) => this.#refsAt(remote, stack).every((ref) => passed.offered.has(ref)))
      await this.#record(
        remote,
        seen,
        { ...passed, notifications: passed.changes.flatMap(decisionNotification) },
        signal,
      )
    })
  }

  #turn(remote: string): RemoteTurn {
    let turn = this.#turns.get(remote)
    if (turn === undefined) this.#turns.set(remote, (turn = { lock: new Lock(), recorded: 0 }))
    return turn
  }

  async #record(
    remote: string,
    stacks: readonly Stack[],
    found: DecidedPoll,
    signal: AbortSignal,
  ): Promise<{ readonly moved: boolean; readonly runs: readonly Run[] }> {
    const { store, source, log, gate, facts, keep, onChanged, onMoved, onRun } = this.#deps
    const { runs, changes, observed } = await this.#decideAlone(remote, stacks, found, signal)
    if (observed.size === 0 && changes.length === 0) return { moved: false, runs }
    gate.onStored(changes)
    this.#turn(remote).recorded++
    const moves = changes.flatMap((change) => change.moves).filter(({ state }) => state !== 'superseded')
    for (const move of moves) onMoved(move)
    if (changes.length > 0) for (const stack of stacks) onChanged(stack.id)
    const { open, settled, freed } = await settleUnchanged(runs, { remote, stacks: observed, source, store }, signal)
    if (settled > 0) log.info('new revisions change nothing', { remote, stacks: settled })
    for (const stack of observed.keys()) onChanged(stack)
    for (const run of [...open, ...freed]) onRun(run)
    const unknown = moves.filter(({ to, name, facts }) => to !== null && name !== '' && facts === null)
    if (unknown.length > 0) keep(facts.learn(remote, unknown, signal))
    return { moved: true, runs }
  }

  /**
   * Where a stack follows several remotes, two looks must not overwrite each other's part: one decides after the other,
   * from what is stored.
   */
  async #decideAlone(
    remote: string,
    stacks: readonly Stack[],
    found: DecidedPoll,
    signal: AbortSignal,
  ): Promise<StoredPoll> {
    if (stacks.every(({ spec }) => spec.sources.length === 1)) return this.#decide(remote, stacks, found)
    return this.#deciding.run(signal, async () =>
      this.#decide(remote, await this.#deps.store.stacks.many(stacks.map(({ id }) => id)), found),
    )
  }

  async #decide(
    remote: string,
    stacks: readonly Stack[],
    { offered, changes, notifications }: DecidedPoll,
  ): Promise<StoredPoll> {
    const [waiting, cutOff] = await Promise.all([this.#waiting(stacks), this.#cutOff(stacks)])
    const observations: StackObservation[] = []
    for (const stack of stacks) {
      const observation = await this.#observe(remote, stack, offered, {
        waiting: waiting.get(stack.id),
        cutOff: cutOff.has(stack.id),
        hints: notifications,
      })
      if (observation !== undefined) observations.push(observation)
    }
    const nothing = observations.length === 0 && changes.length === 0
    const written = nothing ? { runs: [], changes: [] } : await this.#deps.store.runs.observe(observations, changes)
    const byId = new Map(stacks.map((stack) => [stack.id, stack]))
    return { ...written, observed: new Map(observations.map(({ stack }) => [stack, byId.get(stack)!])) }
  }

  /** What one stack sees. Undefined: nothing new, or not all of its sources. */
  async #observe(
    remote: string,
    stack: Stack,
    found: PolledRefs,
    {
      hints,
      ...before
    }: { readonly waiting: Run | undefined; readonly cutOff: boolean; readonly hints: readonly Notification[] },
  ): Promise<StackObservation | undefined> {
    const seen = new Map<number, SourceRevision>()
    for (const at of this.#sourcesAt(remote, stack)) {
      const what = found.get(sourceRef(stack.spec.sources[at]!))
      if (what === undefined || what instanceof Error) {
        await this.#storeFailure(remote, stack, what)
        return undefined
      }
      seen.set(at, what)
    }
    const sighting = this.#revisions.add(stack, seen)
    this.#reachableAgain(remote, stack)
    if (sighting === undefined || this.#failures.of(stack.id) !== undefined) return undefined
    this.#seen.add(stack.id)
    const attempted = stack.pinned !== null && (await this.#deps.store.runs.wasAttempted(stack.id, sighting.revision))
    const told = [...seen].flatMap(
      ([at, what]) => findNotification(hints, sourceRef(stack.spec.sources[at]!), what) ?? [],
    )[0]
    return observeStack(stack, sighting, { ...before, attempted, told })
  }

  /** Which of a stack's sources are at a remote, by their place in its list. */
  #sourcesAt(remote: string, { spec }: Stack): readonly number[] {
    const all = spec.sources.map((_, at) => at)
    return all.length === 1
      ? all
      : all.filter((at) => this.#deps.source.remoteOf(spec.sources[at]!, spec.name) === remote)
  }

  #refsAt(remote: string, stack: Stack): readonly string[] {
    return this.#sourcesAt(remote, stack).map((at) => sourceRef(stack.spec.sources[at]!))
  }

  #reachableAgain(remote: string, stack: Stack): void {
    if (!this.#failures.end(stack.id, remote)) return
    this.#deps.log.info('source seen again', { stack: stack.spec.name, remote })
    this.#deps.onChanged(stack.id)
  }

  /** Runs that wait for a look, by stack. */
  async #waiting(stacks: readonly Stack[]): Promise<ReadonlyMap<string, Run>> {
    const unfinished = stacks.length === 0 ? [] : await this.#deps.store.runs.unfinished(...stacks.map(({ id }) => id))
    return new Map(unfinished.filter((run) => run.revision === '').map((run) => [run.stack, run]))
  }

  /** Stacks not seen since the agent started or the source failed, whose last run ended for want of it. */
  async #cutOff(stacks: readonly Stack[]): Promise<ReadonlySet<string>> {
    const unseen = stacks.filter(({ id }) => !this.#seen.has(id)).map(({ id }) => id)
    const last = await this.#deps.store.runs.last(unseen)
    return new Set(
      [...last.values()]
        .filter(({ revision, outcome }) => revision === '' && outcome === 'failed')
        .map(({ stack }) => stack),
    )
  }

  async #storeFailure(remote: string, stack: Stack, error: unknown): Promise<void> {
    const failure = toFailure(error ?? new Error('the remote did not answer for this ref'))
    const isHeldBack = failure.code === blockedMoveCode
    const isForPush = failure.code === 'source/nothing-pushed'
    const awaits = isHeldBack || (isForPush && awaitsPackage(stack))
    const isNew = this.#failures.add(stack.id, remote, { failure, error, awaits })
    this.#seen.delete(stack.id)
    const [waiting] = (await this.#deps.store.runs.unfinished(stack.id)).filter((run) => run.revision === '')
    // That run waits for the push, the release, or the configuration file.
    const ends = waiting !== undefined && !isForPush && !isHeldBack && failure.code !== 'config/not-given'
    if (ends) await this.#deps.store.runs.finish(waiting.id, { outcome: 'failed', problems: toProblems(error) })
    if (isNew && !awaits)
      this.#deps.log.warn('source not seen', { stack: stack.spec.name, code: failure.code, error: failure.message })
    if (isNew || ends) this.#deps.onChanged(stack.id)
  }
}
