// agent: when polls and runs start. Takes stacks from the store; polls remotes, runs one worker for each stack, and
// stops everything on request. Promises: one writer for each stack; the newest revision wins; a remote or a target that
// hangs delays only the stacks that need it.
//
// From a push to a run: a timer, a webhook, a watched directory or a person has a remote polled (poll/remote-polls.ts);
// what a poll finds is decided, stored and queued (poll/poll.ts); the stack's worker runs it (runs/worker.ts), which is
// one sync (stacks/sync.ts).
import { setMaxListeners } from 'node:events'
import type { ChannelPolicy } from '../channel/channel-policy.js'
import type { Clock } from '../lib/clock.js'
import { Semaphore } from '../lib/async/semaphore.js'
import { Slices } from '../lib/async/steps.js'
import { Stopped, type SyncError } from '../model/errors.js'
import type { Phase, Run } from '../model/stacks/run.js'
import type { Stack } from '../model/stacks/stack.js'
import type { ValueLookup } from '../secrets/resolve-value.js'
import { ChangedTargets } from './runs/changed-targets.js'
import { pagesOfStacks } from '../stacks/stacks.js'
import type { Scheduler } from '../stacks/scheduler.js'
import type { SyncDeps } from '../stacks/sync.js'
import { CachedRefTips } from './poll/channels/cached-ref-tips.js'
import { ChannelPolicies } from './poll/channels/channel-policies.js'
import { Hosts, withRetryAfter } from './hosts/hosts.js'
import { Fleets } from './fleets/fleets.js'
import { MoveFacts } from './poll/channels/move-facts.js'
import { Poller } from './poll/poll.js'
import { RemotePolls } from './poll/remote-polls.js'
import { dependsOnClock } from './runs/due.js'
import { resumeRuns } from './runs/resume.js'
import { Runs } from './runs/runs.js'
import { Watches } from './runs/watches.js'
import { Timers } from './schedule/schedule.js'
import { Tasks } from './schedule/tasks.js'
import { StackReferences } from './upkeep/stack-references.js'
import { Upkeep, type CopySettings } from './upkeep/upkeep.js'
import { Changes } from './watch/changes.js'
import { Live } from './watch/live.js'
import type { Log } from './watch/log.js'
import { noMeters, type Meters } from './watch/meters.js'
import { Watch } from './watch/watch.js'

export interface AgentDeps {
  readonly sync: Omit<SyncDeps, 'onPhase' | 'clock'>
  readonly clock: Clock
  readonly log: Log
  /** Where the credentials of targets are read. Default: changes of them are not noticed. */
  readonly lookup?: ValueLookup
  /** Default: nothing is counted. */
  readonly meters?: Meters
  /** Called at the end of each run. `onStart`: before unfinished runs resume, and then when the agent has started. */
  readonly onRunEnd?: (stack: string, run: string) => Promise<void>
  readonly onStart?: (hasStarted: boolean) => Promise<void>
  /** Default: no automatic copies of the database. */
  readonly copies?: CopySettings
  /** Of the configuration file. Default: the stored ones, as no file was given. */
  readonly policies?: readonly ChannelPolicy[]
  /** Whether the agent has a configuration file. Default: yes. */
  readonly isFileGiven?: boolean
  /** How long reads of a remote wait after a start. Default: they do not. */
  readonly readWaitMs?: (remote: string) => number
  /** Why a stack is neither polled nor applied automatically. Default: none is refused. */
  readonly refusal?: (stack: Stack) => SyncError | undefined
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
  readonly #stop = new AbortController()
  readonly #tasks = new Tasks()
  readonly #changes = new Changes()
  readonly #timers: Timers
  readonly #upkeep: Upkeep
  readonly #references: StackReferences
  readonly #watches: Watches
  #started = false
  #parking: Promise<boolean> | undefined
  /** What a sync works with: the source heeds Retry-After, and phases are published. */
  readonly sync: SyncDeps
  readonly live = new Live()
  readonly events: Watch
  readonly runs: Runs
  readonly channels: ChannelPolicies
  readonly fleets: Fleets
  readonly targets: ChangedTargets
  readonly polls: RemotePolls

