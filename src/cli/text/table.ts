// Tables and facts in the width of the terminal. Cells must be printable; a pipe gets them whole, a line for each row.
import type { Display } from './text.js'

/**
 * A heading; or with `fit` what a narrow terminal does to long cells: `wrap` between words, cut out the middle (`cut`)
 * or the end (`end`), or of an `address` cut the URL and the path, never the ref.
 */
export type TableColumn = string | { readonly heading: string; readonly fit: 'wrap' | 'cut' | 'end' | 'address' }

/** A table, with the lines of each row apart. */
export interface TableBlocks {
  readonly heading: string
  readonly rows: readonly (readonly string[])[]
}

type Row = readonly string[]

/** Columns that are narrower would not be readable: their cells move below the row. */
const least = { wrap: 40, cut: 20, end: 40, address: 20 } as const

/** Text is not wrapped into fewer columns: then a terminal breaks the lines itself. */
const leastText = 8

/**
 * Lines of aligned columns, two spaces apart, under dim headings, without trailing spaces. Columns without any cell are
 * left out.
 */
export function table(columns: readonly TableColumn[], rows: readonly Row[], display: Display): readonly string[] {
  const { heading, rows: blocks } = tableBlocks(...filledColumns(columns, rows), display)
  return [heading, ...blocks.flat()]
}

/** The columns that have a cell, with their cells; all columns if there are no rows. */
export function filledColumns(
  columns: readonly TableColumn[],
  rows: readonly Row[],
): [columns: readonly TableColumn[], rows: readonly Row[]] {
  const filled = columns.map((_, at) => rows.length === 0 || rows.some((row) => (row[at] ?? '') !== ''))
  return [columns.filter((_, at) => filled[at]), rows.map((row) => row.filter((_, at) => filled[at]))]
}

/** On a terminal, long cells are fitted, and last columns without room move below their row as `heading: cell`. */
export function tableBlocks(columns: readonly TableColumn[], rows: readonly Row[], display: Display): TableBlocks {
  const natural = columns.map((column, at) =>
    Math.max(headingOf(column).length, ...rows.map((row) => visibleWidth(row[at] ?? ''))),
  )
  const narrow = columns.map((column, at) => {
    if (typeof column === 'string') return natural[at]!
    const shortest = column.fit === 'address' ? rows.map((row) => cutAddress(row[at] ?? '', 0).length) : []
    return Math.min(natural[at]!, Math.max(least[column.fit], ...shortest))
  })
  const widths = columnWidths({ natural, narrow }, display.width ?? Number.POSITIVE_INFINITY)
  const beside = columns.slice(0, widths.length)
  return {
    heading: display.style.dim(line(beside.map(headingOf), widths)),
    rows: rows.map((row) => [
      ...besideLines(row.slice(0, widths.length), beside, widths),
      ...columns
        .slice(widths.length)
        .flatMap((column, at) => belowLines(column, row[widths.length + at] ?? '', display)),
    ]),
  }
}

/** `name:  value` lines with aligned values, wrapped on a terminal. Skips empty values. */
export function facts(pairs: readonly (readonly [string, string])[], { style, width }: Display): readonly string[] {
  const shown = pairs.filter(([, value]) => value !== '')
  const names = Math.max(0, ...shown.map(([name]) => name.length)) + 3
  return shown.flatMap(([name, value]) =>
    wrapped(value, Math.max(leastText, (width ?? Number.POSITIVE_INFINITY) - names)).map((text, at) =>
      at === 0 ? `${style.dim(`${name}:`)}${' '.repeat(names - name.length - 1)}${text}` : ' '.repeat(names) + text,
    ),
  )
}

/** Appends spaces up to a number of columns. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - visibleWidth(text)))
}

/** Lines below an empty line; nothing for no lines. */
export function section(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', ...lines]
}

/** The text in lines of at most `width` columns, broken between words. Only a longer word is broken itself. */
export function wrapped(text: string, width: number): readonly string[] {
  if (visibleWidth(text) <= width || width < 1) return [text]
  const lines: string[] = []
  let current = ''
  for (const word of text.split(' ').flatMap((one) => pieces(one, width))) {
    const longer = current === '' ? word : `${current} ${word}`
    if (visibleWidth(longer) <= width) current = longer
    else {
      lines.push(current)
      current = word
    }
  }
  return [...lines, current]
}

