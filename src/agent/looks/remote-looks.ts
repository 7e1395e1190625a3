// Looks at remotes: one at a time for each, shared by all who ask, and planned again when it has ended.
import type { Clock } from '../../model/clock.js'
import { describeError } from '../../model/errors.js'
import type { Hint } from '../../model/hint.js'
import { orAborted } from '../../model/or-aborted.js'
import type { Stack } from '../../model/stack.js'
import type { Source } from '../../source/source.js'
import type { Store } from '../../store/store.js'
import { afterLookMs, jittered } from '../backoff.js'
import { Followers } from './followers.js'
import { Lateness, type LateLook } from './lateness.js'
import type { Log } from '../log.js'
import { Looks } from './looks.js'
import type { LookOutcome, Poller } from './poller.js'
import type { RemoteHealth } from './remote-health.js'
import type { Timekeeper } from '../timekeeper.js'

export interface RemoteLooksDeps {
  readonly source: Pick<Source, 'watch'>
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly random: () => number
  readonly poller: Poller
  readonly health: RemoteHealth
  readonly timetable: Timekeeper
  /** What was told of a remote. */
  readonly hintsOf: (remote: string) => readonly Hint[]
  /** The agent stops: ends what is under way. */
  readonly stop: AbortSignal
}

const afterFaultMs = 5_000

export class RemoteLooks {
  readonly #deps: RemoteLooksDeps
  readonly #followers = new Followers()
  readonly #looks = new Looks<LookOutcome | undefined>()
  readonly #lateness = new Lateness()
  readonly #watches = new Map<string, Disposable | undefined>()

  constructor(deps: RemoteLooksDeps) {
    this.#deps = deps
    deps.stop.addEventListener('abort', () => [...this.#watches.keys()].forEach((remote) => this.#unwatch(remote)), { once: true })
  }

  /** A stack follows these remotes, and no others any more: each is looked at now, then at its interval, and at once where it tells of changes. */
  follow({ id, spec }: Stack, remotes: readonly string[]): void {
    this.#leave(id, remotes)
    for (const remote of remotes) this.#begin(remote, spec.intervalMs)
  }

  /** All that somebody follows. */
  get remotes(): readonly string[] {
    return this.#followers.remotes
  }

  unfollow(stack: string): void {
    this.#leave(stack, [])
  }

  /** By a look that begins after this call; undefined: nobody follows the remote. */
  look(remote: string, signal: AbortSignal): Promise<LookOutcome | undefined> {
    return orAborted(
      this.#looks.look(remote, () => this.#lookNow(remote)),
      signal,
    )
  }

  /** What is due is looked at. Never rejects. */
  async due(remote: string): Promise<void> {
    const { stop, log, clock, random, timetable } = this.#deps
    try {
      await this.look(remote, stop)
    } catch (error) {
      if (stop.aborted) return
      log.error('look failed', { remote, error: describeError(error) })
      timetable.atLatest(`remote ${remote}`, clock.now() + jittered(afterFaultMs, random()))
    }
  }

  /** All remotes that stacks follow, with their stacks. */
  get followed(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#followers.all
  }

  /** When the first of a stack's remotes is looked at next. */
  nextAt(stack: string): number | undefined {
    const times = this.#followers.remotesOf(stack).flatMap((remote) => this.#deps.timetable.get(`remote ${remote}`) ?? [])
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** How long ago the oldest look that is due or under way was due, in milliseconds; 0: none is. */
  get oldestMs(): number {
    return this.#lateness.oldestMs(this.#deps.clock.elapsed())
  }

  get late(): LateLook | undefined {
    return this.#lateness.late(this.#deps.clock.elapsed())
  }

  /** Of what it followed, all but these. */
  #leave(stack: string, remotes: readonly string[]): void {
    const { timetable, health, poller } = this.#deps
    for (const remote of this.#followers.follow(stack, remotes)) {
      timetable.delete(`remote ${remote}`)
      health.forget(remote)
      this.#lateness.forget(remote)
      this.#unwatch(remote)
    }
    poller.follow(stack, remotes)
  }

  #begin(remote: string, intervalMs: number): void {
    const { timetable, clock } = this.#deps
    timetable.atLatest(`remote ${remote}`, clock.now())
    this.#watch(remote)
    this.#lateness.follow(remote, clock.elapsed(), intervalMs)
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

  async #lookNow(remote: string): Promise<LookOutcome | undefined> {
    const { store, poller, clock, health, random, stop, timetable, hintsOf } = this.#deps
    this.#lateness.begin(remote, clock.elapsed())
    const stacks = await store.stacks.many(this.#followers.of(remote))
    if (stacks.length === 0) {
      this.#lateness.forget(remote)
      return undefined
    }
    const outcome = await poller.look(remote, stacks, hintsOf(remote), stop)
    const error = 'failed' in outcome ? outcome.failed : undefined
    const interval = Math.min(...stacks.map((stack) => stack.spec.intervalMs))
    const ms = jittered(afterLookMs(interval, health.failuresOf(remote), error), random())
    timetable.set(`remote ${remote}`, clock.now() + ms)
    this.#lateness.plan(remote, clock.elapsed() + ms, interval)
    return outcome
  }
}
