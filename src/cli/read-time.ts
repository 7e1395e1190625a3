import { parseInterval } from '../settings/interval.js'
import { UsageError } from './cli-error.js'

/** Milliseconds of `60s`, `2m`, `1h`. */
export function readTime(option: string, text: string): number {
  const ms = parseInterval(text)
  if (ms === undefined) throw new UsageError(`${option} is not a length of time.`, 'For example 30s, 5m, 2h or 1d.')
  return ms
}