/** The text in at most `width` columns, with … in place of its middle. */
export function cutMiddle(text: string, width: number): string {
  const characters = Array.from(text)
  if (characters.length <= width) return text
  const kept = Math.max(2, width) - 1
  const end = Math.floor(kept / 2)
  return `${characters.slice(0, kept - end).join('')}…${characters.slice(characters.length - end).join('')}`
}

/** The text in at most `width` columns, with … in place of its end. */
function cutEnd(text: string, width: number): string {
  const characters = Array.from(text)
  return characters.length <= width
    ? text
    : `${characters
        .slice(0, Math.max(1, width - 1))
        .join('')
        .trimEnd()}…`
}

/** `https://g…/boards#stable in dash…ards`: the URLs are cut first, then the paths. Refs stay whole. */
export function cutAddress(text: string, width: number): string {
  if (!text.includes('#')) return cutMiddle(text, Math.max(width, 1))
  return cutWords(cutWords(text, /(?<=^| )[^ #]+(?=#)/g, width), /(?<= in )[^ ]+/g, width)
}

/** Cuts the words that match until the text fits, each by the same share. */
function cutWords(text: string, words: RegExp, width: number): string {
  const found = text.match(words) ?? []
  const excess = Array.from(text).length - width
  if (excess <= 0 || found.length === 0) return text
  const share = Math.ceil(excess / found.length)
  return text.replaceAll(words, (word) => {
    const kept = Array.from(word).length - share
    return kept < 3 ? '…' : cutMiddle(word, kept)
  })
}

/** The widths of the columns that have room beside each other: the first ones, at least one. */
function columnWidths(
  { natural, narrow }: { readonly natural: readonly number[]; readonly narrow: readonly number[] },
  room: number,
): readonly number[] {
  let count = narrow.length
  while (count > 1 && total(narrow.slice(0, count)) > room) count--
  let spare = room - total(narrow.slice(0, count))
  return narrow.slice(0, count).map((width, at) => {
    const more = Math.max(0, Math.min(spare, natural[at]! - width))
    spare -= more
    return width + more
  })
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + 2, -2)
}

/** The cells of one row side by side, in as many lines as its longest wrapped cell needs. */
function besideLines(row: Row, columns: readonly TableColumn[], widths: readonly number[]): readonly string[] {
  const cells = row.map((cell, at) => fitted(cell, columns[at]!, widths[at]!))
  const height = Math.max(...cells.map(({ length }) => length))
  return Array.from({ length: height }, (_, at) => {
    const texts = cells.map((cell) => cell[at] ?? '')
    return line(texts, widths)
  })
}

function fitted(cell: string, column: TableColumn, width: number): readonly string[] {
  if (typeof column === 'string') return [cell]
  if (column.fit === 'wrap') return wrapped(cell, width)
  if (column.fit === 'end') return [cutEnd(cell, width)]
  return [column.fit === 'address' ? cutAddress(cell, width) : cutMiddle(cell, width)]
}

function belowLines(column: TableColumn, cell: string, { style, width }: Display): readonly string[] {
  if (cell === '' || cell === '-') return []
  const name = `${headingOf(column).toLowerCase()}:`
  const room = Math.max(leastText, (width ?? Number.POSITIVE_INFINITY) - name.length - 3)
  const [first = '', ...more] = fitted(cell, column, room)
  return [`  ${style.dim(name)} ${first}`, ...more.map((text) => `${' '.repeat(name.length + 3)}${text}`)]
}

function line(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, at) => (at === cells.length - 1 ? cell : pad(cell, widths[at]! + 2)))
    .join('')
    .trimEnd()
}

function headingOf(column: TableColumn): string {
  return typeof column === 'string' ? column : column.heading
}

/** A word in parts of at most `width` columns. */
function pieces(word: string, width: number): readonly string[] {
  if (visibleWidth(word) <= width) return [word]
  const characters = Array.from(word)
  return Array.from({ length: Math.ceil(characters.length / width) }, (_, at) =>
    characters.slice(at * width, (at + 1) * width).join(''),
  )
}

/** The number of columns of a text, without colour codes. */
export function visibleWidth(text: string): number {
  return text.replaceAll(/\x1b\[\d+m/g, '').replaceAll(/[\ud800-\udbff][\udc00-\udfff]/g, ' ').length
}
