// agent: when things run. Takes stacks from the store; looks at remotes, keeps one worker for each stack, and parks everything when told to stop.
// Promises: one writer for each stack; the newest revision wins; a remote or target that hangs delays only what needs it.
import { setMaxListeners } from 'node:events'
import type { Clock } from '../model/clock.js'
import { describeError, Stopped } from '../model/errors.js'
import { Lock } from '../model/lock.js'
import type { Phase, Run } from '../model/run.js'
import type { Fleeting } from '../model/stack-query.js'
import type { Failure, Stack } from '../model/stack.js'
import type { Dispatch, RemoteLook } from '../stacks/dispatch.js'
import { everyStack } from '../stacks/every-stack.js'
import type { SyncDeps } from '../stacks/sync.js'
import { jittered } from './backoff.js'
import { Changes } from './changes.js'
import { failureOfError } from './failure-of.js'
import { Followers } from './followers.js'
import type { LateLook } from './lateness.js'
import type { Log } from './log.js'
import { noMeters, type Meters } from './meters.js'
import { Poller } from './poller.js'
import { RemoteHealth } from './remote-health.js'
import { RemoteLooks } from './remote-looks.js'
import { resume } from './resume.js'
import { Semaphore } from './semaphore.js'
import { Timetable } from './timetable.js'
import { Upkeep, type CopySettings } from './upkeep.js'
import { Worker } from './worker.js'

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
  /** 0 to 1, for jitter. */
  readonly random?: () => number
  readonly limits: { readonly runMs: number; readonly concurrency: number; readonly runsKept: number; readonly revisionsKept: number }
}

const leastPauseMs = 1_000

export class Agent implements Dispatch {
  readonly #deps: AgentDeps
  readonly #random: () => number
  readonly #timetable: Timetable
  readonly #changes = new Changes()
  readonly #poller: Poller
  readonly #places: Semaphore
  readonly #upkeep: Upkeep
  readonly #workers = new Map<string, { readonly worker: Worker; readonly lock: Lock; busy: boolean; again: boolean }>()
  readonly #followers = new Followers()
  readonly #looks: RemoteLooks
  readonly #health = new RemoteHealth()
  /** What kept a stack from writing anything down, and so is known only here. */
  readonly #stuckBy = new Map<string, Failure>()
  readonly #stop = new AbortController()
  readonly #inHand = new Set<Promise<unknown>>()
  #alarm: () => void = () => {}
  #started = false
  readonly sync: SyncDeps

