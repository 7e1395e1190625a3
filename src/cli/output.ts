import type { Writable } from 'node:stream'
import { printable, printableJson } from '../lib/text/printable.js'
import type { Variables } from './client/agent-address.js'
import { defaultWidth, styleFor, terminalWidth, type Display } from './text/text.js'

export type Stream = Writable & {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly rows?: number | undefined
}

export interface OutputOptions {
  readonly stdout: Stream
  readonly stderr: Stream
  readonly environment: Variables
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

type Lines = (display: Display) => readonly string[]

/** The output of a verb: the answer on stdout, as JSON with `--json`; everything else on stderr. */
export class Output {
  readonly json: boolean
  readonly #options: OutputOptions
  constructor(options: OutputOptions, json: boolean) {
    this.#options = options
    this.json = json
  }

  /** Prints the answer of the verb. */
  answer(value: unknown, lines: Lines): void {
    if (this.json) this.answerJson(value)
    else this.lines(lines)
  }

  answerJson(value: unknown): void {
    this.#options.stdout.write(`${printJson(value)}\n`)
  }

  /** Prints one of several answers; with `--json` as one line. */
  item(value: unknown, lines: Lines): void {
    if (this.json) this.items([value])
    else this.lines(lines)
  }

  items(values: readonly unknown[]): void {
    this.#options.stdout.write(values.map((value) => `${printJsonLine(value)}\n`).join(''))
  }

  lines(lines: Lines): void {
    const { stdout } = this.#options
    stdout.write(joinLines(lines(this.#display(stdout))))
  }

  /** The height of the terminal; undefined if stdout is none. */
  get #height(): number | undefined {
    const { stdout, environment } = this.#options
    return stdout.isTTY === true && environment['TERM'] !== 'dumb' ? stdout.rows || 24 : undefined
  }

  /**
   * Replaces the last `drawn` lines of the terminal, cut off at its width. Returns how many lines it drew; undefined:
   * they do not fit, or stdout is no terminal, and nothing was drawn.
   */
  redraw(drawn: number, lines: Lines): number | undefined {
    const { stdout } = this.#options
    const height = this.#height
    const texts = height === undefined ? [] : lines(this.#display(stdout))
    if (height === undefined || texts.length + 1 >= height) return undefined
    const up = drawn === 0 ? '' : `\x1b[${drawn}A`
    stdout.write(`${up}\x1b[?7l${texts.map((text) => `\x1b[2K${text}\n`).join('')}\x1b[J\x1b[?7h`)
    return texts.length
  }

  /** Prints progress if stderr is a terminal. */
  progress(text: string): void {
    const { stderr } = this.#options
    if (stderr.isTTY === true) stderr.write(`${this.#display(stderr).style.dim(printable(text))}\n`)
  }

  /** Prints to stderr: problems, questions, next steps. */
  message(lines: Lines): void {
    this.#options.stderr.write(joinLines(lines(this.#display(this.#options.stderr))))
  }

  #display(stream: Stream): Display {
    const { environment, now } = this.#options
    return {
      style: styleFor(stream, environment),
      width: stream.isTTY === true ? (terminalWidth(stream, environment) ?? defaultWidth) : undefined,
      now: now(),
    }
  }
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

/** Indented JSON with control characters escaped. */
export function printJson(value: unknown): string {
  return printableJson(JSON.stringify(value, undefined, 2) ?? 'null')
}

function printJsonLine(value: unknown): string {
  return printableJson(JSON.stringify(value) ?? 'null')
}
