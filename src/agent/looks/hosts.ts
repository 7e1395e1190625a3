// What the hosts of remotes bear: how many looks a second, none while they ask for peace, and one at a time while they
// cannot be reached.
import type { Clock } from '../../model/clock.js'
import { Unavailable } from '../../model/errors.js'
import type { LookDelay } from '../../stacks/dispatch.js'
import type { Log } from '../log.js'
import { heldAfterCrash } from '../crash/remote-reads.js'
import { askBreaker, closedBreaker, nextBreaker, type Breaker, type BreakerEvent } from './breaker.js'
import { hostOf } from './host-of.js'
import { Turnstile } from './turnstile.js'

export interface HostsDeps {
  readonly clock: Clock
  readonly log: Log
  readonly stop: AbortSignal
  /** Looks a second at one host. */
  readonly hostLooks: number
  /** A host answers again after it could not be reached. */
  readonly onReached: (host: string) => void
}

interface Host {
  readonly turnstile: Turnstile
  /** With the interval of each. */
  readonly remotes: Map<string, number>
  breaker: Breaker
  /** Until when it asked to be left alone as a whole. */
  quietUntil: number
  /** Until when it asked so for one remote. */
  readonly asked: Map<string, number>
  isCrowdTold: boolean
}

/** So many at once, of those of a second. */
export const burstSeconds = 5
const crowdMs = 10_000
const unreached = new Set(['source/unreachable', 'source/timeout'])
/** When so many remotes are to wait at the same time, the whole host waits. */
export const remotesOfBusyHost = 3

/** Remotes on this machine pass freely. */
export class Hosts {
  readonly #deps: HostsDeps
  readonly #hosts = new Map<string, Host>()

  constructor(deps: HostsDeps) {
    this.#deps = deps
  }

  /** Why a look that is due may not begin, and for how long; undefined: it may. */
  holds(remote: string): { readonly why: LookDelay; readonly waitMs: number } | undefined {
    const host = this.#at(remote)
    if (host === undefined) return undefined
    const now = this.#deps.clock.elapsed()
    const quietUntil = Math.max(host.quietUntil, host.asked.get(remote) ?? 0)
    if (quietUntil > now) return { why: 'asked', waitMs: quietUntil - now }
    const { breaker, waitMs } = askBreaker(host.breaker, remote, now)
    host.breaker = breaker
    return waitMs > 0 ? { why: 'unreachable', waitMs } : undefined
  }

  /** Resolves when it is the remote's turn; who is urgent goes first. */
  async pass(remote: string, isUrgent: boolean): Promise<void> {
    const host = this.#at(remote)
    const passing = host?.turnstile.pass(remote, isUrgent)
    if (host !== undefined) this.#tellCrowd(remote, host)
    await passing
  }

  /** If it waits for its turn, it is the next. */
  hasten(remote: string): void {
    this.#at(remote)?.turnstile.hasten(remote)
  }

  /** What came of a look at a remote that is polled at an interval; `error`: nothing was seen. */
  note(remote: string, error: unknown, intervalMs: number): void {
    const host = this.#at(remote)
    if (host === undefined) return
    host.remotes.set(remote, intervalMs)
    const facts = error instanceof Unavailable ? error : undefined
    if (facts?.code === heldAfterCrash) return
    this.#step(host, remote, facts !== undefined && unreached.has(facts.code) ? 'unreached' : 'answered')
    if (error !== undefined) return
    host.quietUntil = 0
    host.asked.delete(remote)
  }

  /**
   * Takes what the error says of waiting: 429 is for the whole host, 5xx for the remote unless it is one of several.
   */
  unavailable(remote: string, { code, retryAfterMs = 0 }: Unavailable): void {
    const host = this.#at(remote)
    if (host === undefined || retryAfterMs <= 0) return
    const now = this.#deps.clock.elapsed()
    const until = now + retryAfterMs
    if (code === 'source/too-many-requests') host.quietUntil = Math.max(host.quietUntil, until)
    if (code !== 'source/server-error') return
    host.asked.set(remote, Math.max(host.asked.get(remote) ?? 0, until))
    const waiting = [...host.asked.values()].filter((time) => time > now)
    if (waiting.length >= remotesOfBusyHost) host.quietUntil = Math.max(host.quietUntil, Math.min(...waiting))
  }

  /** A look ended without saying anything of its host. */
  leave(remote: string): void {
    const host = this.#hosts.get(hostOf(remote) ?? '')
    if (host !== undefined) this.#step(host, remote, 'left')
  }

  /** Nobody follows it any more. */
  forget(remote: string): void {
    this.leave(remote)
    const name = hostOf(remote) ?? ''
    const host = this.#hosts.get(name)
    host?.remotes.delete(remote)
    host?.asked.delete(remote)
    if (host?.remotes.size === 0) this.#hosts.delete(name)
  }

  #at(remote: string): Host | undefined {
    const name = hostOf(remote)
    if (name === undefined) return undefined
    const { clock, stop, hostLooks } = this.#deps
    const rate = { perSecond: hostLooks, burst: hostLooks * burstSeconds }
    const host = this.#hosts.get(name) ?? {
      turnstile: new Turnstile(rate, clock, stop),
      remotes: new Map<string, number>(),
      breaker: closedBreaker,
      quietUntil: 0,
      asked: new Map<string, number>(),
      isCrowdTold: false,
    }
    if (!host.remotes.has(remote)) host.remotes.set(remote, Infinity)
    this.#hosts.set(name, host)
    return host
  }

  #step(host: Host, remote: string, kind: BreakerEvent['kind']): void {
    const { clock, log, onReached } = this.#deps
    const before = host.breaker.kind
    host.breaker = nextBreaker(host.breaker, {
      kind,
      remote,
      now: clock.elapsed(),
      intervalMs: Math.min(...host.remotes.values()),
    })
    if (host.breaker.kind === before) return
    const name = hostOf(remote)!
    if (before === 'closed') return log.warn('host not reached, asked by one look at a time', { host: name })
    log.info('host reached again', { host: name })
    onReached(name)
  }

  #tellCrowd(remote: string, host: Host): void {
    const waitMs = host.turnstile.longestMs
    if (waitMs > crowdMs && !host.isCrowdTold)
      this.#deps.log.warn('looks wait for their turn', { host: hostOf(remote), looks: host.turnstile.waiting, waitMs })
    host.isCrowdTold = waitMs > crowdMs
  }
}
