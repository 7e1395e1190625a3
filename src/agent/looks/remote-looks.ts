// Looks at remotes: one at a time for each, shared by all who ask, and planned again when it has ended.
import type { Clock } from '../../model/clock.js'
import { describeError, type Unavailable } from '../../model/errors.js'
import type { Hint } from '../../model/hint.js'
import { orAborted } from '../../model/or-aborted.js'
import type { Stack } from '../../model/stack.js'
import type { Source } from '../../source/source.js'
import type { Store } from '../../store/store.js'
import type { Deciding, LookDelay } from '../../stacks/dispatch.js'
import { jittered } from '../backoff.js'
import type { ChannelGate } from './channel-gate.js'
import { Followers } from './followers.js'
import { hostOf } from './host-of.js'
import { Hosts } from './hosts.js'
import { Lateness, type LateLook } from './lateness.js'
import type { Log } from '../log.js'
import { Looks } from './looks.js'
import { firstLookMs, nextLook } from './next-look.js'
import type { LookOutcome, Poller } from './poller.js'
import type { RemoteHealth } from './remote-health.js'
import type { Timekeeper } from '../timekeeper.js'
import { nextProof, type WebhookProof } from './webhook-proof.js'

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
  /** Looks a second at one host. */
  readonly hostLooks: number
  readonly gate: Pick<ChannelGate, 'dueAt'>
  /** The agent stops: ends what is under way. */
  readonly stop: AbortSignal
}

const afterFaultMs = 5_000
/** Between two looks at a remote that fails, both asked for by somebody. */
export const askedApartMs = 10_000

/** When a remote is looked at next. `intervalMs`: where it is another by now. */
interface Plan {
  readonly ms: number
  readonly why: LookDelay | null
  readonly intervalMs?: number
}

export class RemoteLooks {
  readonly #deps: RemoteLooksDeps
  readonly #followers = new Followers()
  readonly #looks = new Looks<LookOutcome | undefined>()
  readonly #lateness = new Lateness()
  readonly #watches = new Map<string, Disposable | undefined>()
  readonly #hosts: Hosts
  readonly #proofs = new Map<string, WebhookProof>()
  readonly #delays = new Map<string, LookDelay>()
  /** Remotes that somebody asked for, and not only their interval. */
  readonly #asked = new Set<string>()
  /** When somebody last had a remote polled, by `Clock.elapsed`. */
  readonly #askedAt = new Map<string, number>()
  /** Looks in a row that saw nothing; those that somebody asked for count once at most. */
  readonly #failures = new Map<string, number>()

  constructor(deps: RemoteLooksDeps) {
    this.#deps = deps
    this.#hosts = new Hosts({ ...deps, onReached: (host) => this.#reached(host) })
    deps.stop.addEventListener('abort', () => [...this.#watches.keys()].forEach((remote) => this.#unwatch(remote)), {
      once: true,
    })
  }

  /**
   * A stack follows these remotes, and no others any more: each is looked at now, then at its interval, and at once
   * where it tells of changes. `isStart`: so many come at once that their first looks are spread.
   */
  follow({ id, spec }: Stack, remotes: readonly string[], isStart = false): void {
    const nth = this.#watches.size
    this.#leave(id, remotes)
    for (const remote of remotes) this.#begin(remote, spec.intervalMs, isStart ? firstLookMs(nth, spec.intervalMs) : 0)
  }

  /** All that somebody follows. */
  get remotes(): readonly string[] {
    return this.#followers.remotes
  }

  unfollow(stack: string): void {
    this.#leave(stack, [])
  }

