// When the automatic work of a stack is due: retries, drift checks, scheduled runs. Pure, from stored state.
import { sameRevision } from '../../model/sources/revision.js'
import type { Run } from '../../model/stacks/run.js'
import type { Stack, StackSpec } from '../../model/stacks/stack.js'
import { stackDefaults } from '../../settings/stack-settings.js'
import { nextTime } from '../../settings/schedule.js'
import { mostRetryAfterMs } from '../../model/errors.js'
import { settingsDigest } from '../../stacks/settings-digest.js'
import { awaitsUninstall } from '../../status/axes.js'
import { isDesired } from '../../status/dependency.js'
import { delayedAfterCrash } from '../crash/remote-reads.js'
import { backoffMs, jittered } from '../schedule/backoff.js'

export interface DueInput {
  readonly stack: Stack
  readonly last: Run | undefined
  /** Its journal has entries. */
  readonly isOpen: boolean
}

/** Drift checks are due in steps of this part of the interval: checks at the same time share a commit. */
const driftSteps = 60
const leastShare = 0.9
const overdueEveryMs = 50

/**
 * Impossible times were stored before the clock was set back: a drift check in the future counts as none, and a retry
 * later than any backoff is due now.
 */
export function withPlausibleTimes(stack: Stack, now: number): Stack {
  const { checkedAt, retryAt, retries, failure } = stack
  const mostMs = longestRetryMs(failure?.code, retries)
  return {
    ...stack,
    checkedAt: checkedAt !== null && checkedAt > now ? null : checkedAt,
    retryAt: retryAt !== null && retryAt > now + mostMs ? now : retryAt,
  }
}

/** Codes of errors that may have a Retry-After. */
const retryAfterCodes = new Set(['source/too-many-requests', 'source/server-error', delayedAfterCrash])

function longestRetryMs(code: string | undefined, retries: number): number {
  if (retryAfterCodes.has(code ?? '')) return mostRetryAfterMs
  return backoffMs(code === 'agent/fighting' ? Number.POSITIVE_INFINITY : retries, 1)
}

/**
 * The last run was not for the desired revision: a plan that a person requested superseded the newest run.
 */
export function isBehind({ pinned, observed }: Stack, last: Run | undefined): boolean {
  const revision = pinned?.revision ?? observed?.revision
  if (last === undefined || last.revision === '' || last.intent !== 'sync' || revision === undefined) return false
  return !sameRevision(last.revision, revision)
}

/** Without a time, the agent stopped before it stored one. */
export function isRetryDue({ failure, retryAt }: Stack, now: number): boolean {
  return failure?.retry === 'soon' && (retryAt === null || retryAt <= now)
}

/** When drift is checked next; null: never. `random`: 0 to 1. */
export function driftDueAt(stack: Stack, random: number): number | null {
  if (!isWatched(stack)) return null
  const { driftIntervalMs } = stack.spec
  const step = driftIntervalMs / driftSteps
  const at = (stack.checkedAt ?? 0) + jittered(driftIntervalMs, random)
  return Math.max(earliestDrift(stack), Math.floor(at / step) * step)
}

/**
 * Spreads the drift checks that are overdue at a start, within a quarter of the interval. `nth`: of the overdue checks,
 * from 0.
 */
export function overdueCheckAt(now: number, { driftIntervalMs }: StackSpec, nth: number): number {
  return now + ((nth * overdueEveryMs) % (driftIntervalMs / 4))
}

export function isDriftDue(stack: Stack, now: number): boolean {
  return isWatched(stack) && earliestDrift(stack) <= now
}

/**
 * No apply was interrupted, and no changed settings wait for a run: a drift check would compare what the former ones
 * made.
 */
export function isSettled({ stack, last, isOpen }: DueInput): boolean {
  const awaitsSettings = last?.outcome === null && stack.attempted?.settings !== settingsDigest(stack)
  return !isOpen && !awaitsSettings
}

/** Windows or dependencies may block automatic work of the stack. */
export function mayBeBlocked({ windows, dependsOn }: StackSpec): boolean {
  return windows.length > 0 || dependsOn.length > 0
}

/** The known drift would be corrected. */
export function isCorrectable(stack: Stack): boolean {
  return stack.drifted > 0 && stack.spec.drift === 'correct' && isWatched(stack) && isDesired(stack)
}

/** A time of its schedule has passed since its last run began. */
export function isScheduleDue(input: Pick<DueInput, 'stack' | 'last'>, now: number): boolean {
  if (awaitsUninstall(input)) return false
  const began = lastBegan(input)
  const since = began > now ? 0 : began // in the future: the clock was set back
  return (scheduledAt(input, since) ?? Infinity) <= now
}

function scheduledAt({ stack: { spec } }: Pick<DueInput, 'stack'>, since: number): number | undefined {
  return nextTime(spec.schedule, spec.timeZone, since)
}

function lastBegan({ stack, last }: Pick<DueInput, 'stack' | 'last'>): number {
  return last?.startedAt ?? last?.createdAt ?? stack.createdAt
}

/** When the next work of a stack without unfinished runs is due; undefined: never. */
export function dueAt({ stack, last, isOpen }: DueInput, random: number): number | undefined {
  if (stack.suspended !== null) return stack.suspended.until ?? undefined
  const retryAt = stack.failure?.retry === 'soon' ? stack.retryAt : null
  const driftAt = isSettled({ stack, last, isOpen }) ? driftDueAt(stack, random) : null
  const scheduled = awaitsUninstall({ stack, last }) ? undefined : scheduledAt({ stack }, lastBegan({ stack, last }))
  return earliest([retryAt, driftAt, scheduled])
}

/** undefined: no time is given. */
export function earliest(times: readonly (number | null | undefined)[]): number | undefined {
  const known = times.filter((at) => at != null)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** The resources of the stack may be watched. */
export function mayWatch({ spec, applied, suspended }: Stack): boolean {
  return spec.drift !== 'ignore' && applied !== null && suspended === null
}

/** Drift of the stack is checked. */
export function isWatched({ spec, applied, failure }: Stack): boolean {
  return spec.drift !== 'ignore' && applied !== null && failure === null
}

function earliestDrift({ checkedAt, spec }: Stack): number {
  return (checkedAt ?? 0) + spec.driftIntervalMs * leastShare
}

/** True if the stack has work at times of day: after the clock was set, it may be due. */
export function dependsOnClock({ suspended, spec }: Stack): boolean {
  return suspended !== null || spec.windows.length > 0 || spec.schedule !== stackDefaults.schedule
}
