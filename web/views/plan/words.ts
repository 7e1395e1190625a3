// Values of plans in words.
import { lengthText } from '../../lib/time.js'

/** `3 changed, 1 removed`, or `No changes`. */
export function countsSentence({
  create,
  update,
  remove,
}: {
  readonly create: number
  readonly update: number
  readonly remove: number
}): string {
  const parts = [
    [create, 'new'],
    [update, 'changed'],
    [remove, 'removed'],
  ] as const
  const text = parts.flatMap(([count, word]) => (count > 0 ? [`${count} ${word}`] : [])).join(', ')
  return text === '' ? 'No changes' : text
}

/** What a number means, by the name of its field: `30 d` of `everySeconds`. */
export function meaning(path: string, value: unknown): string | undefined {
  if (typeof value !== 'number') return undefined
  if (/seconds$/i.test(path)) return lengthText(value * 1_000)
  if (/(ms|millis(econds)?)$/i.test(path)) return lengthText(value)
  if (/bytes$/i.test(path) && value >= 1_024) return byteText(value)
  return undefined
}

function byteText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${Math.round(bytes / 1_024 ** power)} ${units[power]}`
}

/** Text as it is, everything else as JSON. */
export function printed(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '')
}

export interface Marked {
  readonly before: string
  readonly marked: string
  readonly after: string
}

/** The part in which two texts differ, at the ends of words. */
export function difference(old: string, next: string): readonly [Marked, Marked] {
  let start = 0
  while (start < old.length && start < next.length && old[start] === next[start]) start++
  while (start > 0 && /\w/.test(old[start - 1]!) && /\w/.test((old[start] ?? ' ') + (next[start] ?? ' '))) start--
  let end = 0
  const most = Math.min(old.length, next.length) - start
  while (end < most && old.at(-1 - end) === next.at(-1 - end)) end++
  while (end > 0 && /\w/.test(old.at(-end)!) && /\w/.test((old.at(-end - 1) ?? ' ') + (next.at(-end - 1) ?? ' '))) end--
  const cut = (text: string): Marked => ({
    before: text.slice(0, start),
    marked: text.slice(start, text.length - end),
    after: text.slice(text.length - end),
  })
  return [cut(old), cut(next)]
}

export interface Line {
  readonly kind: 'same' | 'add' | 'del'
  readonly text: string
}

const mostLines = 400

/** The lines of two texts, those that differ marked. Common lines at the beginning and the end are found. */
export function lineDifference(old: string | undefined, next: string | undefined): readonly Line[] {
  const [a, b] = [old, next].map((text) => (text === undefined ? [] : text.split('\n')))
  let start = 0
  while (start < a!.length && start < b!.length && a![start] === b![start]) start++
  let end = 0
  while (end < Math.min(a!.length, b!.length) - start && a!.at(-1 - end) === b!.at(-1 - end)) end++
  const line =
    (kind: Line['kind']) =>
    (text: string): Line => ({ kind, text })
  const lines = [
    ...a!.slice(Math.max(0, start - 3), start).map(line('same')),
    ...a!.slice(start, a!.length - end).map(line('del')),
    ...b!.slice(start, b!.length - end).map(line('add')),
    ...a!.slice(a!.length - end, Math.min(a!.length, a!.length - end + 3)).map(line('same')),
  ]
  return lines.slice(0, mostLines)
}
