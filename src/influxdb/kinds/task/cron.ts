// The texts that InfluxDB accepts as a task's cron. This check is as lenient as InfluxDB's parser.

/** What one field may say: numbers from least to most, and names for them. */
interface Field {
  readonly least: number
  readonly most: number
  readonly name?: RegExp
}

const month = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)$/i
const dayOfWeek = /^(?:sun|mon|tue|wed|thu|fri|sat)$/i

const second: Field = { least: 0, most: 59 }
const year: Field = { least: 1970, most: 2099 }
/** Minute, hour, day of month, month, day of week. */
const five: readonly Field[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31, name: dayOfWeek },
  { least: 0, most: 12, name: month },
  { least: 0, most: 7, name: dayOfWeek },
]
/** By the number of fields: six have seconds first, and seven also years last. */
const layouts: ReadonlyMap<number, readonly Field[]> = new Map([
  [5, five],
  [6, [second, ...five]],
  [7, [second, ...five, year]],
])

const word = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly|every_minute|every_second)$/i
const interval = /^@every\s+(?:\d+(?:y|mo|w|d|hr?|ms|m|[uµμ]s?|ns|s)\s*)+$/iu
/** The longest cron text. */
const mostCharacters = 1_000

/**
 * Fields of numbers, names, ranges, steps and lists; a word such as `@hourly`; or `@every 1h30m`. Without blanks around
 * it.
 */
export function isCron(text: string): boolean {
  if (text.length > mostCharacters) return false
  if (text.startsWith('@')) return word.test(text) || interval.test(text)
  const written = text.split(/\s+/)
  const fields = layouts.get(written.length)
  return (
    fields !== undefined && fields.every((field, at) => written[at]!.split(',').every((part) => isPart(part, field)))
  )
}

/** `*`, `5`, `1-5`, each with an optional step after a slash. */
function isPart(part: string, field: Field): boolean {
  const [range = '', step, ...more] = part.split('/')
  if (more.length > 0 || (step !== undefined && !isStep(step, field))) return false
  if (range === '*') return true
  const ends = range.split('-')
  return ends.length <= 2 && ends.every((end) => field.name?.test(end) === true || isNumber(end, field))
}

function isStep(step: string, { most }: Field): boolean {
  return isNumber(step, { least: 0, most })
}

function isNumber(text: string, { least, most }: Field): boolean {
  return /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most
}
