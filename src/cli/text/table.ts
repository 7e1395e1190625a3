import type { Style } from './text.js'

/** Lines of aligned columns, two spaces apart, under dim headings, without trailing spaces. Cells must be printable. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
): readonly string[] {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => visibleWidth(row[column] ?? ''))),
  )
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === cells.length - 1 ? cell : pad(cell, widths[column]! + 2)))
      .join('')
      .trimEnd()
  return [style.dim(line(headings)), ...rows.map(line)]
}

/** `name:  value` lines with aligned values. Skips empty values. */
export function facts(pairs: readonly (readonly [string, string])[], style: Style): readonly string[] {
  const shown = pairs.filter(([, value]) => value !== '')
  const width = Math.max(0, ...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${style.dim(`${name}:`)}${' '.repeat(width - name.length + 2)}${value}`)
}

/** Appends spaces up to a number of columns. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - visibleWidth(text)))
}

/** The number of columns of a text, without colour codes. */
function visibleWidth(text: string): number {
  return text.replaceAll(/\x1b\[\d+m/g, '').replaceAll(/[\ud800-\udbff][\udc00-\udfff]/g, ' ').length
}

/** Lines below an empty line; nothing for no lines. */
export function section(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', ...lines]
}
