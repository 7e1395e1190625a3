// A schedule: a cron expression in a time zone. Pure: gives the next time after any moment.
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
 * The first time after `from`, both in milliseconds since the epoch; undefined: there is none. At a change to summer
 * time, a skipped time moves to the end of the gap; at a change back, a repeated time counts once.
 */
export function nextTime(schedule: string, timeZone: string, from: number): number | undefined {
  if (schedule === never) return undefined
  return parsedCron(schedule, timeZone).nextRun(new Date(from))?.getTime()
}

/** The last time before `to`; undefined: there is none. */
export function previousTime(schedule: string, timeZone: string, to: number): number | undefined {
  return parsedCron(schedule, timeZone).previousRuns(1, new Date(to))[0]?.getTime()
}

/** The problem of a schedule, as a message after its name; undefined: it is valid. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule === never) return undefined
  return cronProblem(schedule) ?? (isTooOften(schedule) ? 'must not be more frequent than every 5 s.' : undefined)
}

/** The same for a cron expression; `never` is not allowed. */
export function cronProblem(expression: string): string | undefined {
  if (expression.length > 200 || !(words.test(expression) || fields.test(expression)))
    return (
      'must be a cron expression of 5 fields (minute, hour, day, month, weekday), 6 (a second first), or one of ' +
      '@hourly, @daily, @weekly, @monthly, @yearly.'
    )
  try {
    return nextTime(expression, 'UTC', 0) === undefined ? 'never occurs.' : undefined
  } catch (error) {
    return `is not a cron expression: ${(error as Error).message.replace(/^CronPattern: /, '').replace(/\.$/, '')}.`
  }
}

/** The problem of a time zone's name. */
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

/** Many stacks share a schedule, so each one is parsed once. */
function parsedCron(expression: string, timeZone: string): Cron {
  const key = `${timeZone} ${expression}`
  const there = parsed.get(key)
  if (there !== undefined) return there
  const cron = new Cron(expression, { timezone: timeZone, paused: true, mode: '5-or-6-parts' })
  if (parsed.size >= mostParsed) parsed.clear()
  parsed.set(key, cron)
  return cron
}
