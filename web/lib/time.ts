// Times in words, seen from a clock that ticks.
import { signal } from '@preact/signals'

/** Milliseconds since the epoch by the clock of the agent; renewed every 5 s while the page is visible. */
export const now = signal(Date.now())

/** The clock of the agent minus that of the browser. */
let aheadMs = 0
/** Answers give whole seconds and need time: a smaller difference is none. */
const leastDifferenceMs = 2_000

const tick = (): void => void (now.value = byAgent(Date.now()))

setInterval(() => {
  if (!document.hidden) tick()
}, 5_000)
document.addEventListener('visibilitychange', tick)

/** A time of the browser by the clock of the agent. */
export const byAgent = (at: number): number => at + aheadMs

/** `date`: the header of an answer that has just arrived. */
export function noteAgentTime(date: string | null): void {
  const difference = Date.parse(date ?? '') + 500 - Date.now()
  if (Math.abs(difference - aheadMs) > leastDifferenceMs)
    aheadMs = Math.abs(difference) > leastDifferenceMs ? difference : 0
  if (Math.abs(byAgent(Date.now()) - now.peek()) > 1_000) tick()
}

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

/** `2 h ago`; `now` also for a time that the clock has not reached yet. */
export function ago(at: string): string {
  const ms = now.value - Date.parse(at)
  return ms < 2_000 ? 'now' : `${lengthText(ms)} ago`
}

/** `in 11 h`; `now` also for a time that has passed. */
export function until(at: string): string {
  const ms = Date.parse(at) - now.value
  return ms < 2_000 ? 'now' : `in ${lengthText(ms)}`
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
