// When a stack has something to do without anybody asking. Pure, from what is remembered of it.
import { sameRevision } from '../../model/revision.js'
import type { Run } from '../../model/run.js'
import type { Stack, StackSpec } from '../../model/stack.js'
import { stackDefaults } from '../../settings/stack-settings.js'
import { nextTime } from '../../settings/schedule.js'
import { mostRetryAfterMs } from '../../model/errors.js'
import { isDesired } from '../../status/dependency.js'
import { delayedAfterCrash } from '../crash/remote-reads.js'
import { backoffMs, jittered } from '../schedule/backoff.js'

export interface DueInput {
  readonly stack: Stack
  readonly last: Run | undefined
  /** Its journal is open. */
  readonly isOpen: boolean
}

/** Looks at the target come together in steps of so many parts of the interval: what they note shares a commit. */
const driftSteps = 60
const leastShare = 0.9
const overdueEveryMs = 50

/**
 * Times that cannot be were written before the clock was set back, nobody knows how long ago: a look in the future is
 * taken for none, and a retry further off than any back-off for one that is due.
 */
export function withPlausibleTimes(stack: Stack, now: number): Stack {
  const { checkedAt, retryAt, retries, failure } = stack
  const backOffMs = longestRetryMs(failure?.code, retries)
  return {
    ...stack,
    checkedAt: checkedAt !== null && checkedAt > now ? null : checkedAt,
    retryAt: retryAt !== null && retryAt > now + backOffMs ? now : retryAt,
  }
}

/** Codes of errors that may say when to try again. */
const retryAfterCodes = new Set(['source/too-many-requests', 'source/server-error', delayedAfterCrash])

function longestRetryMs(code: string | undefined, retries: number): number {
  if (retryAfterCodes.has(code ?? '')) return mostRetryAfterMs
  return backoffMs(code === 'agent/fighting' ? Number.POSITIVE_INFINITY : retries, 1)
}

/**
 * The last run was for another revision than the stack shall be at: a plan that a person asked for took the place of
 * the newest run.
 */
export function isBehind({ pinned, observed }: Stack, last: Run | undefined): boolean {
  const revision = pinned?.revision ?? observed?.revision
  if (last === undefined || last.revision === '' || last.intent !== 'sync' || revision === undefined) return false
  return !sameRevision(last.revision, revision)
}

/** Without a time, the agent ended before it could write one down. */
export function isRetryDue({ failure, retryAt }: Stack, now: number): boolean {
  return failure?.retry === 'soon' && (retryAt === null || retryAt <= now)
}

/** When its target is looked at. null: never. `random`: 0 to 1. */
export function driftDueAt(stack: Stack, random: number): number | null {
  if (!isWatched(stack)) return null
  const { driftIntervalMs } = stack.spec
  const step = driftIntervalMs / driftSteps
  const at = (stack.checkedAt ?? 0) + jittered(driftIntervalMs, random)
  return Math.max(earliestDrift(stack), Math.floor(at / step) * step)
}

/**
 * Looks that came due while no agent ran are not done all at once after a start: each follows the one before it, within
 * a quarter of the interval. `nth`: of those that are overdue, from 0.
 */
export function overdueCheckAt(now: number, { driftIntervalMs }: StackSpec, nth: number): number {
  return now + ((nth * overdueEveryMs) % (driftIntervalMs / 4))
}

export function isDriftDue(stack: Stack, now: number): boolean {
  return isWatched(stack) && earliestDrift(stack) <= now
}

/** Nothing is half-done, and no plan waits for a person. */
export function isSettled({ last, isOpen }: Pick<DueInput, 'last' | 'isOpen'>): boolean {
  return last?.outcome !== 'needs-approval' && !isOpen
}

/** It may have to wait before it does anything by itself. */
export function mayBeBlocked({ windows, dependsOn }: StackSpec): boolean {
  return windows.length > 0 || dependsOn.length > 0
}

/** What differs on its target would be put right, as far as is known. */
export function isCorrectable(stack: Stack): boolean {
  return stack.drifted > 0 && stack.spec.drift === 'correct' && isWatched(stack) && isDesired(stack)
}

/** A time of its schedule has passed since its last run began. */
export function isScheduleDue(standing: Pick<DueInput, 'stack' | 'last'>, now: number): boolean {
  const since = lastBegan(standing)
  return (scheduledAt(standing, since > now ? 0 : since) ?? Infinity) <= now // a run that began in the future: the clock was set back
}

function scheduledAt({ stack: { spec } }: Pick<DueInput, 'stack'>, since: number): number | undefined {
  return nextTime(spec.schedule, spec.timeZone, since)
}

function lastBegan({ stack, last }: Pick<DueInput, 'stack' | 'last'>): number {
  return last?.startedAt ?? last?.createdAt ?? stack.createdAt
}

/** Of a stack of which no run may begin. undefined: never. */
export function dueAt({ stack, last, isOpen }: DueInput, random: number): number | undefined {
  if (stack.suspended !== null) return stack.suspended.until ?? undefined
  const retryAt = stack.failure?.retry === 'soon' ? stack.retryAt : null
  const driftAt = isSettled({ last, isOpen }) ? driftDueAt(stack, random) : null
  return earliest([retryAt, driftAt, scheduledAt({ stack }, lastBegan({ stack, last }))])
}

/** undefined: there is none. */
export function earliest(times: readonly (number | null | undefined)[]): number | undefined {
  const known = times.filter((at) => at != null)
  return known.length === 0 ? undefined : Math.min(...known)
}

function isWatched({ spec, applied, failure }: Stack): boolean {
  return spec.drift !== 'ignore' && applied !== null && failure === null
}

function earliestDrift({ checkedAt, spec }: Stack): number {
  return (checkedAt ?? 0) + spec.driftIntervalMs * leastShare
}

/** It has something to do at a time of day: where the clock is set, that may be now. */
export function dependsOnClock({ suspended, spec }: Stack): boolean {
  return suspended !== null || spec.windows.length > 0 || spec.schedule !== stackDefaults.schedule
}
