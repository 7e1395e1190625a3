// agent: when things run. Takes stacks from the store; looks at remotes, keeps one worker for each stack, and parks
// everything when told to stop. Promises: one writer for each stack; the newest revision wins; a remote or target that
// hangs delays only what needs it.
import { setMaxListeners } from 'node:events'
import type { Clock } from '../lib/clock.js'
import { Stopped } from '../model/errors.js'
import { orAborted } from '../lib/or-aborted.js'
import type { Phase, Run } from '../model/run.js'
import type { Stack } from '../model/stack.js'
import type { ChannelStates, Events, LiveFacts, Polls, Scheduler } from '../stacks/scheduler.js'
import type { ChannelPolicy } from '../channel/channel-policy.js'
import { pagesOfStacks } from '../stacks/every-stack.js'
import type { SyncDeps } from '../stacks/sync.js'
import { ChangeWatch } from './watch/watch.js'
import { Changes } from './watch/changes.js'
import { Polling } from './poll/polling.js'
import type { Log } from './watch/log.js'
import { noMeters, type Meters } from './watch/meters.js'
import { resumeRuns } from './runs/resume.js'
import { Semaphore } from '../lib/semaphore.js'
import { Timers } from './schedule/schedule.js'
import { Upkeep, type CopySettings } from './upkeep/upkeep.js'
import { dependsOnClock } from './runs/due.js'
import { Workers } from './runs/runs.js'

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
    readonly pollsPerHost: number
    readonly runsKept: number
    readonly revisionsKept: number
  }
}

