import { InvalidArgumentError, Option } from 'commander'
import { parseInterval } from '../../settings/interval.js'
import { UsageError } from '../cli-error.js'

/** Options of verbs that write, for a closed sync window. */
export interface OverrideOptions {
  readonly overrideWindow?: boolean
  readonly why?: string
}

export const overrideOption = ['--override-window', 'write though a sync window closes the stack; with --why'] as const

/** `whyNote`: where the verb has a reason of its own, which is this one, too. */
export function overrideOptions(
  whyNote = 'why the window is overridden, for the record',
): readonly (readonly [string, string])[] {
  return [overrideOption, ['--why <TEXT>', whyNote]]
}

/** Of a request's body. */
export function overrideBody({ overrideWindow, why }: OverrideOptions): OverrideOptions {
  return overrideWindow === true ? { overrideWindow, ...(why === undefined ? {} : { why }) } : {}
}

/** Of its query. */
export function overrideQuery({ overrideWindow, why }: OverrideOptions): {
  readonly overrideWindow?: string
  readonly why?: string
} {
  return overrideWindow === true ? { overrideWindow: 'true', ...(why === undefined ? {} : { why }) } : {}
}

/** How many rows a list shows that grows without end. */
export function limitOption(): Option {
  return new Option('--limit <N>', 'at most so many').default(50).argParser((text) => {
    if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('It is a whole number from 1 to 99999.')
    return Number(text)
  })
}

/** Milliseconds of `60s`, `2m`, `1h`. */
export function readDuration(option: string, text: string): number {
  const ms = parseInterval(text)
  if (ms === undefined) throw new UsageError(`${option} is not a length of time.`, 'For example 30s, 5m, 2h or 1d.')
  return ms
}