  constructor(deps: AgentDeps) {
    setMaxListeners(0, this.#stop.signal) // every stack at work listens
    this.#deps = deps
    this.#random = deps.random ?? Math.random
    this.#places = new Semaphore(deps.limits.concurrency)
    this.#upkeep = new Upkeep({ ...deps, store: deps.sync.store, signal: this.#stop.signal })
    this.#timetable = new Timetable(() => this.#alarm())
    this.sync = { ...deps.sync, onPhase: (run, phase) => this.#phase(run.stack, phase) }
    this.#poller = new Poller({
      source: deps.sync.source,
      store: deps.sync.store,
      clock: deps.clock,
      log: deps.log,
      health: this.#health,
      meters: deps.meters ?? noMeters,
      onRun: (run) => this.#newRun(run),
      onChanged: (stack) => this.#changes.tell(stack),
    })
    this.#looks = new RemoteLooks({
      store: deps.sync.store,
      clock: deps.clock,
      log: deps.log,
      random: this.#random,
      poller: this.#poller,
      health: this.#health,
      followers: this.#followers,
      timetable: this.#timetable,
      stop: this.#stop.signal,
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
    await resume(store)
    for await (const stack of everyStack(store)) this.follow(stack)
    for (const [key, at] of await this.#upkeep.first()) this.#timetable.set(key, at)
    this.#started = true
    this.#keep(this.#keepTime())
  }

  /** Begins nothing new; what is in hand is parked. Resolves when nothing is under way. */
  async park(): Promise<void> {
    const why = new Stopped('shutdown', 'The agent is stopping.')
    this.#stop.abort(why)
    for (const { worker } of this.#workers.values()) worker.stop(why)
    this.#alarm()
    while (this.#inHand.size > 0) await Promise.allSettled(this.#inHand)
  }

  follow(stack: Stack): void {
    let remotes: readonly string[]
    try {
      remotes = this.#remotesOf(stack)
    } catch (error) {
      this.#unfollow(stack.id, [])
      return this.#keep(this.#poller.refuse(stack, error))
    }
    this.#unfollow(stack.id, remotes)
    for (const remote of remotes) this.#looks.follow(remote, stack.spec.intervalMs)
    this.wake(stack.id)
  }

  forget(stack: string): void {
    this.#unfollow(stack, [])
    this.#poller.forget(stack)
    this.#timetable.delete(`stack ${stack}`)
    this.#workers.delete(stack)
    this.#changes.tell(stack)
  }

  async look(stack: Stack, signal: AbortSignal): Promise<void> {
    await Promise.all(this.#remotesOf(stack).map((remote) => this.#looks.look(remote, signal)))
    const failed = this.#poller.failureOf(stack.id)
    if (failed !== undefined) throw failed.error
  }

  wake(stack: string): void {
    if (this.stopping) return
    const entry = this.#entry(stack)
    if (entry.busy) {
      entry.again = true
      return
    }
    entry.busy = true
    this.#keep(this.#work(stack, entry))
  }

  async stop(stack: string, why: Stopped): Promise<void> {
    const entry = this.#workers.get(stack)
    if (entry === undefined) return
    entry.worker.stop(why)
    await entry.lock.run(new AbortController().signal, async () => {})
  }

  exclusively<T>(stack: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.#entry(stack).lock.run(signal, work)
  }

  phaseOf({ id, stack }: Pick<Run, 'id' | 'stack'>): Phase | undefined {
    const inHand = this.#workers.get(stack)?.worker.inHand
    return inHand?.run.id === id ? inHand.phase : undefined
  }

  get fleeting(): Fleeting {
    const inHand = [...this.#workers.values()].flatMap(({ worker: { inHand } }) => (inHand === undefined ? [] : [inHand]))
    return {
      lookFailures: new Map([...this.#poller.failures, ...this.#stuckBy]),
      inHand: new Map(inHand.map(({ run, phase }) => [run.id, phase])),
    }
  }

  lookFailure(stack: string): Failure | undefined {
    return this.#stuckBy.get(stack) ?? this.#poller.failureOf(stack)?.failure
  }

  nextPollAt(stack: Stack): number | null {
    const times = this.#followers.remotesOf(stack.id).flatMap((remote) => this.#looks.nextAt(remote) ?? [])
    return times.length === 0 ? null : Math.min(...times)
  }

  lastLook(remote: string): RemoteLook | undefined {
    return this.#health.of(remote)
  }

  get lateLook(): LateLook | undefined {
    return this.#looks.late
  }

  changed(stack: string, signal: AbortSignal): Promise<void> {
    return this.#changes.next(stack, AbortSignal.any([signal, this.#stop.signal]))
  }

  /** Throws what is refused. */
  #remotesOf({ spec }: Stack): readonly string[] {
    return [...new Set(spec.sources.map((source) => this.#deps.sync.source.remoteOf(source, spec.name)))]
  }

  /** Every remote but these. */
  #unfollow(stack: string, remotes: readonly string[]): void {
    for (const abandoned of this.#followers.follow(stack, remotes)) this.#looks.forget(abandoned)
    this.#poller.follow(stack, remotes)
  }

  /** A newer revision is there: what is in hand for an older one ends. The new run itself, or a later one, may be in hand by now. */
  #newRun({ id, stack }: Run): void {
    const worker = this.#workers.get(stack)?.worker
    if (Number(worker?.inHand?.run.id ?? id) < Number(id)) worker?.stop(new Stopped('superseded', 'A newer revision is there.'))
    this.wake(stack)
  }

  #phase(stack: string, phase: Phase): void {
    this.#workers.get(stack)?.worker.setPhase(phase)
    this.#changes.tell(stack)
  }

  #entry(stack: string): { readonly worker: Worker; readonly lock: Lock; busy: boolean; again: boolean } {
    let entry = this.#workers.get(stack)
    if (entry === undefined) {
      const { clock, log, limits, onRunEnd = async () => {} } = this.#deps
      const stopping = (): boolean => this.stopping
      const worker = new Worker(stack, {
        sync: this.sync,
        clock,
        log,
        random: this.#random,
        runMs: limits.runMs,
        places: this.#places,
        stopping,
        onRunEnd,
      })
      this.#workers.set(stack, (entry = { worker, lock: new Lock(), busy: false, again: false }))
    }
    return entry
  }

  async #work(stack: string, entry: { readonly worker: Worker; readonly lock: Lock; busy: boolean; again: boolean }): Promise<void> {
    try {
      do {
        entry.again = false
        while (await entry.lock.run(this.#stop.signal, () => entry.worker.step())) this.#changes.tell(stack)
      } while (entry.again && !this.stopping)
      this.#stuckBy.delete(stack)
      const due = await entry.worker.dueAt()
      if (due === undefined) this.#timetable.delete(`stack ${stack}`)
      // What was due by now has just been looked at: never at once again.
      else this.#timetable.set(`stack ${stack}`, Math.max(due, this.#deps.clock.now() + leastPauseMs))
    } catch (error) {
      if (!this.stopping) this.#stuck(stack, error)
    } finally {
      entry.busy = false
      this.#changes.tell(stack)
    }
    if (entry.again) this.wake(stack)
  }

  /** The database itself failed: nothing can be written down, so it is tried again from what is written. */
  #stuck(stack: string, error: unknown): void {
    this.#deps.log.error('stack is stuck', { stack, error: describeError(error) })
    this.#stuckBy.set(stack, failureOfError(error))
    this.#timetable.set(`stack ${stack}`, this.#deps.clock.now() + jittered(5_000, this.#random()))
  }

  async #keepTime(): Promise<void> {
    const { clock } = this.#deps
    while (!this.stopping) {
      for (const key of this.#timetable.take(clock.now())) this.#due(key)
      await this.#untilNext()
    }
  }

  #due(key: string): void {
    const upkeep = this.#upkeep.do(key)
    if (upkeep !== undefined) return this.#keep(upkeep.then((at) => this.#timetable.set(key, at)))
    const [what, name] = [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)]
    if (what === 'stack') return this.wake(name)
    this.#keep(this.#looks.due(name))
  }

  async #untilNext(): Promise<void> {
    const woken = new AbortController()
    this.#alarm = (): void => woken.abort()
    const next = this.#timetable.next()
    const ms = Math.min(Math.max(0, next - this.#deps.clock.now()), 3_600_000)
    await this.#deps.clock.sleep(ms, AbortSignal.any([woken.signal, this.#stop.signal])).catch(() => {})
  }

  #keep(work: Promise<unknown>): void {
    this.#inHand.add(work)
    void work.finally(() => this.#inHand.delete(work)).catch(() => {})
  }
}