  /** Each part is given those before it, and none after it. */
  constructor(deps: AgentDeps) {
    setMaxListeners(0, this.#stop.signal) // every stack with work listens
    this.#deps = deps
    const { clock, log, limits, random = Math.random, meters = noMeters, onRunEnd = async () => {} } = deps
    const { store, locks } = deps.sync
    this.#timers = new Timers(clock)
    const shared = { tasks: this.#tasks, timers: this.#timers, changes: this.#changes, stop: this.#stop.signal }
    const parts = { ...shared, store, locks, clock, log, meters, random, live: this.live }
    this.events = new Watch({ ...parts, sync: deps.sync, scheduler: this })
    const hosts = new Hosts({ ...parts, pollsPerHost: limits.pollsPerHost })
    const source = withRetryAfter(deps.sync.source, hosts)
    this.sync = { ...deps.sync, source, clock, onPhase: (run, phase) => this.#enterPhase(run, phase) }
    const waking = { targets: deps.sync.targets, wake: (stack: string) => this.runs.wake(stack) }
    this.#watches = new Watches({ ...parts, ...waking })
    this.targets = new ChangedTargets({ ...parts, ...waking, watches: this.#watches, lookup: deps.lookup })
    this.runs = new Runs({
      ...parts,
      watches: this.#watches,
      sync: this.sync,
      listing: (fleet) => this.fleets.listing(fleet),
      runMs: limits.runMs,
      refusal: deps.refusal,
      slots: new Semaphore(limits.concurrency),
      onRunEnd: async (stack, run) => {
        await this.events.ended(stack, run)
        this.#watches.runEnded(stack)
        await onRunEnd(stack, run)
      },
    })
    const refTips = new CachedRefTips(deps.sync.tips)
    this.channels = new ChannelPolicies({ ...parts, refTips })
    const facts = new MoveFacts({ ...parts, source, refTips, events: this.events })
    this.fleets = new Fleets({
      ...parts,
      members: { sync: this.sync, scheduler: this },
      isFileGiven: deps.isFileGiven ?? true,
      follow: (fleet, remote) => this.polls.followFleet(fleet, remote),
    })
    const poller = new Poller({
      ...parts,
      fleets: this.fleets,
      source,
      channels: this.channels,
      facts,
      events: this.events,
      queue: this.runs,
    })
    this.polls = new RemotePolls({
      ...parts,
      source,
      hosts,
      channels: this.channels,
      poller,
      fleets: this.fleets,
      refusal: deps.refusal,
      readWaitMs: deps.readWaitMs ?? (() => 0),
    })
    this.#references = new StackReferences({ ...parts, inputs: deps.sync.inputs })
    this.#upkeep = new Upkeep({
      ...deps,
      store,
      references: [this.#references, this.targets],
      source,
      remotes: () => this.polls.remotesInUse(),
      signal: parts.stop,
    })
  }

  get started(): boolean {
    return this.#started
  }

  get stopping(): boolean {
    return this.#stop.signal.aborted
  }

  /**
   * Resumes the work of the last process, then follows the timers until `park`. `declare`: declares the stacks of the
   * configuration; the agent counts as started after it.
   */
  async start(declare?: () => Promise<void>): Promise<void> {
    const { store, targets } = this.#deps.sync
    targets.bind(await store.stacks.boundSystems())
    await this.events.start()
    await this.#deps.onStart?.(false)
    await this.channels.start(this.#deps.policies)
    await this.fleets.load()
    const { halfDone, waiting } = await resumeRuns(store)
    const slices = new Slices()
    for (const stack of halfDone) this.runs.wake(stack) // before stacks that have nothing half-done
    for await (const stacks of pagesOfStacks(store)) {
      for (const stack of stacks) this.events.add(stack)
      const followed = stacks.filter((stack) => this.polls.follow(stack, true))
      for (const stack of followed) {
        await slices.afterStep() // each may have a thousand files to read
        this.#references.follow(stack)
        this.#watches.follow(stack)
        await this.runs.claimed.resume(stack)
      }
      const last = await store.runs.last(followed.map(({ id }) => id))
      for (const stack of followed)
        this.runs.plan(stack, { last: last.get(stack.id), isBusy: waiting.has(stack.id) || halfDone.has(stack.id) })
    }
    for (const remote of this.channels.dueAt.keys()) this.polls.planChannels(remote)
    for (const [key, at] of await this.#upkeep.firstTimes()) this.#timers.set(key, at)
    const handlers = { onDue: (key: string) => this.#due(key), onClockSet: () => this.#clockSet() }
    void this.#tasks.keep(this.#timers.run(handlers, this.#stop.signal))
    await declare?.()
    await this.fleets.start()
    this.#started = true
    await this.#deps.onStart?.(true)
  }

  /**
   * Begins nothing new, and stops runs in progress. Resolves when nothing is in progress: true; or after `limitMs` if
   * something still is: false. Later calls give the result of the first.
   */
  park(limitMs?: number): Promise<boolean> {
    return (this.#parking ??= this.#park(limitMs))
  }

  async #park(limitMs: number | undefined): Promise<boolean> {
    const why = new Stopped('shutdown', 'The agent is stopping.')
    this.#stop.abort(why)
    this.runs.stopAll(why)
    const isIdle = await this.#tasks.idle(limitMs)
    this.events.stop()
    return isIdle
  }

  refusal(stack: Stack): SyncError | undefined {
    return this.#deps.refusal?.(stack)
  }

  follow(stack: Stack): void {
    this.runs.blockers.created(stack.spec.name)
    this.#watches.follow(stack)
    if (!this.polls.follow(stack)) return this.#references.remove(stack.id)
    this.#references.follow(stack)
    this.runs.wake(stack.id)
  }

  unfollow(stack: string): void {
    this.polls.unfollow(stack)
    this.runs.remove(stack)
    this.#references.remove(stack)
    this.#watches.remove(stack)
    this.live.remove(stack)
    this.#changes.notify(stack)
    this.targets.stackDeleted()
  }

  /** Policies of the configuration file that was read again: stored, and blocked moves are decided again by them. */
  setChannelPolicies(policies: readonly ChannelPolicy[]): void {
    for (const remote of this.channels.setPolicies(policies)) void this.#tasks.keep(this.polls.channelsDue(remote))
    void this.#tasks.keep(this.channels.storePolicies(policies))
  }

  #enterPhase(run: Run, phase: Phase): void {
    this.live.setPhase(run, phase)
    this.events.phase(run, phase)
    this.#changes.notify(run.stack)
  }

  /**
   * `stack ID`, `poll ID`, `watch ID` and `wake ID` of a stack, `remote REMOTE`, `channels REMOTE`, or the name of an
   * upkeep task.
   */
  #due(key: string): void {
    const upkeep = this.#upkeep.perform(key)
    if (upkeep !== undefined) return void this.#tasks.keep(upkeep.then((at) => this.#timers.set(key, at)))
    const [what, name] = [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)]
    switch (what) {
      case 'stack':
        return this.runs.wake(name)
      case 'poll':
        return void this.#tasks.keep(this.#pollSoon(name))
      case 'watch':
        return this.#watches.update(name)
      case 'wake':
        return this.#watches.woken(name)
      case 'channels':
        return void this.#tasks.keep(this.polls.channelsDue(name))
      default:
        return void this.#tasks.keep(this.polls.due(name))
    }
  }

  /** A scheduled run waits for the poll of its stack's remotes. */
  async #pollSoon(id: string): Promise<void> {
    for (const stack of await this.#deps.sync.store.stacks.many([id])) this.polls.follow(stack)
  }

  /** Suspensions, windows and schedules follow the time of day: after the clock was set, they may be due. */
  #clockSet(): void {
    const { clock, log } = this.#deps
    log.warn('the clock was set', { to: new Date(clock.now()).toISOString() })
    void this.#tasks.keep(this.#wakeClockDependent())
  }

  async #wakeClockDependent(): Promise<void> {
    for await (const stacks of pagesOfStacks(this.#deps.sync.store))
      for (const stack of stacks) if (dependsOnClock(stack)) this.runs.wake(stack.id)
  }
}
