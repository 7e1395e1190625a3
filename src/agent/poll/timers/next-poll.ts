// When a remote is polled next, after a poll. Pure.
import { Unavailable } from '../../../model/errors.js'
import type { PollDelay } from '../../../stacks/scheduler.js'
import { backoffMs, jittered } from '../../schedule/backoff.js'
import { delayedAfterCrash } from '../../crash/remote-reads.js'
import { stretchedMs, type WebhookProof } from './webhook-proof.js'

export interface EndedPoll {
  /** The shortest of the stacks that follow the remote. */
  readonly intervalMs: number
  /** Failed polls in a row, and the error of the last one. */
  readonly failures: number
  readonly error: unknown
  readonly proof: WebhookProof
}

/**
 * `why`: why the poll is later than the interval says. `random`: 0 to 1. A remote that fails is polled again with
 * backoff, but at least once in its interval, and never before its Retry-After.
 */
export function nextPoll(
  { intervalMs, failures, error, proof }: EndedPoll,
  random: number,
): { readonly ms: number; readonly why: PollDelay | null } {
  if (failures === 0) {
    const ms = stretchedMs(intervalMs, proof)
    return { ms: jittered(ms, random), why: ms > intervalMs ? 'webhook' : null }
  }
  const ms = Math.min(backoffMs(failures, random), jittered(intervalMs, random))
  const { retryAfterMs = 0, code } = error instanceof Unavailable ? error : {}
  if (retryAfterMs <= ms) return { ms, why: null }
  return {
    ms: retryAfterMs,
    why: code === delayedAfterCrash ? 'crashed' : retryAfterMs > intervalMs ? 'retry-after' : null,
  }
}

const atOnce = 50
const apartMs = 10

/** Spreads the first polls after a start: the delay of the `nth` remote. */
export function firstPollMs(nth: number, intervalMs: number): number {
  return Math.min(intervalMs, Math.max(0, nth - atOnce) * apartMs)
}
