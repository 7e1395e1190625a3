// agent: when things run. Takes stacks from the store; looks at remotes, keeps one worker for each stack, and parks
// everything when told to stop. Promises: one writer for each stack; the newest revision wins; a remote or target that
// hangs delays only what needs it.
import { setMaxListeners } from 'node:events'
import type { Channel } from '../model/channel.js'
import type { Clock } from '../model/clock.js'
import { Stopped } from '../model/errors.js'
import type { Hint, HintOutcome } from '../model/hint.js'
import { orAborted } from '../model/or-aborted.js'
import type { NumberedHappening } from '../model/happening.js'
import type { Phase, Run } from '../model/run.js'
import type { Fleeting } from '../model/stack-query.js'
import type { Wait } from '../model/wait.js'
import type { Failure, Stack } from '../model/stack.js'
import type { Deciding, Dispatch, Listening, LookDelay, RemoteLook } from '../stacks/dispatch.js'
import type { ChannelPolicy, NamedChannel } from '../source/channel/channel-policy.js'
import { pagesOfStacks } from '../stacks/every-stack.js'
import type { SyncDeps } from '../stacks/sync.js'
import { ChangeWatch } from './change-watch.js'
import { Changes } from './changes.js'
import type { Looked } from './looks/channel-gate.js'
import type { LateLook } from './looks/lateness.js'
import { Looking } from './looks/looking.js'
import type { Log } from './log.js'
import { noMeters, type Meters } from './meters.js'
import { resume } from './resume.js'
import { Semaphore } from '../model/semaphore.js'
import { Timekeeper } from './timekeeper.js'
import { Upkeep, type CopySettings } from './upkeep.js'
import { goesByTime } from './runs/due.js'
import { Workers } from './runs/workers.js'

export interface AgentDeps {
  readonly sync: Omit<SyncDeps, 'onPhase'>
  readonly clock: Clock
  readonly log: Log
  /** Default: nobody counts. */
  readonly meters?: Meters
  /** Told of every run that ended. */
  readonly onRunEnd?: (stack: string, run: string) => Promise<void>
  /** Default: no automatic copies of the database. */
  readonly copies?: CopySettings
  /** Of the configuration file. Default: no file was given, and those of the last one count. */
  readonly policies?: readonly ChannelPolicy[]
  /** Why a stack is left alone: nothing is polled or applied for it by itself. Default: none is. */
  readonly refusal?: (stack: Stack) => Error | undefined
  /** 0 to 1, for jitter. */
  readonly random?: () => number
  readonly limits: {
    readonly runMs: number
    readonly concurrency: number
    readonly hostLooks: number
    readonly runsKept: number
    readonly revisionsKept: number
  }
}

export class Agent implements Dispatch {
  readonly #deps: AgentDeps
  readonly #time: Timekeeper
  readonly #changes = new Changes()
  readonly #watch: ChangeWatch
  readonly #looking: Looking
  readonly #upkeep: Upkeep
  readonly #workers: Workers
  readonly #stop = new AbortController()
  readonly #inHand = new Set<Promise<unknown>>()
  #started = false
  #parking: Promise<boolean> | undefined
  readonly sync: SyncDeps