export class Agent implements Scheduler {
  readonly #deps: AgentDeps
  readonly #timers: Timers
  readonly #changes = new Changes()
  readonly #watch: ChangeWatch
  readonly #polling: Polling
  readonly #upkeep: Upkeep
  readonly #workers: Workers
  readonly #stop = new AbortController()
  readonly #inProgress = new Set<Promise<unknown>>()
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
    this.#timers = new Timers(clock)
    const known = { store, clock, log, random, timetable: this.#timers, stop, onChanged, keep }
    this.#polling = new Polling({
      ...known,
      source: deps.sync.source,
      refTips: deps.sync.tips,
      meters,
      pollsPerHost: limits.pollsPerHost,
      ...(deps.refusal === undefined ? {} : { refusal: deps.refusal }),
      onMoved: (move) => this.#watch.moved(move),
      onRun: (run) => this.#workers.supersede(run),
    })
    const { source } = this.#polling
    this.#upkeep = new Upkeep({ ...deps, store, source, followed: () => this.#polling.polls.remotes, signal: stop })
    this.sync = { ...deps.sync, source, onPhase: (run, phase) => this.#phase(run, phase) }
    this.#watch = new ChangeWatch({
      store,
      clock,
      log,
      meters,
      pollFailure: (stack) => this.live.pollFailure(stack),
      blockers: (stack) => this.live.blockersOf(stack),
    })
    const slots = new Semaphore(limits.concurrency)
    this.#workers = new Workers({
      ...known,
      sync: this.sync,
      runMs: limits.runMs,
      slots,
      onRunEnd: async (stack, run) => {
        await this.#watch.ended(stack, run)
        await onRunEnd(stack, run)
      },
      pollFailure: (stack) => this.live.pollFailure(stack),
      poll: (stack) => void this.#polling.follow(stack),
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
    await this.#polling.policies.start(this.#deps.policies)
    const { halfDone, waiting } = await resumeRuns(store)
    for (const stack of halfDone) this.#workers.wake(stack) // before all that only waits
    for await (const stacks of pagesOfStacks(store)) {
      for (const stack of stacks) this.#watch.add(stack)
      const followed = stacks.filter((stack) => this.#polling.follow(stack, true))
      const last = await store.runs.last(followed.map(({ id }) => id))
      for (const stack of followed)
        this.#workers.plan(stack, { last: last.get(stack.id), isBusy: waiting.has(stack.id) || halfDone.has(stack.id) })
    }
    for (const remote of this.#polling.policies.dueAt.keys()) this.#polling.polls.planChannels(remote)
    for (const [key, at] of await this.#upkeep.firstTimes()) this.#timers.set(key, at)
    this.#started = true
    this.#keep(
      this.#timers.run(
        { onDue: (key) => this.#due(key), onClockSet: () => this.#keep(this.#wakeTimed()) },
        this.#stop.signal,
      ),
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
    while (this.#inProgress.size > 0 && !late.signal.aborted)
      await orAborted(Promise.allSettled(this.#inProgress), late.signal).catch(() => {})
    clearTimeout(timer)
    this.#watch.stop()
    return this.#inProgress.size === 0
  }

  follow(stack: Stack): void {
    this.#workers.blockers.created(stack.spec.name)
    if (this.#polling.follow(stack)) this.#workers.wake(stack.id)
  }

  unfollow(stack: string): void {
    this.#polling.unfollow(stack)
    this.#workers.remove(stack)
    this.#changed(stack)
  }

  get runs(): Workers {
    return this.#workers
  }

  get channels(): ChannelStates {
    return this.#polling.policies
  }

  get polls(): Polls {
    const polling = this.#polling
    return {
      poll: (stack, signal) => polling.look(stack, signal),
      notify: (remote, notification) => {
        const outcome = polling.notifications.notify(remote, notification)
        this.#keep(outcome)
        return outcome
      },
      releasedTips: (remote, refs, signal) => polling.releasedTips(remote, refs, signal),
      decide: (remote, decision) => {
        const decided = polling.polls.decideAgain(remote, decision)
        this.#keep(decided)
        return decided
      },
      followers: polling.polls.followers,
      nextAt: (stack) => polling.polls.nextAt(stack.id) ?? null,
      delays: polling.polls.delayed,
      provenWebhooks: polling.polls.proven,
      last: (remote) => polling.lastPolls.get(remote),
      late: polling.polls.late,
      oldestMs: polling.polls.oldestMs,
    }
  }

  get events(): Events {
    return {
      subscribe: (after, listener) => this.#watch.subscribe(after, listener),
      nextChange: (stack, signal) => this.#changes.next(stack, AbortSignal.any([signal, this.#stop.signal])),
    }
  }

  get live(): LiveFacts {
    const { stuck, blockers } = this.#workers
    const { poller } = this.#polling
    return {
      pollFailures: new Map([...poller.failures, ...stuck]),
      inProgress: this.#workers.inProgress,
      blockers: blockers.byStack,
      phaseOf: (run) => this.#workers.phaseOf(run),
      pollFailure: (stack) => stuck.get(stack) ?? poller.failureOf(stack),
      blockersOf: (stack) => blockers.byStack.get(stack) ?? [],
    }
  }

  setChannelPolicies(policies: readonly ChannelPolicy[]): void {
    this.#polling.setChannelPolicies(policies)
  }

  #phase(run: Run, phase: Phase): void {
    this.#workers.setPhase(run.stack, phase)
    this.#watch.phase(run, phase)
    this.#changed(run.stack)
  }

  #changed(stack: string): void {
    this.#changes.notify(stack)
    this.#workers.blockers.changed(stack)
    this.#watch.touch(stack)
  }

  #due(key: string): void {
    const upkeep = this.#upkeep.perform(key)
    if (upkeep !== undefined) return this.#keep(upkeep.then((at) => this.#timers.set(key, at)))
    const [what, name] = [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)]
    if (what === 'stack') return this.#workers.wake(name)
    this.#keep(what === 'channels' ? this.#polling.polls.channelsDue(name) : this.#polling.polls.due(name))
  }

  /** Suspensions, windows and schedules go by the time of day: where the clock was set, that may be now. */
  async #wakeTimed(): Promise<void> {
    const { clock, log, sync } = this.#deps
    log.warn('the clock was set', { to: new Date(clock.now()).toISOString() })
    for await (const stacks of pagesOfStacks(sync.store))
      for (const stack of stacks) if (dependsOnClock(stack)) this.#workers.wake(stack.id)
  }

  #keep(work: Promise<unknown>): void {
    this.#inProgress.add(work)
    void work.finally(() => this.#inProgress.delete(work)).catch(() => {})
  }
}