  /**
   * By a look that begins after this call; undefined: nobody follows the remote. It begins at once, but at a remote
   * that fails only so long after the last one that somebody asked for.
   */
  async look(remote: string, signal: AbortSignal): Promise<LookOutcome | undefined> {
    const { clock, stop } = this.#deps
    const leftMs = this.#failures.has(remote)
      ? (this.#askedAt.get(remote) ?? -askedApartMs) + askedApartMs - clock.elapsed()
      : 0
    if (leftMs > 0) await clock.sleep(leftMs, AbortSignal.any([signal, stop]))
    this.#askedAt.set(remote, clock.elapsed())
    this.#asked.add(remote)
    this.#hosts.hasten(remote)
    return orAborted(this.#share(remote), signal)
  }

  /** What is due is looked at. Never rejects. */
  async due(remote: string): Promise<void> {
    const { stop, log, clock, random, timetable } = this.#deps
    const held = this.#hosts.holds(remote)
    if (held !== undefined) return this.#plan(remote, { ms: held.waitMs, why: held.why })
    try {
      await orAborted(this.#share(remote), stop)
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

  /** Decides again of what was seen of a remote before, which is not asked. Errors: those of `deciding`. */
  async decideAgain(remote: string, deciding?: Deciding): Promise<void> {
    const { poller, stop } = this.#deps
    await poller.decideAgain(remote, () => this.#followers.of(remote), deciding, stop)
    this.planChannels(remote)
  }

  /** What waits for a time is decided again then. Never rejects. */
  async channelsDue(remote: string): Promise<void> {
    const { stop, log, clock, timetable } = this.#deps
    try {
      await this.decideAgain(remote)
    } catch (error) {
      if (stop.aborted) return
      log.error('channels not decided', { remote, error: describeError(error) })
      timetable.atLatest(`channels ${remote}`, clock.now() + afterFaultMs)
    }
  }

  /** Of one remote. */
  planChannels(remote: string): void {
    const { timetable, gate } = this.#deps
    const due = gate.dueAt.get(remote)
    if (due === undefined) timetable.delete(`channels ${remote}`)
    else timetable.set(`channels ${remote}`, due)
  }

  /** When the first of a stack's remotes is looked at next. */
  nextAt(stack: string): number | undefined {
    const times = this.#followers
      .remotesOf(stack)
      .flatMap((remote) => this.#deps.timetable.get(`remote ${remote}`) ?? [])
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** Remotes whose next look comes later than the interval says. */
  get delayed(): ReadonlyMap<string, LookDelay> {
    return this.#delays
  }

  /** Remotes that a webhook is proven to tell of, with its name. */
  get proven(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#proofs].flatMap(([remote, proof]) => (proof.kind === 'proven' ? [[remote, proof.by] as const] : [])),
    )
  }

  /** A remote answered with an error that may say how long to leave it alone. */
  unavailable(remote: string, error: Unavailable): void {
    this.#hosts.unavailable(remote, error)
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
    const { timetable, poller } = this.#deps
    for (const remote of this.#followers.follow(stack, remotes)) {
      timetable.delete(`remote ${remote}`)
      this.#forget(remote)
      this.#unwatch(remote)
    }
    poller.follow(stack, remotes)
  }

  #forget(remote: string): void {
    this.#deps.health.forget(remote)
    this.#lateness.forget(remote)
    this.#hosts.forget(remote)
    for (const known of [this.#proofs, this.#delays, this.#asked, this.#askedAt, this.#failures]) known.delete(remote)
  }

  #begin(remote: string, intervalMs: number, afterMs: number): void {
    const { timetable, clock } = this.#deps
    timetable.atLatest(`remote ${remote}`, clock.now() + afterMs)
    this.#watch(remote)
    this.#lateness.follow(remote, clock.elapsed() + afterMs, intervalMs)
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

  #share(remote: string): Promise<LookOutcome | undefined> {
    return this.#looks.look(remote, () => this.#lookInTurn(remote))
  }

  async #lookInTurn(remote: string): Promise<LookOutcome | undefined> {
    this.#lateness.begin(remote, this.#deps.clock.elapsed())
    this.#delays.set(remote, 'turn')
    const isAsked = this.#asked.delete(remote)
    try {
      await this.#hosts.pass(remote, isAsked)
      this.#delays.delete(remote)
      return await this.#lookNow(remote, isAsked)
    } finally {
      this.#hosts.leave(remote)
    }
  }

  async #lookNow(remote: string, isAsked: boolean): Promise<LookOutcome | undefined> {
    const { store, poller, clock, random, stop, hintsOf } = this.#deps
    const stacks = await store.stacks.many(this.#followers.of(remote))
    if (stacks.length === 0) {
      this.#forget(remote)
      return undefined
    }
    const hints = hintsOf(remote)
    const outcome = await poller.look(remote, stacks, hints, stop)
    const error = 'failed' in outcome ? outcome.failed : undefined
    this.planChannels(remote)
    const intervalMs = Math.min(...stacks.map((stack) => stack.spec.intervalMs))
    const found = {
      moved: 'moved' in outcome && outcome.moved,
      toldBy: hints.find(({ hook }) => hook !== undefined)?.hook,
      now: clock.elapsed(),
    }
    const proof = nextProof(this.#proofs.get(remote) ?? { kind: 'unproven' }, found)
    this.#proofs.set(remote, proof)
    this.#hosts.note(remote, error, intervalMs)
    const failures = this.#countFailure(remote, error, isAsked)
    const next = nextLook({ intervalMs, failures, error, proof }, random())
    const plannedAt = isAsked && failures > 0 ? this.#deps.timetable.get(`remote ${remote}`) : undefined
    this.#plan(remote, {
      ...next,
      ms: Math.min(next.ms, Math.max(0, (plannedAt ?? Infinity) - clock.now())),
      intervalMs,
    })
    return outcome
  }

  #countFailure(remote: string, error: unknown, isAsked: boolean): number {
    const before = this.#failures.get(remote) ?? 0
    if (error === undefined) this.#failures.delete(remote)
    else this.#failures.set(remote, isAsked ? Math.max(1, before) : before + 1)
    return this.#failures.get(remote) ?? 0
  }

  #plan(remote: string, { ms, why, intervalMs }: Plan): void {
    const { timetable, clock } = this.#deps
    timetable.set(`remote ${remote}`, clock.now() + ms)
    this.#lateness.plan(remote, clock.elapsed() + ms, intervalMs)
    if (why === null) this.#delays.delete(remote)
    else this.#delays.set(remote, why)
  }

  /** What waited for it is due. */
  #reached(host: string): void {
    const { timetable, clock } = this.#deps
    for (const [remote, why] of this.#delays)
      if (why === 'unreachable' && hostOf(remote) === host) timetable.atLatest(`remote ${remote}`, clock.now())
  }
}
