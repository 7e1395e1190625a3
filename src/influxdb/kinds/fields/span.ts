// Durations of checks and rules. Their state has Go's format: `1h30m0s`, and `0s` for none.
import type { Json } from '../../../model/json.js'
import { quoted } from '../../../lib/text/printable.js'
import { formatDuration, isWholeSeconds, parseDuration } from './duration.js'
import type { Fields } from './fields.js'

const noSpan = '0s'

/** When a check or a rule runs. */
export interface Interval {
  readonly every: string
  readonly offset: string
}

/**
 * `every`, which is required, and `offset`. InfluxDB runs checks and rules as tasks: both are whole seconds, and the
 * offset is not negative and less than the interval.
 */
export function readInterval(spec: Fields): Interval {
  const every = readEvery(spec)
  const offset = readDuration(spec, 'offset')
  if (offset < 0n) spec.error('offset', 'not-allowed', 'offset is negative', hint)
  else if (!isWholeSeconds(offset)) spec.error('offset', 'not-allowed', 'offset is not a number of whole seconds', hint)
  else if (every > 0n && offset >= every) {
    const message = `offset is ${print(offset)}, which is not below every, ${print(every)}`
    spec.error('offset', 'not-allowed', message, 'Write an offset that is shorter than the interval.')
  }
  return { every: print(every), offset: print(offset) }
}

/**
 * An optional duration; an invalid one reads as absent, with a warning. InfluxDB does not store negative durations or
 * fractions of the largest unit.
 */
export function readSpan(spec: Fields, key: string): string {
  const duration = readDuration(spec, key)
  if (duration < 0n) spec.error(key, 'not-allowed', `${key} is negative`, hint)
  else if (hasFraction(duration))
    spec.error(key, 'not-allowed', `${key} has a fraction of a unit`, 'Write whole seconds, or only ms.')
  return print(duration)
}

/** The canonical form of a duration; any other text stays. */
export function normaliseSpan(text: string): string {
  const duration = parseDuration(text)
  return duration === undefined ? text : print(duration)
}

/** The duration as an export declares it: absent if there is none. */
export function exportedSpan(state: Json | undefined): Json | undefined {
  return state === noSpan ? undefined : state
}

const hint = 'Write a duration such as 1h30m or 15s.'
const [microsecond, millisecond, second] = [1_000n, 1_000_000n, 1_000_000_000n] as const

/** 0n if it has an error. */
function readEvery(spec: Fields): bigint {
  const duration = spec.duration('every') ?? 0n
  if (duration === 'unparsable') spec.error('every', 'required', `${notDuration(spec, 'every')}, but is required`, hint)
  else if (duration === 0n) spec.error('every', 'required', 'there is no every', hint)
  else if (duration < 0n) spec.error('every', 'not-allowed', 'every is negative', hint)
  else if (!isWholeSeconds(duration)) spec.error('every', 'not-allowed', 'every is not a number of whole seconds', hint)
  else return duration
  return 0n
}

function readDuration(spec: Fields, key: string): bigint {
  const duration = spec.duration(key) ?? 0n
  if (duration !== 'unparsable') return duration
  spec.warning(key, 'wrong-type', `${notDuration(spec, key)} and is ignored`, hint)
  return 0n
}

/** True if Go prints it with a decimal point: `1.5s`, `1.5ms`. */
function hasFraction(duration: bigint): boolean {
  if (duration >= second) return duration % second !== 0n
  if (duration >= millisecond) return duration % millisecond !== 0n
  return duration >= microsecond && duration % microsecond !== 0n
}

function print(duration: bigint): string {
  return formatDuration(duration) || noSpan
}

function notDuration(spec: Fields, key: string): string {
  const value = spec.raw(key)
  return `${key} ${typeof value === 'string' ? `${quoted(value)} ` : ''}is not a duration`
}
