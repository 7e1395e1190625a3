// Limits the polls of each host: to a rate, after Retry-After, and to one at a time while the host is unreachable (a
// circuit breaker). Remotes on this machine have no limits.
import type { Clock } from '../../lib/clock.js'
import { Unavailable } from '../../model/errors.js'
import type { Source } from '../../source/source.js'
import type { PollDelay } from '../../stacks/scheduler.js'
import { delayedAfterCrash } from '../crash/remote-reads.js'
import type { Timers } from '../schedule/schedule.js'
import type { Live } from '../watch/live.js'
import type { Log } from '../watch/log.js'
import { admitPoll, closedBreaker, nextBreaker, type CircuitBreaker, type BreakerEvent } from './circuit-breaker.js'
import { RateLimit } from './rate-limit.js'

export interface HostsDeps {
  readonly clock: Clock
  readonly log: Log
  readonly stop: AbortSignal
  readonly timers: Timers
  readonly live: Pick<Live, 'pollDelays'>
  /** Polls of one host in a second. */
  readonly pollsPerHost: number
}

interface Host {
  readonly rateLimit: RateLimit
  /** The polling interval of each. */
  readonly remotes: Map<string, number>
  breaker: CircuitBreaker
  /** Until when the host asked for no requests, by `Clock.elapsed`. */
  retryAfter: number
  /** The same for single remotes. */
  readonly retryAfterByRemote: Map<string, number>
  isCrowdLogged: boolean
}

/** The burst after a pause, in seconds of the rate. */
const burstSeconds = 5
const crowdMs = 10_000
const unreachableCodes = new Set(['source/unreachable', 'source/timeout'])
/** If so many remotes of a host have a Retry-After at the same time, it applies to the whole host. */
const remotesOfBusyHost = 3

export class Hosts {
  readonly #deps: HostsDeps
  readonly #hosts = new Map<string, Host>()

  constructor(deps: HostsDeps) {
    this.#deps = deps
  }

  /** Why a poll that is due may not begin, and for how long; undefined: it may. */
  delay(remote: string): { readonly why: PollDelay; readonly waitMs: number } | undefined {
    const host = this.#at(remote)
    if (host === undefined) return undefined
    const now = this.#deps.clock.elapsed()
    const retryAfter = Math.max(host.retryAfter, host.retryAfterByRemote.get(remote) ?? 0)
    if (retryAfter > now) return { why: 'retry-after', waitMs: retryAfter - now }
    const { breaker, waitMs } = admitPoll(host.breaker, remote, now)
    host.breaker = breaker
    return waitMs > 0 ? { why: 'unreachable', waitMs } : undefined
  }

  /** Resolves when the host's rate allows a poll of the remote; urgent ones go first. */
  async pass(remote: string, isUrgent: boolean): Promise<void> {
    const host = this.#at(remote)
    const passing = host?.rateLimit.take(remote, isUrgent)
    if (host !== undefined) this.#logCrowd(remote, host)
    await passing
  }

  /** Puts the remote's poll first in the queue, if it is in the queue. */
  prioritise(remote: string): void {
    this.#at(remote)?.rateLimit.prioritise(remote)
  }

  /** The end of a poll. `error`: it failed; `intervalMs`: of the remote. */
  ended(remote: string, error: unknown, intervalMs: number): void {
    const host = this.#at(remote)
    if (host === undefined) return
    host.remotes.set(remote, intervalMs)
    const facts = error instanceof Unavailable ? error : undefined
    if (facts?.code === delayedAfterCrash) return
    this.#step(host, remote, facts !== undefined && unreachableCodes.has(facts.code) ? 'unreachable' : 'answered')
    if (error !== undefined) return
    host.retryAfter = 0
    host.retryAfterByRemote.delete(remote)
  }

  /** Heeds the Retry-After of an error: of 429 for the whole host, of 5xx for the remote. */
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

  /** A poll ended, or was given up, perhaps without an answer: another remote may probe the host. */
  release(remote: string): void {
    const host = this.#hosts.get(remoteHost(remote) ?? '')
    if (host !== undefined) this.#step(host, remote, 'released')
  }

  /** No stack follows the remote any more. */
  remove(remote: string): void {
    this.release(remote)
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
    const { clock, log } = this.#deps
    const before = host.breaker.kind
    host.breaker = nextBreaker(host.breaker, {
      kind,
      remote,
      now: clock.elapsed(),
      intervalMs: Math.min(...host.remotes.values()),
    })
    if (host.breaker.kind === before) return
    const name = remoteHost(remote)!
    if (before === 'closed') return log.warn('host unreachable, circuit open', { host: name })
    log.info('host reachable again', { host: name })
    this.#pollDelayed(name)
  }

  /** Remotes of a host that is reachable again are due now. */
  #pollDelayed(name: string): void {
    const { live, timers, clock } = this.#deps
    for (const [remote, why] of live.pollDelays)
      if (why === 'unreachable' && remoteHost(remote) === name) timers.atLatest(`remote ${remote}`, clock.now())
  }

  #logCrowd(remote: string, host: Host): void {
    const { longestMs: waitMs, waiting: polls } = host.rateLimit
    if (waitMs > crowdMs && !host.isCrowdLogged)
      this.#deps.log.warn('polls throttled', { host: remoteHost(remote), polls, waitMs })
    host.isCrowdLogged = waitMs > crowdMs
  }
}

/** Reports to the hosts each error of the source that may have a Retry-After. */
export function withRetryAfter(source: Source, hosts: Pick<Hosts, 'unavailable'>): Source {
  const heed = async <T>(remote: string, work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      if (error instanceof Unavailable) hosts.unavailable(remote, error)
      throw error
    }
  }
  return {
    remoteOf: (spec, stack) => source.remoteOf(spec, stack),
    poll: (...args) => heed(args[0], source.poll(...args)),
    fetch: (...args) => heed(args[0], source.fetch(...args)),
    content: (...args) => heed(args[0], source.content(...args)),
    files: (...args) => heed(args[0], source.files(...args)),
    keepOnly: (remotes) => source.keepOnly(remotes),
    watch: (remote, watching) => source.watch(remote, watching),
  }
}

/** The host and port of a remote; undefined: it is on this machine. */
export function remoteHost(remote: string): string | undefined {
  return /^(?:url:)?(?:https?|ssh):\/\/(?:[^@/]*@)?([^/]+)/i.exec(remote)?.[1]?.toLowerCase()
}
