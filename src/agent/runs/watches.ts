// Stacks whose target reports changes: a wake-up makes the drift check of the stack due at once.
import type { Clock } from '../../lib/clock.js'
import { fullBucket, takeToken, type Bucket, type Rate } from '../../lib/token-bucket.js'
import { describeError } from '../../model/errors.js'
import type { Stack } from '../../model/stacks/stack.js'
import type { Targets } from '../../stacks/targets.js'
import type { Store } from '../../store/store.js'
import { backoffMs } from '../schedule/backoff.js'
import type { Timers } from '../schedule/schedule.js'
import type { Tasks } from '../schedule/tasks.js'
import type { Log } from '../watch/log.js'
import { mayWatch } from './due.js'
import { WatchSession } from './watch-session.js'

export interface WatchesDeps {
  readonly store: Pick<Store, 'stacks' | 'ownership'>
  readonly targets: Targets
  readonly clock: Clock
  readonly log: Log
  readonly random: () => number
  readonly timers: Timers
  readonly tasks: Tasks
  readonly stop: AbortSignal
  /** Has the worker of the stack look for due work. */
  readonly wake: (stack: string) => void
}

interface StackWatch {
  session: WatchSession | undefined
  bucket: Bucket
  /** A resource may have changed since the last check began. */
  isWoken: boolean
  /** Failures to watch in a row. */
  failures: number
  failedAt: number
  /** The target is declared differently since the session began. */
  isOutdated: boolean
  /** Watches were lost: changes since then were not reported. */
  hasLost: boolean
  /** In progress: what is watched is brought up to date. */
  updating: Promise<void> | undefined
  again: boolean
}

/** Checks of one stack that wake-ups may cause. */
const rate: Rate = { perSecond: 0.2, burst: 10 }
/** After so long without a failure, the next one is the first again. */
const calmMs = 900_000

export class Watches {
  readonly #deps: WatchesDeps
  readonly #stacks = new Map<string, StackWatch>()

  constructor(deps: WatchesDeps) {
    this.#deps = deps
  }

  /** The stack is new, or its settings changed. */
  follow({ id, spec }: Pick<Stack, 'id' | 'spec'>): void {
    if (this.#stacks.has(id) || this.#deps.targets.reportsChanges(spec.target)) this.update(id)
  }

  /** What the stack owns may have changed. */
  runEnded(id: string): void {
    if (this.#stacks.has(id)) this.update(id)
  }

  /** The target of the stack is declared differently: what is watched is watched by a new connection. */
  reconnect(id: string): void {
    const watch = this.#stacks.get(id)
    if (watch === undefined) return
    watch.isOutdated = true
    watch.hasLost = true
    this.update(id)
  }

  /** Brings what is watched up to date. */
  update(id: string): void {
    const { stop, tasks } = this.#deps
    if (stop.aborted) return
    const watch = this.#watch(id)
    if (watch.updating !== undefined) {
      watch.again = true
      return
    }
    watch.updating = tasks.keep(this.#update(id, watch)).finally(() => {
      watch.updating = undefined
      if (!watch.again) return
      watch.again = false
      this.update(id)
    })
  }

  /** The stack was deleted. */
  remove(id: string): void {
    const watch = this.#stacks.get(id)
    this.#stacks.delete(id)
    for (const key of ['watch', 'wake']) this.#deps.timers.delete(`${key} ${id}`)
    if (watch !== undefined) void this.#deps.tasks.keep(this.#end(watch))
  }

  /** True if a resource may have changed since the last check began. */
  isWoken(id: string): boolean {
    return this.#stacks.get(id)?.isWoken === true
  }

  /** A check begins: it sees every change that was reported before, and those that come now are for the next one. */
  beginCheck(id: string): void {
    const watch = this.#stacks.get(id)
    if (watch !== undefined) watch.isWoken = false
  }

  /** A change was reported. At most at this rate, the stack is checked. */
  woken(id: string): void {
    const { clock, timers, wake } = this.#deps
    const watch = this.#stacks.get(id)
    if (watch === undefined || watch.isWoken) return
    const { bucket, waitMs } = takeToken(watch.bucket, rate, clock.elapsed())
    watch.bucket = bucket
    if (waitMs > 0) return timers.atLatest(`wake ${id}`, clock.now() + waitMs)
    watch.isWoken = true
    wake(id)
  }

  #watch(id: string): StackWatch {
    let watch = this.#stacks.get(id)
    if (watch === undefined) {
      watch = {
        session: undefined,
        bucket: fullBucket(rate, this.#deps.clock.elapsed()),
        isWoken: false,
        failures: 0,
        failedAt: 0,
        isOutdated: false,
        hasLost: false,
        updating: undefined,
        again: false,
      }
      this.#stacks.set(id, watch)
    }
    return watch
  }

  async #update(id: string, watch: StackWatch): Promise<void> {
    const { store, stop } = this.#deps
    try {
      const [stack] = await store.stacks.many([id])
      if (stack === undefined || !this.#isWatchable(stack)) return await this.#end(watch)
      const had = watch.hasLost
      watch.hasLost = false
      const session = await this.#session(stack, watch)
      await session.update((await store.ownership.of(id)).values())
      if (this.#stacks.get(id) !== watch) return await this.#end(watch)
      if (had) this.woken(id)
    } catch (error) {
      if (!stop.aborted) await this.#failed(id, watch, error)
    }
  }

  #isWatchable(stack: Stack): boolean {
    return mayWatch(stack) && this.#deps.targets.reportsChanges(stack.spec.target)
  }

  async #session(stack: Stack, watch: StackWatch): Promise<WatchSession> {
    const { targets, tasks, stop } = this.#deps
    const system = targets.liveSystem(stack.spec.target)
    if (watch.session !== undefined && (watch.isOutdated || watch.session.system !== system)) await this.#end(watch)
    watch.isOutdated = false
    const callbacks = {
      woken: () => this.woken(stack.id),
      lost: (_: unknown, why: Error) => this.#retry(stack.id, watch, why),
    }
    const keep = (work: Promise<void>): void => void tasks.keep(work)
    return (watch.session ??= await WatchSession.open(stack, { targets, callbacks, keep }, stop))
  }

  async #failed(id: string, watch: StackWatch, error: unknown): Promise<void> {
    this.#retry(id, watch, error)
    await this.#end(watch).catch(() => {})
  }

  /** Watches are tried ever less often; drift checks at their interval go on meanwhile. */
  #retry(id: string, watch: StackWatch, error: unknown): void {
    const { clock, timers, random, log } = this.#deps
    if (this.#stacks.get(id) !== watch || watch.hasLost) return
    const now = clock.elapsed()
    watch.failures = now - watch.failedAt > calmMs ? 1 : watch.failures + 1
    watch.failedAt = now
    watch.hasLost = true
    log.warn('resources are not watched, will retry', { stack: id, error: describeError(error) })
    timers.set(`watch ${id}`, clock.now() + backoffMs(watch.failures, random()))
  }

  async #end(watch: StackWatch): Promise<void> {
    const { session } = watch
    watch.session = undefined
    watch.isWoken = false
    await session?.[Symbol.asyncDispose]()
  }
}
