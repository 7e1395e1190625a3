// What the hosts of remotes bear: how many looks a second, none while they ask for peace, and one at a time while they
// cannot be reached.
import type { Clock } from '../../lib/clock.js'
import { Unavailable } from '../../model/errors.js'
import type { PollDelay } from '../../stacks/scheduler.js'
import type { Log } from '../watch/log.js'
import { delayedAfterCrash } from '../crash/remote-reads.js'
import { admitPoll, closedBreaker, nextBreaker, type CircuitBreaker, type BreakerEvent } from './circuit-breaker.js'
import { RateLimit } from './rate-limit.js'

export interface HostsDeps {
  readonly clock: Clock
  readonly log: Log
  readonly stop: AbortSignal
  /** Looks a second at one host. */
  readonly pollsPerHost: number
  /** A host answers again after it could not be reached. */
  readonly onReachable: (host: string) => void
}

interface Host {
  readonly rateLimit: RateLimit
  /** With the interval of each. */
  readonly remotes: Map<string, number>
  breaker: CircuitBreaker
  /** Until when it asked to be left alone as a whole. */
  retryAfter: number
  /** Until when it asked so for one remote. */
  readonly retryAfterByRemote: Map<string, number>
  isCrowdLogged: boolean
}

/** So many at once, of those of a second. */
export const burstSeconds = 5
const crowdMs = 10_000
const unreachableCodes = new Set(['source/unreachable', 'source/timeout'])
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
  delay(remote: string): { readonly why: PollDelay; readonly waitMs: number } | undefined {
    const host = this.#at(remote)
    if (host === undefined) return undefined
    const now = this.#deps.clock.elapsed()
    const quietUntil = Math.max(host.retryAfter, host.retryAfterByRemote.get(remote) ?? 0)
    if (quietUntil > now) return { why: 'asked', waitMs: quietUntil - now }
    const { breaker, waitMs } = admitPoll(host.breaker, remote, now)
    host.breaker = breaker
    return waitMs > 0 ? { why: 'unreachable', waitMs } : undefined
  }

  /** Resolves when it is the remote's turn; who is urgent goes first. */
  async pass(remote: string, isUrgent: boolean): Promise<void> {
    const host = this.#at(remote)
    const passing = host?.rateLimit.take(remote, isUrgent)
    if (host !== undefined) this.#logCrowd(remote, host)
    await passing
  }

  /** If it waits for its turn, it is the next. */
  prioritise(remote: string): void {
    this.#at(remote)?.rateLimit.prioritise(remote)
  }

  /** What came of a look at a remote that is polled at an interval; `error`: nothing was seen. */
  note(remote: string, error: unknown, intervalMs: number): void {
    const host = this.#at(remote)
    if (host === undefined) return
    host.remotes.set(remote, intervalMs)
    const facts = error instanceof Unavailable ? error : undefined
    if (facts?.code === delayedAfterCrash) return
    this.#step(host, remote, facts !== undefined && unreachableCodes.has(facts.code) ? 'unreached' : 'answered')
    if (error !== undefined) return
    host.retryAfter = 0
    host.retryAfterByRemote.delete(remote)
  }

  /**
   * Takes what the error says of waiting: 429 is for the whole host, 5xx for the remote unless it is one of several.
   */
  unavailable(remote: string, { code, retryAfterMs = 0 }: Unavailable): void {
    const host = this.#at(remote)
    if (host === undefined || retryAfterMs <= 0) return
    const now = this.#deps.clock.elapsed()
    const until = now + retryAfterMs
    if (code === 'source/too-many-requests') host.retryAfter = Math.max(host.retryAfter, until)
    if (code !== 'source/server-error') return
    host.retryAfterByRemote.set(remote, Math.max(host.retryAfterByRemote.get(remote) ?? 0, until))
    const waiting = [...host.retryAfterByRemote.values()].filter((time) => time > now)
    if (waiting.length >= remotesOfBusyHost) host.retryAfter = Math.max(host.retryAfter, Math.min(...waiting))
  }

  /** A look ended without saying anything of its host. */
  leave(remote: string): void {
    const host = this.#hosts.get(remoteHost(remote) ?? '')
    if (host !== undefined) this.#step(host, remote, 'left')
  }

  /** Nobody follows it any more. */
  remove(remote: string): void {
    this.leave(remote)
    const name = remoteHost(remote) ?? ''
    const host = this.#hosts.get(name)
    host?.remotes.delete(remote)
    host?.retryAfterByRemote.delete(remote)
    if (host?.remotes.size === 0) this.#hosts.delete(name)
  }

  #at(remote: string): Host | undefined {
    const name = remoteHost(remote)
    if (name === undefined) return undefined
    const { clock, stop, pollsPerHost } = this.#deps
    const rate = { perSecond: pollsPerHost, burst: pollsPerHost * burstSeconds }
    const host = this.#hosts.get(name) ?? {
      rateLimit: new RateLimit(rate, clock, stop),
      remotes: new Map<string, number>(),
      breaker: closedBreaker,
      retryAfter: 0,
      retryAfterByRemote: new Map<string, number>(),
      isCrowdLogged: false,
    }
    if (!host.remotes.has(remote)) host.remotes.set(remote, Infinity)
    this.#hosts.set(name, host)
    return host
  }

  #step(host: Host, remote: string, kind: BreakerEvent['kind']): void {
    const { clock, log, onReachable } = this.#deps
    const before = host.breaker.kind
    host.breaker = nextBreaker(host.breaker, {
      kind,
      remote,
      now: clock.elapsed(),
      intervalMs: Math.min(...host.remotes.values()),
    })
    if (host.breaker.kind === before) return
    const name = remoteHost(remote)!
    if (before === 'closed') return log.warn('host not reached, asked by one look at a time', { host: name })
    log.info('host reached again', { host: name })
    onReachable(name)
  }

  #logCrowd(remote: string, host: Host): void {
    const waitMs = host.rateLimit.longestMs
    if (waitMs > crowdMs && !host.isCrowdLogged)
      this.#deps.log.warn('looks wait for their turn', {
        host: remoteHost(remote),
        looks: host.rateLimit.waiting,
        waitMs,
      })
    host.isCrowdLogged = waitMs > crowdMs
  }
}

/** The host and port that a remote is reached at; undefined: it is on this machine. */
export function remoteHost(remote: string): string | undefined {
  return /^(?:url:)?(?:https?|ssh):\/\/(?:[^@/]*@)?([^/]+)/i.exec(remote)?.[1]?.toLowerCase()
}
