// When a task runs: `cron`, `every` and `offset` of its spec, or what `option task` sets instead.
import { quoted, shortened } from '../../../lib/text/printable.js'
import { asText } from '../../../model/scalar.js'
import { isCron } from './cron.js'
import { formatDuration, isWholeSeconds, parseDuration } from '../fields/duration.js'
import type { Fields } from '../fields/fields.js'
import type { Parameter } from '../flux/parameters.js'

/** `cron` is '' if the task runs by `every`. Durations are in Go's format; '' for none. */
export interface Schedule {
  readonly cron: string
  readonly every: string
  readonly offset: string
}

/** A duration, and its place. */
interface Given {
  readonly pointer: string
  /** undefined: absent. */
  readonly duration: bigint | 'unparsable' | undefined
}

type Key = 'every' | 'offset'

/** Characters of a cron in a message. */
const mostCron = 80
const cronHint =
  'Write minute, hour, day of month, month and day of week, such as 15 3 * * 1-5; or such as @hourly or @every 90m.'
const durationHint = 'Write a duration such as 1h30m or 15s.'

/** The schedule; `option task` overrides the spec. `unread`: the option is set, and may set `every`. */
export function readSchedule(spec: Fields, option: ReadonlyMap<string, Parameter>, unread = false): Schedule {
  const every = readDuration(spec, 'every', option)
  const cron = readCron(spec)
  if (unread && every.duration === undefined) return { cron, every: '', offset: '' }
  return { cron, every: readEvery(spec, cron, every), offset: readOffset(spec, readDuration(spec, 'offset', option)) }
}

function readCron(spec: Fields): string {
  const cron = spec.text('cron')?.trim() ?? ''
  if (cron !== '' && !isCron(cron))
    spec.error('cron', 'not-allowed', `cron ${quoted(shortened(cron, mostCron))} is not valid for a task`, cronHint)
  return cron
}

function readDuration(spec: Fields, key: Key, option: ReadonlyMap<string, Parameter>): Given {
  const inSpec = spec.duration(key)
  const parameter = option.get(key)
  if (parameter === undefined) return { pointer: `/spec/${key}`, duration: inSpec }
  const pointer = `/spec/task/${key}`
  if (parameter.literal?.type === 'duration')
    return { pointer, duration: parseDuration(asText(parameter.literal.value) ?? '') }
  spec.report.error(pointer, {
    code: 'kinds/wrong-type',
    message: `${key} of the task option is not a duration`,
    hint: durationHint,
  })
  return { pointer, duration: undefined }
}

function readEvery(spec: Fields, cron: string, { pointer, duration }: Given): string {
  const given = duration !== undefined && duration !== 'unparsable' && duration !== 0n
  if (given && cron !== '') spec.error('cron', 'not-allowed', 'cron and every are both set', 'Keep one of the two.')
  if (!given && cron === '') refuseNone(spec, duration)
  else if (duration === 'unparsable')
    spec.warning('every', 'wrong-type', `${notDuration(spec, 'every')} and is ignored`)
  if (given && (duration < 0n || !isWholeSeconds(duration))) {
    const message = 'every is not a number of whole seconds above 0'
    spec.report.error(pointer, { code: 'kinds/not-allowed', message, hint: durationHint })
  }
  return given ? formatDuration(duration) : ''
}

function refuseNone(spec: Fields, every: Given['duration']): void {
  if (every === 'unparsable') return spec.error('every', 'wrong-type', notDuration(spec, 'every'), durationHint)
  const absent = 'every or cron is required'
  spec.error('every', 'required', absent)
  spec.error('cron', 'required', absent)
}

function readOffset(spec: Fields, { pointer, duration = 0n }: Given): string {
  if (duration === 'unparsable')
    spec.warning('offset', 'wrong-type', `${notDuration(spec, 'offset')} and is ignored`, durationHint)
  else if (isWholeSeconds(duration)) return formatDuration(duration)
  else
    spec.report.error(pointer, {
      code: 'kinds/not-allowed',
      message: 'offset is not a number of whole seconds',
      hint: durationHint,
    })
  return ''
}

function notDuration(spec: Fields, key: string): string {
  const value = spec.raw(key)
  return `${key} ${typeof value === 'string' ? `${quoted(value)} ` : ''}is not a duration`
}
