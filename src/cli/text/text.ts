// text: views as lines for people. Takes a view and the display; gives lines. Promises: control characters are escaped;
// colours appear only on a terminal; nothing is shortened in a pipe.
import type { Variables } from '../client/agent-address.js'

type Paint = (text: string) => string

/** Marks words with colours; plain text without a terminal. */
export interface Style {
  readonly bold: Paint
  readonly dim: Paint
  readonly red: Paint
  readonly green: Paint
  readonly yellow: Paint
}

const plain: Paint = (text) => text

export const plainStyle: Style = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain }

const colourStyle: Style = {
  bold: paint(1, 22),
  dim: paint(2, 22),
  red: paint(31, 39),
  green: paint(32, 39),
  yellow: paint(33, 39),
}

function paint(on: number, off: number): Paint {
  return (text) => (text === '' ? '' : `\x1b[${on}m${text}\x1b[${off}m`)
}

/** Colours only on a terminal, unless NO_COLOR (https://no-color.org) is set or the terminal is `dumb`. */
export function styleFor(stream: { readonly isTTY?: boolean | undefined }, environment: Variables): Style {
  const disabled = (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb'
  return stream.isTTY === true && !disabled ? colourStyle : plainStyle
}

/**
 * The width of a terminal; undefined: the stream is none. Some terminals, as of CI systems, say 0 columns: then COLUMNS
 * is the width, or 80.
 */
export function terminalWidth(
  { columns }: { readonly columns?: number | undefined },
  environment: Variables,
): number | undefined {
  if (columns === undefined || columns > 0) return columns
  const given = Number(environment['COLUMNS'])
  return Number.isInteger(given) && given > 0 ? given : defaultWidth
}

export const defaultWidth = 80

/** Where lines are shown. `width`: columns of the terminal; undefined: a pipe. `now`: milliseconds since the epoch. */
export interface Display {
  readonly style: Style
  readonly width: number | undefined
  readonly now: number
  /** Prints everything: nothing is shortened or left out. */
  readonly full?: true
}

/** The display that prints everything, with `--full`. */
export function inFull(display: Display, full: true | undefined): Display {
  return full === undefined ? display : { ...display, full }
}

/** True if long values, lists and texts are cut: on a terminal. */
export function isShortened({ width, full }: Display): boolean {
  return width !== undefined && full !== true
}
