// A host that cannot be reached is asked by one look at a time, until it answers. Pure. Times are those of
// `Clock.elapsed`.
import { backoffMs } from '../schedule/backoff.js'

/**
 * `failures`: connections in a row that did not come about; of an open one, those of probes. `probe`: the remote that
 * asks now.
 */
export type CircuitBreaker =
  | { readonly kind: 'closed'; readonly failures: number }
  | { readonly kind: 'open'; readonly failures: number; readonly probeAt: number; readonly probe: string | undefined }

/**
 * `left`: the look ended without saying anything of the host. `intervalMs`: the shortest at which a remote of the host
 * is polled.
 */
export interface BreakerEvent {
  readonly kind: 'answered' | 'unreached' | 'left'
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
    case 'left':
      return breaker.kind === 'open' && breaker.probe === remote ? { ...breaker, probe: undefined } : breaker
    case 'unreached':
      return breaker.kind === 'closed' ? failedOnce(breaker.failures + 1, event) : failedAgain(breaker, event)
  }
}

/** What a look that is due may do: `ms`: wait so long. A look that may go while the breaker is open is the probe. */
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

/** What was under way when it opened says nothing new. */
function failedAgain(breaker: CircuitBreaker & { readonly kind: 'open' }, event: BreakerEvent): CircuitBreaker {
  return breaker.probe === event.remote ? openedBy(breaker.failures + 1, event) : breaker
}

/** A host that answers again is found within one interval. */
function openedBy(failures: number, { now, intervalMs }: BreakerEvent): CircuitBreaker {
  return { kind: 'open', failures, probeAt: now + Math.min(backoffMs(failures, 0.5), intervalMs), probe: undefined }
}
