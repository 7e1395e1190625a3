// Times as texts, in UTC. `ms`: since the epoch.
import { memoize } from '../memoize.js'

const minuteMs = 60_000

/** The text of a minute up to its seconds: `2026-01-01T05:00:`. */
const minuteText = memoize(1_000, (minute: number) => new Date(minute * minuteMs).toISOString().slice(0, -7))

/** `2026-01-01T05:00:00.000Z`, as `Date` writes it, but several times as fast for times of the same minutes. */
export function isoTime(ms: number): string {
  const whole = Math.trunc(ms)
  const minute = Math.floor(whole / minuteMs)
  const rest = whole - minute * minuteMs
  const seconds = String(Math.floor(rest / 1_000)).padStart(2, '0')
  return `${minuteText(minute)}${seconds}.${String(rest % 1_000).padStart(3, '0')}Z`
}

/** A moment in a message: `2026-01-01 05:00:00Z`. */
export function timeText(ms: number): string {
  const text = isoTime(ms)
  return `${text.slice(0, -14)} ${text.slice(-13, -5)}Z`
}
