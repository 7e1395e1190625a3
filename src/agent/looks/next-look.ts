// When a remote is looked at next, after a look. Pure.
import { Unavailable } from '../../model/errors.js'
import type { LookDelay } from '../../stacks/dispatch.js'
import { backoffMs, jittered } from '../backoff.js'
import { stretchedMs, type WebhookProof } from './webhook-proof.js'

export interface Looked {
  /** The shortest of those who follow it. */
  readonly intervalMs: number
  /** Looks in a row that saw nothing, and the error of the last one. */
  readonly failures: number
  readonly error: unknown
  readonly proof: WebhookProof
  /** On this machine. */
  readonly isLocal: boolean
}

/** `why`: it is later than the interval says. `random`: 0 to 1. A remote that fails is asked again soon, then ever later; never before it asked to be. */
export function nextLook(
  { intervalMs, failures, error, proof, isLocal }: Looked,
  random: number,
): { readonly ms: number; readonly why: LookDelay | null } {
  if (failures === 0) {
    const ms = stretchedMs(intervalMs, proof)
    return { ms: jittered(ms, random), why: ms > intervalMs ? 'stretched' : null }
  }
  const backOffMs = backoffMs(failures, random)
  const ms = isLocal ? Math.min(backOffMs, jittered(intervalMs, random)) : backOffMs
  const askedMs = error instanceof Unavailable ? (error.retryAfterMs ?? 0) : 0
  if (askedMs > ms) return { ms: askedMs, why: askedMs > intervalMs ? 'asked' : null }
  return { ms, why: ms > jittered(intervalMs, 1) ? 'retrying' : null }
}

const atOnce = 50
const apartMs = 10

/** After a start, the first looks at the `nth` remote and those after it do not all begin at once. */
export function firstLookMs(nth: number, intervalMs: number): number {
  return Math.min(intervalMs, Math.max(0, nth - atOnce) * apartMs)
}