  constructor(deps: AgentDeps) {
    setMaxListeners(0, this.#stop.signal) // every stack at work listens
    this.#deps = deps
    const { clock, log, limits, random = Math.random, meters = noMeters, onRunEnd = async () => {} } = deps
    const { store } = deps.sync
    const stop = this.#stop.signal
    const onChanged = (stack: string): void => this.#changed(stack)
    const keep = (work: Promise<unknown>): void => this.#keep(work)
    this.#time = new Timekeeper(clock)
    const known = { store, clock, log, random, timetable: this.#time, stop, onChanged, keep }
    this.#looking = new Looking({
      ...known,
      source: deps.sync.source,
      tips: deps.sync.tips,
      meters,
      hostLooks: limits.hostLooks,
      ...(deps.refusal === undefined ? {} : { refusal: deps.refusal }),
      onMoved: (move) => this.#watch.moved(move),
      onRun: (run) => this.#workers.supersede(run),
    })
    const { source } = this.#looking
    this.#upkeep = new Upkeep({ ...deps, store, source, followed: () => this.#looking.looks.remotes, signal: stop })
    this.sync = { ...deps.sync, source, onPhase: (run, phase) => this.#phase(run, phase) }
    this.#watch = new ChangeWatch({
      store,
      clock,
      log,
      meters,
      lookFailure: (stack) => this.lookFailure(stack),
      waitsOf: (stack) => this.waitsOf(stack),
    })
    const places = new Semaphore(limits.concurrency)
    this.#workers = new Workers({
      ...known,
      sync: this.sync,
      runMs: limits.runMs,
      places,
      onRunEnd: async (stack, run) => {
        await this.#watch.ended(stack, run)
        await onRunEnd(stack, run)
      },
      lookFailure: (stack) => this.lookFailure(stack),
      lookAt: (stack) => void this.#looking.follow(stack),
    })
  }

  get started(): boolean {
    return this.#started
  }

  get stopping(): boolean {
    return this.#stop.signal.aborted
  }

  /** Goes on where the last process stopped, then keeps time until `park`. */
  async start(): Promise<void> {
    const { store } = this.#deps.sync
    await this.#watch.start()
    await this.#looking.gate.start(this.#deps.policies)
    const { halfDone, waiting } = await resume(store)
    for (const stack of halfDone) this.wake(stack) // before all that only waits
    for await (const stacks of pagesOfStacks(store)) {
      for (const stack of stacks) this.#watch.know(stack)
      const followed = stacks.filter((stack) => this.#looking.follow(stack, true))
      const last = await store.runs.last(followed.map(({ id }) => id))
      for (const stack of followed)
        this.#workers.plan(stack, { last: last.get(stack.id), isBusy: waiting.has(stack.id) || halfDone.has(stack.id) })
    }
    for (const remote of this.#looking.gate.dueAt.keys()) this.#looking.looks.planChannels(remote)
    for (const [key, at] of await this.#upkeep.first()) this.#time.set(key, at)
    this.#started = true
    this.#keep(
      this.#time.run({ onDue: (key) => this.#due(key), onSet: () => this.#keep(this.#wakeTimed()) }, this.#stop.signal),
    )
  }

  /**
   * Begins nothing new; what is in hand is parked. Resolves when nothing is under way, at the latest after `limitMs`:
   * false, if something still is then. Asked again, it gives what comes of the first time.
   */
  park(limitMs?: number): Promise<boolean> {
    return (this.#parking ??= this.#park(limitMs))
  }

  async #park(limitMs: number | undefined): Promise<boolean> {
    const why = new Stopped('shutdown', 'The agent is stopping.')
    this.#stop.abort(why)
    this.#workers.stopAll(why)
    const late = new AbortController()
    const timer = limitMs === undefined ? undefined : setTimeout(() => late.abort(), limitMs)
    while (this.#inHand.size > 0 && !late.signal.aborted)
      await orAborted(Promise.allSettled(this.#inHand), late.signal).catch(() => {})
    clearTimeout(timer)
    this.#watch.stop()
    return this.#inHand.size === 0
  }

  follow(stack: Stack): void {
    this.#workers.gates.came(stack.spec.name)
    if (this.#looking.follow(stack)) this.wake(stack.id)
  }

  forget(stack: string): void {
    this.#looking.forget(stack)
    this.#workers.forget(stack)
    this.#changed(stack)
  }

  look(stack: Stack, signal: AbortSignal): Promise<void> {
    return this.#looking.look(stack, signal)
  }

  hint(remote: string, hint: Hint): Promise<HintOutcome> {
    const told = this.#looking.hints.hint(remote, hint)
    this.#keep(told)
    return told
  }

  get followed(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#looking.looks.followed
  }

  offered(remote: string, refs: readonly string[], signal: AbortSignal): Promise<Looked> {
    return this.#looking.offered(remote, refs, signal)
  }

  decide(remote: string, deciding: Deciding): Promise<void> {
    const decided = this.#looking.looks.decideAgain(remote, deciding)
    this.#keep(decided)
    return decided
  }

  heldBack(remote: string, ref: string): Channel | undefined {
    return this.#looking.gate.heldBack(remote, ref)
  }

  policyOf(channel: NamedChannel): ChannelPolicy {
    return this.#looking.gate.policyOf(channel)
  }

  spellingsOf(remote: string): readonly string[] {
    return this.#looking.gate.spellingsOf(remote)
  }

  declareChannels(policies: readonly ChannelPolicy[]): void {
    this.#looking.declareChannels(policies)
  }

  wake(stack: string): void {
    this.#workers.wake(stack)
  }

  stop(stack: string, why: Stopped): Promise<void> {
    return this.#workers.stop(stack, why)
  }

  exclusively<T>(stack: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.#workers.exclusively(stack, signal, work)
  }

  phaseOf(run: Pick<Run, 'id' | 'stack'>): Phase | undefined {
    return this.#workers.phaseOf(run)
  }

  get fleeting(): Fleeting {
    return {
      lookFailures: new Map([...this.#looking.poller.failures, ...this.#workers.stuckBy]),
      inHand: this.#workers.inHand,
      waits: this.#workers.gates.waits,
    }
  }

  lookFailure(stack: string): Failure | undefined {
    return this.#workers.stuckBy.get(stack) ?? this.#looking.poller.failureOf(stack)
  }

  waitsOf(stack: string): readonly Wait[] {
    return this.#workers.gates.waits.get(stack) ?? []
  }

  nextPollAt(stack: Stack): number | null {
    return this.#looking.looks.nextAt(stack.id) ?? null
  }

  get delayedLooks(): ReadonlyMap<string, LookDelay> {
    return this.#looking.looks.delayed
  }

  get proven(): ReadonlyMap<string, string> {
    return this.#looking.looks.proven
  }

  lastLook(remote: string): RemoteLook | undefined {
    return this.#looking.health.of(remote)
  }

  get lateLook(): LateLook | undefined {
    return this.#looking.looks.late
  }

  listen(after: string | undefined, listener: (happening: NumberedHappening) => void): Listening {
    return this.#watch.listen(after, listener)
  }

  get oldestLookMs(): number {
    return this.#looking.looks.oldestMs
  }

  changed(stack: string, signal: AbortSignal): Promise<void> {
    return this.#changes.next(stack, AbortSignal.any([signal, this.#stop.signal]))
  }

  #phase(run: Run, phase: Phase): void {
    this.#workers.setPhase(run.stack, phase)
    this.#watch.phase(run, phase)
    this.#changed(run.stack)
  }

  #changed(stack: string): void {
    this.#changes.tell(stack)
    this.#workers.gates.changed(stack)
    this.#watch.touch(stack)
  }

  #due(key: string): void {
    const upkeep = this.#upkeep.do(key)
    if (upkeep !== undefined) return this.#keep(upkeep.then((at) => this.#time.set(key, at)))
    const [what, name] = [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)]
    if (what === 'stack') return this.wake(name)
    this.#keep(what === 'channels' ? this.#looking.looks.channelsDue(name) : this.#looking.looks.due(name))
  }

  /** Suspensions, windows and schedules go by the time of day: where the clock was set, that may be now. */
  async #wakeTimed(): Promise<void> {
    const { clock, log, sync } = this.#deps
    log.warn('the clock was set', { to: new Date(clock.now()).toISOString() })
    for await (const stacks of pagesOfStacks(sync.store))
      for (const stack of stacks) if (goesByTime(stack)) this.wake(stack.id)
  }

  #keep(work: Promise<unknown>): void {
    this.#inHand.add(work)
    void work.finally(() => this.#inHand.delete(work)).catch(() => {})
  }
}
