// Durations of checks and rules, which are held as Go prints them: `1h30m0s`, and `0s` for none.
import type { Json } from '../../model/json.js'
import { quoted } from '../../model/printable.js'
import { formatDuration, parseDuration } from './duration.js'
import type { Fields } from './fields.js'

export const noSpan = '0s'

/** One that is needed (packages 1.7, 1.10): what is no duration is told apart from nothing (D4). */
export function readNeededSpan(spec: Fields, key: string): string {
  const duration = spec.duration(key) ?? 0n
  if (duration === 'unparsable') spec.error(key, 'required', `${notDuration(spec, key)}, and is needed`, hint)
  else if (duration === 0n) spec.error(key, 'required', `there is no ${key}`, hint)
  else if (duration < 0n) spec.error(key, 'not-allowed', `${key} is negative`, hint)
  return print(duration)
}

/** One that may be absent; what is no duration reads as absent. */
export function readSpan(spec: Fields, key: string): string {
  const duration = spec.duration(key) ?? 0n
  if (duration === 'unparsable') spec.warning(key, 'wrong-type', `${notDuration(spec, key)}, and reads as absent`, hint)
  return print(duration)
}

/** The same duration in one spelling; what is no duration stays as it is. */
export function normaliseSpan(text: string): string {
  const duration = parseDuration(text)
  return duration === undefined ? text : print(duration)
}

/** As an author would write it: nothing where there is none. */
export function writtenSpan(held: Json | undefined): Json | undefined {
  return held === noSpan ? undefined : held
}

const hint = 'Write a duration such as 1h30m or 15s.'

function print(duration: bigint | 'unparsable'): string {
  return (duration === 'unparsable' ? '' : formatDuration(duration)) || noSpan
}

function notDuration(spec: Fields, key: string): string {
  const value = spec.raw(key)
  return `${key} ${typeof value === 'string' ? `${quoted(value)} ` : ''}is not a duration`
}
