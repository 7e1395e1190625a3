// Times in words, seen from a clock that ticks.
import { signal } from '@preact/signals'

/** Milliseconds since the epoch; renewed every 5 s while the page is visible. */
export const now = signal(Date.now())

setInterval(() => {
  if (!document.hidden) now.value = Date.now()
}, 5_000)
document.addEventListener('visibilitychange', () => (now.value = Date.now()))

const units: readonly (readonly [label: string, seconds: number, below: number])[] = [
  ['s', 1, 60],
  ['min', 60, 3_600],
  ['h', 3_600, 172_800],
  ['d', 86_400, Infinity],
]

/** `46 h`. */
export function lengthText(ms: number): string {
  const seconds = Math.max(0, Math.round(Math.abs(ms) / 1000))
  const [label, size] = units.find(([, , below]) => seconds < below) ?? units[3]!
  return `${Math.round(seconds / size)} ${label}`
}

/** `2 h ago`, `in 11 h`, `now`. */
export function relative(at: string, from = now.value): string {
  const ms = from - Date.parse(at)
  if (Math.abs(ms) < 2_000) return 'now'
  return ms > 0 ? `${lengthText(ms)} ago` : `in ${lengthText(ms)}`
}

const utc = { timeZone: 'UTC' } as const
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', ...utc })
const clockFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', ...utc })
const localFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** `19 Nov`, in UTC. */
export const dayText = (at: string | number): string => dayFormat.format(new Date(at))

/** `09:15`, in UTC. */
export const clockText = (at: string | number): string => clockFormat.format(new Date(at))

/** In UTC and in local time, for a title. */
export function absolute(at: string): string {
  return `${at.replace('T', ' ').replace(/(\.\d+)?Z$/, '')} UTC\n${localFormat.format(new Date(at))} local time`
}
