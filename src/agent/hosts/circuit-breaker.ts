// The circuit breaker of a host: while it is open, one poll at a time probes the host, until it answers. Pure. Times
// are those of `Clock.elapsed`.
import { backoffMs } from '../schedule/backoff.js'

/**
 * `failures`: failed connections in a row; of an open breaker, failed probes. `probe`: the remote whose poll probes the
 * host now.
 */
export type CircuitBreaker =
  | { readonly kind: 'closed'; readonly failures: number }
  | { readonly kind: 'open'; readonly failures: number; readonly probeAt: number; readonly probe: string | undefined }

/**
 * `released`: the poll of the remote ended, perhaps without an answer. `intervalMs`: the shortest polling interval of
 * the host's remotes.
 */
export interface BreakerEvent {
  readonly kind: 'answered' | 'unreachable' | 'released'
  readonly remote: string
  readonly now: number
  readonly intervalMs: number
}

export const closedBreaker: CircuitBreaker = { kind: 'closed', failures: 0 }
export const mostFailures = 5

export function nextBreaker(breaker: CircuitBreaker, event: BreakerEvent): CircuitBreaker {
  const { remote } = event
  switch (event.kind) {
    case 'answered':
      return closedBreaker
    case 'released':
      return breaker.kind === 'open' && breaker.probe === remote ? { ...breaker, probe: undefined } : breaker
    case 'unreachable':
      return breaker.kind === 'closed' ? failedOnce(breaker.failures + 1, event) : failedAgain(breaker, event)
  }
}

/** How long a poll that is due must wait. If it need not wait while the breaker is open, it is the probe. */
export function admitPoll(
  breaker: CircuitBreaker,
  remote: string,
  now: number,
): { readonly breaker: CircuitBreaker; readonly waitMs: number } {
  if (breaker.kind === 'closed') return { breaker, waitMs: 0 }
  if (breaker.probe !== undefined && breaker.probe !== remote)
    return { breaker, waitMs: backoffMs(breaker.failures + 1, 0.5) }
  if (now < breaker.probeAt) return { breaker, waitMs: breaker.probeAt - now }
  return { breaker: { ...breaker, probe: remote }, waitMs: 0 }
}

function failedOnce(failures: number, event: BreakerEvent): CircuitBreaker {
  return failures < mostFailures ? { kind: 'closed', failures } : openedBy(1, event)
}

/** Polls that were in progress when the breaker opened do not count. */
function failedAgain(breaker: CircuitBreaker & { readonly kind: 'open' }, event: BreakerEvent): CircuitBreaker {
  return breaker.probe === event.remote ? openedBy(breaker.failures + 1, event) : breaker
}

/** The next probe is within one interval, so that a host that answers again is noticed within it. */
function openedBy(failures: number, { now, intervalMs }: BreakerEvent): CircuitBreaker {
  return { kind: 'open', failures, probeAt: now + Math.min(backoffMs(failures, 0.5), intervalMs), probe: undefined }
}
