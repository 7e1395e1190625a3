// When a remote is looked at next, after a look. Pure.
import { Unavailable } from '../../model/errors.js'
import type { PollDelay } from '../../stacks/scheduler.js'
import { backoffMs, jittered } from '../schedule/backoff.js'
import { delayedAfterCrash } from '../crash/remote-reads.js'
import { stretchedMs, type WebhookProof } from './webhook-proof.js'

export interface EndedPoll {
  /** The shortest of those who follow it. */
  readonly intervalMs: number
  /** Scheduled looks in a row that saw nothing, and the error of the last one. */
  readonly failures: number
  readonly error: unknown
  readonly proof: WebhookProof
}

/**
 * `why`: it is later than the interval says. `random`: 0 to 1. A remote that fails is polled again soon, then less and
 * less often, but at its interval at least, so that it is found again within one; never before the time it asked for.
 */
export function nextPoll(
  { intervalMs, failures, error, proof }: EndedPoll,
  random: number,
): { readonly ms: number; readonly why: PollDelay | null } {
  if (failures === 0) {
    const ms = stretchedMs(intervalMs, proof)
    return { ms: jittered(ms, random), why: ms > intervalMs ? 'stretched' : null }
  }
  const ms = Math.min(backoffMs(failures, random), jittered(intervalMs, random))
  const { retryAfterMs = 0, code } = error instanceof Unavailable ? error : {}
  if (retryAfterMs <= ms) return { ms, why: null }
  return { ms: retryAfterMs, why: code === delayedAfterCrash ? 'crashed' : retryAfterMs > intervalMs ? 'asked' : null }
}

const atOnce = 50
const apartMs = 10

/** After a start, the first looks at the `nth` remote and those after it do not all begin at once. */
export function firstPollMs(nth: number, intervalMs: number): number {
  return Math.min(intervalMs, Math.max(0, nth - atOnce) * apartMs)
}
