// Looks at remotes: one at a time for each, shared by all who ask, and planned again when it has ended.
import type { Clock } from '../model/clock.js'
import { describeError } from '../model/errors.js'
import { orAborted } from '../model/or-aborted.js'
import type { Store } from '../store/store.js'
import { afterLookMs, jittered } from './backoff.js'
import type { Followers } from './followers.js'
import { Lateness, type LateLook } from './lateness.js'
import type { Log } from './log.js'
import { Looks } from './looks.js'
import type { Poller } from './poller.js'
import type { RemoteHealth } from './remote-health.js'
import type { Timekeeper } from './timekeeper.js'

export interface RemoteLooksDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly random: () => number
  readonly poller: Poller
  readonly health: RemoteHealth
  readonly followers: Followers
  readonly timetable: Timekeeper
  /** The agent stops: ends what is under way. */
  readonly stop: AbortSignal
}

const afterFaultMs = 5_000

export class RemoteLooks {
  readonly #deps: RemoteLooksDeps
  readonly #looks = new Looks()
  readonly #lateness = new Lateness()

  constructor(deps: RemoteLooksDeps) {
    this.#deps = deps
  }

  /** It is looked at now, and then at this interval. */
  follow(remote: string, intervalMs: number): void {
    const { timetable, clock } = this.#deps
    timetable.atLatest(`remote ${remote}`, clock.now())
    this.#lateness.follow(remote, clock.elapsed(), intervalMs)
  }

  /** Nobody follows it any more. */
  forget(remote: string): void {
    this.#deps.timetable.delete(`remote ${remote}`)
    this.#deps.health.forget(remote)
    this.#lateness.forget(remote)
  }

  /** By a look that begins after this call. */
  look(remote: string, signal: AbortSignal): Promise<void> {
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

  nextAt(remote: string): number | undefined {
    return this.#deps.timetable.get(`remote ${remote}`)
  }

  /** How long ago the oldest look that is due or under way was due, in milliseconds; 0: none is. */
  get oldestMs(): number {
    return this.#lateness.oldestMs(this.#deps.clock.elapsed())
  }

  get late(): LateLook | undefined {
    return this.#lateness.late(this.#deps.clock.elapsed())
  }

  async #lookNow(remote: string): Promise<void> {
    const { store, poller, clock, followers, health, random, stop, timetable } = this.#deps
    this.#lateness.begin(remote, clock.elapsed())
    const stacks = await store.stacks.many(followers.of(remote))
    if (stacks.length === 0) return this.#lateness.forget(remote)
    const error = await poller.look(remote, stacks, stop)
    const interval = Math.min(...stacks.map((stack) => stack.spec.intervalMs))
    const ms = jittered(afterLookMs(interval, health.failuresOf(remote), error), random())
    timetable.set(`remote ${remote}`, clock.now() + ms)
    this.#lateness.plan(remote, clock.elapsed() + ms, interval)
  }
}
