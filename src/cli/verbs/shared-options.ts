// Options that several verbs have.
import { InvalidArgumentError, Option } from 'commander'
import { parseInterval, printInterval, type DurationRange } from '../../settings/schema/interval.js'
import { usageErrors } from '../errors/usage-errors.js'

/** Options of verbs that can write while a sync window is closed. */
export interface OverrideOptions {
  readonly overrideWindow?: boolean
  readonly why?: string
}

export const overrideOption = ['--override-window', 'write although a sync window is closed; needs --why'] as const

export const whyOption = ['--why <TEXT>', 'the reason, for the record'] as const

export const overrideOptions = [overrideOption, whyOption] as const

/** `--why` of verbs that always need a reason. */
export function requiredWhyOption(): Option {
  return new Option(...whyOption).makeOptionMandatory()
}

/** `--yes` of commands that ask before they destroy something. */
export const yesOption = ['--yes', 'skip the confirmation'] as const

/** `--consent` of commands that may lose data. */
export function consentOption(): Option {
  const about = 'consent to losing the data of a resource; Bucket/* names all buckets; may be repeated'
  return new Option('--consent <ADDRESS>', about).argParser(collect)
}

/** The fields of a request body. */
export function overrideBody({ overrideWindow, why }: OverrideOptions): OverrideOptions {
  return overrideWindow === true ? { overrideWindow, ...(why === undefined ? {} : { why }) } : {}
}

/** The parameters of a query. */
export function overrideQuery({ overrideWindow, why }: OverrideOptions): {
  readonly overrideWindow?: string
  readonly why?: string
} {
  return { ...(overrideWindow === true ? { overrideWindow: 'true' } : {}), ...(why === undefined ? {} : { why }) }
}

/** `--limit`, for lists that grow without end. */
export function limitOption(): Option {
  return new Option('--limit <N>', 'maximum number of rows').default(50).argParser((text) => {
    if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 99999.')
    return Number(text)
  })
}

/** The milliseconds of `60s`, `2m`, `1h`. */
export function readDuration(option: string, text: string, { least, most }: DurationRange): number {
  const ms = parseInterval(text)
  if (ms === undefined) throw usageErrors.invalidDuration(option, text)
  if (ms < least) throw usageErrors.shortDuration(option, text, printInterval(least))
  if (ms > most) throw usageErrors.longDuration(option, text, printInterval(most))
  return ms
}

/** The id of a run of the stack. */
export function readRunId(stack: string, text: string): string {
  if (!/^\d{1,18}$/.test(text)) throw usageErrors.invalidRun(stack, text)
  return text
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}
