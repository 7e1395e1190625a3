// A schedule: a cron expression, read in a time zone. Pure: from any moment, the time that comes after it.
import { Cron } from 'croner'
import { stackSettings } from './stack-settings.js'

const never = stackSettings.schedule.default

const leastGapMs = 5_000
const gapsChecked = 20
const words = /^@(yearly|annually|monthly|weekly|daily|hourly)$/
const fields = /^\S+( +\S+){4,5}$/

const mostParsed = 1_000
const parsed = new Map<string, Cron>()

/**
 * The first time after `from`; both in milliseconds since the epoch. A time that a clock skips comes when the clock
 * goes on; one that it shows twice comes once. undefined: none comes.
 */
export function nextTime(schedule: string, timeZone: string, from: number): number | undefined {
  if (schedule === never) return undefined
  return parsedCron(schedule, timeZone).nextRun(new Date(from))?.getTime()
}

/** What is wrong with a schedule, as words that follow its name; undefined: nothing. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule === never) return undefined
  return cronProblem(schedule) ?? (isTooOften(schedule) ? 'must not come more often than every 5 s.' : undefined)
}

/** The same of a cron expression that has to be one. */
export function cronProblem(expression: string): string | undefined {
  if (expression.length > 200 || !(words.test(expression) || fields.test(expression)))
    return 'must be a cron expression of 5 fields (minute, hour, day, month, weekday), 6 (a second first), or one of @hourly, @daily, @weekly, @monthly, @yearly.'
  try {
    return nextTime(expression, 'UTC', 0) === undefined ? 'is a time that never comes.' : undefined
  } catch (error) {
    return `is no cron expression: ${(error as Error).message.replace(/^CronPattern: /, '').replace(/\.$/, '')}.`
  }
}

/** What is wrong with the name of a time zone. */
export function timeZoneProblem(zone: string): string | undefined {
  try {
    if (/^[A-Za-z]/.test(zone)) return void new Intl.DateTimeFormat('en', { timeZone: zone })
  } catch {}
  return 'must be the name of a time zone, such as Europe/Berlin or UTC.'
}

function isTooOften(expression: string): boolean {
  let at = nextTime(expression, 'UTC', 0)!
  for (let gap = 0; gap < gapsChecked; gap++) {
    const next = nextTime(expression, 'UTC', at)!
    if (next - at < leastGapMs) return true
    at = next
  }
  return false
}

/** Many stacks have the same schedule: each is read once. */
function parsedCron(expression: string, timeZone: string): Cron {
  const key = `${timeZone} ${expression}`
  const there = parsed.get(key)
  if (there !== undefined) return there
  const cron = new Cron(expression, { timezone: timeZone, paused: true, mode: '5-or-6-parts' })
  if (parsed.size >= mostParsed) parsed.clear()
  parsed.set(key, cron)
  return cron
}
