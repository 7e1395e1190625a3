// The fields of a change as lines: below the list entries that contain them, each with its old and new value.
import { keyPath } from '../../../lib/text/field-path.js'
import { printable, quoted } from '../../../lib/text/printable.js'
import { entryName, type Change, type FieldChange, type NamedFieldChange } from '../../../model/resources/change.js'
import { isObject, type Json } from '../../../model/json.js'
import { diffLines } from './line-diff.js'
import { numberOf } from '../short-forms.js'
import { isShortened, type Display, type Style } from '../text.js'

/** Limits on a terminal: fields of a new resource or list entry, lines of a text, and characters of a name. */
const fieldsShown = 12
const linesShown = 40
const nameShown = 40

const indent = ' '.repeat(6)

/** A list entry above its fields. `sign`: the entry itself is new, or removed. */
interface Heading {
  readonly path: string
  readonly name?: string
  readonly sign?: '+' | '-'
}

/** A line with a value (`isNew`: there was no value before), with a note, or nothing below its headings. */
type Row = { readonly within: readonly Heading[] } & (
  | (FieldChange & { readonly kind: 'value'; readonly isNew: boolean })
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'heading' }
)

/** The fields of a change. Empty values of what is new are left out, unless everything is printed. */
export function changeFieldLines(
  { action, fields, shown = fields }: Pick<Change, 'action' | 'fields' | 'shown'>,
  display: Display,
): readonly string[] {
  const rows =
    action === 'create'
      ? firstRows(
          fields.flatMap(({ path, new: value }) => leaves(path, value, [], display)),
          [],
          display,
        )
      : shown.flatMap((field) => changedRows(field, display))
  return rowLines(rows, display)
}

function changedRows({ entries = [], ...field }: NamedFieldChange, display: Display): readonly Row[] {
  const { path, old, new: desired } = field
  const isWhole = entries.at(-1)?.path === path
  const above: readonly Heading[] = isWhole ? entries.slice(0, -1) : entries
  const heading = { path, ...(isWhole ? { name: entries.at(-1)!.name } : {}) }
  if (old === undefined && isNested(desired)) {
    const within = [...above, { ...heading, sign: '+' as const }]
    return firstRows(leaves(path, desired, within, display), within, display)
  }
  if (desired === undefined && isNested(old)) {
    const within = [...above, { ...heading, sign: '-' as const }]
    const isShown = display.full === true || heading.name === undefined
    return firstRows(isShown ? leaves(path, old, within, display) : [], within, display)
  }
  return [{ kind: 'value', ...field, within: above, isNew: false }]
}

/** On a terminal, the first rows and how many more there are. There is at least one row, for the headings. */
function firstRows(rows: readonly Row[], within: readonly Heading[], display: Display): readonly Row[] {
  if (rows.length === 0) return within.length === 0 ? [] : [{ kind: 'heading', within }]
  const rest = isShortened(display) ? rows.length - fieldsShown : 0
  if (rest <= 0) return rows
  const text = `… and ${numberOf(rest, 'more field')}`
  return [...rows.slice(0, fieldsShown), { kind: 'note', within, text }]
}

/** The values of something new, each with its path. */
function leaves(path: string, value: Json | undefined, within: readonly Heading[], display: Display): readonly Row[] {
  if (display.full !== true && isEmpty(value)) return []
  if (isObject(value) && Object.keys(value).length > 0) {
    const own = within.at(-1)
    const name = own?.path === path ? own.name : undefined
    return Object.entries(value)
      .filter(([key, one]) => display.full === true || key !== 'name' || one !== name)
      .flatMap(([key, one]) => leaves(keyPath(path, key), one, within, display))
  }
  if (isList(value) && value.some(isObject))
    return value.flatMap((one, at) => entryLeaves(one, `${path}[${at}]`, within, display))
  return [{ kind: 'value', path, ...(value === undefined ? {} : { new: value }), within, isNew: true }]
}

