import { quoted } from '../../../lib/text/printable.js'
import type { Fields } from './fields.js'

export const unknownLevel = 'UNKNOWN'
const levels = ['CRIT', 'WARN', 'INFO', 'OK', 'ANY']

/** A level in upper case; '' if it is absent. `shown`: the pointer at which InfluxDB reports its errors. */
export function readLevel(fields: Fields, key: string, shown: string): string {
  const level = fields.text(key)?.trim().toUpperCase() ?? ''
  if (!levels.includes(level)) {
    const what = level === '' ? `there is no ${key}` : `there is no level ${quoted(level)}`
    fields.errorShown(shown, key, 'not-allowed', what, `One of ${levels.join(', ')}.`)
  }
  return level
}

/** An optional level: InfluxDB stores an absent one as UNKNOWN. */
export function readOptionalLevel(fields: Fields, key: string, shown: string): string {
  const level = fields.text(key)?.trim().toUpperCase() ?? ''
  return level === '' || level === unknownLevel ? unknownLevel : readLevel(fields, key, shown)
}

export function upper(text: string): string {
  return text.trim().toUpperCase()
}