function entryLeaves(entry: Json, path: string, within: readonly Heading[], display: Display): readonly Row[] {
  const name = entryName(entry)
  return leaves(path, entry, name === undefined ? within : [...within, { path, name }], display)
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

function isNested(value: Json | undefined): boolean {
  return isList(value) ? value.some(isObject) : isObject(value) && Object.keys(value).length > 0
}

/** A value that says no more than its absence. */
function isEmpty(value: Json | undefined): boolean {
  if (isList(value)) return value.length === 0
  if (isObject(value)) return Object.keys(value).length === 0
  return value === null || value === '' || value === 0 || value === false
}

function rowLines(rows: readonly Row[], display: Display): readonly string[] {
  const lines: string[] = []
  let open: readonly Heading[] = []
  for (const row of rows) {
    const same = row.within.findIndex((heading, at) => !isSameHeading(heading, open[at]))
    const first = same < 0 ? row.within.length : same
    for (const [at, heading] of row.within.entries())
      if (at >= first) lines.push(headingLine(heading, row.within.slice(0, at), display.style))
    lines.push(...belowHeadings(row, display))
    open = row.within
  }
  return lines
}

function isSameHeading(one: Heading, other: Heading | undefined): boolean {
  return one.path === other?.path && one.sign === other.sign
}

function headingLine(heading: Heading, above: readonly Heading[], style: Style): string {
  const name = heading.name === undefined ? '' : ` ${quoted(heading.name, nameShown)}`
  const text = `${printable(pathBelow(heading.path, above))}${name}`
  const { sign } = heading
  if (sign === undefined) return `${indentBelow(above)}${text}`
  return `${indentBelow(above)}${sign === '+' ? style.green(sign) : style.red(sign)} ${text}`
}

function belowHeadings(row: Row, display: Display): readonly string[] {
  const space = indentBelow(row.within)
  switch (row.kind) {
    case 'heading':
      return []
    case 'note':
      return [`${space}${display.style.dim(row.text)}`]
    case 'value':
      return valueLines(`${space}${printable(pathBelow(row.path, row.within))}`, row, display)
  }
}

function indentBelow(headings: readonly Heading[]): string {
  return indent + headings.map(({ sign }) => (sign === undefined ? '  ' : '    ')).join('')
}

/** The path without that of the innermost heading. */
function pathBelow(path: string, headings: readonly Heading[]): string {
  const above = headings.at(-1)?.path ?? ''
  return path.startsWith(above) ? path.slice(above.length).replace(/^\./, '') : path
}

/** A value behind its label. A text of several lines is a diff of lines below the label. */
function valueLines(
  label: string,
  { old, new: desired, isNew }: Omit<FieldChange, 'path'> & { readonly isNew: boolean },
  display: Display,
): readonly string[] {
  if ((isMultiline(old) || isMultiline(desired)) && isText(old) && isText(desired)) {
    const space = ' '.repeat(label.length - label.trimStart().length + 2)
    return [`${label}:`, ...textDiff(old, desired, space, display)]
  }
  const room = (display.width ?? 0) - label.length
  if (isNew) return [`${label}: ${showValue(desired, display, room - 2)}`]
  const [before, after] = shownPair(old, desired, display, Math.floor((room - 5) / 2))
  return [`${label}: ${before} → ${after}`]
}

function isText(value: Json | undefined): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

/** True for text of several lines, which is shown as a diff of lines. */
function isMultiline(value: Json | undefined): boolean {
  return typeof value === 'string' && value.trimEnd().includes('\n')
}

function textDiff(
  old: string | undefined,
  desired: string | undefined,
  space: string,
  display: Display,
): readonly string[] {
  const { style } = display
  const [before, after] = withoutFinalNewline(old, desired)
  const lines = diffLines(before, after)
  const shown = (isShortened(display) ? lines.slice(0, linesShown) : lines).map((line) => {
    const text = `${space}${line.sign} ${line.text.split('\t').map(printable).join('\t')}`.trimEnd()
    return { '+': style.green, '-': style.red, ' ': style.dim }[line.sign](text)
  })
  const rest = lines.length - shown.length
  return rest > 0 ? [...shown, style.dim(`${space}… and ${numberOf(rest, 'more line')}`)] : shown
}

/** Removes the line break at the end of both texts. */
function withoutFinalNewline(
  old: string | undefined,
  desired: string | undefined,
): readonly [string | undefined, string | undefined] {
  const both = [old, desired].every((text) => text === undefined || text.endsWith('\n'))
  return both ? [old?.slice(0, -1), desired?.slice(0, -1)] : [old, desired]
}

/** The fewest characters of a shortened value. */
const leastShown = 24

/**
 * A value as JSON on one line, shortened to `room` characters on a terminal. `(none)` for no value; `(secret …)` and
 * `(known after apply …)` are shown as they are.
 */
export function showValue(value: unknown, display: Display, room = 0): string {
  if (value === undefined) return display.style.dim('(none)')
  return printable(isShortened(display) ? cut(valueText(value), room) : valueText(value))
}

/** Two values that differ. On a terminal a long common beginning is left out, so the difference is visible. */
function shownPair(
  old: Json | undefined,
  desired: Json | undefined,
  display: Display,
  room: number,
): readonly [string, string] {
  if (old === undefined || desired === undefined || !isShortened(display))
    return [showValue(old, display, room), showValue(desired, display, room)]
  const texts = [valueText(old), valueText(desired)] as const
  const most = Math.max(leastShown, room)
  const common = commonLength(...texts)
  const from = texts.some(({ length }) => length > most) && common > most / 2 ? common - Math.floor(most / 4) : 0
  const shown = (text: string): string => printable(cut(from === 0 ? text : `…${text.slice(from)}`, room))
  return [shown(texts[0]), shown(texts[1])]
}

function commonLength(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}

function valueText(value: unknown): string {
  return typeof value === 'string' && /^\((?:secret|known after apply)\b/.test(value) ? value : JSON.stringify(value)
}

function cut(text: string, room: number): string {
  const most = Math.max(leastShown, room)
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}
