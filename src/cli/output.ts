import type { Writable } from 'node:stream'
import { printableJson } from '../lib/printable.js'
import type { Variables } from './client/agent-address.js'
import { styleFor, type Display } from './text/text.js'

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

/**
 * What a verb says. The answer goes to stdout, as one JSON document where `--json` asks for it; everything else goes to
 * stderr.
 */
export class Output {
  readonly json: boolean
  readonly #options: OutputOptions
  constructor(options: OutputOptions, json: boolean) {
    this.#options = options
    this.json = json
  }

  /** The answer of the verb; said once. */
  answer(value: unknown, lines: (look: Display) => readonly string[]): void {
    if (this.json) return this.answerJson(value)
    const { stdout } = this.#options
    stdout.write(joinLines(lines(this.#display(stdout))))
  }

  answerJson(value: unknown): void {
    this.#options.stdout.write(`${printJson(value)}\n`)
  }

  /** One of several answers, that come one after the other: with `--json` a line each. */
  item(value: unknown, lines: (look: Display) => readonly string[]): void {
    if (this.json) this.items([value])
    else this.lines(lines)
  }

  items(values: readonly unknown[]): void {
    this.#options.stdout.write(values.map((value) => `${printJsonLine(value)}\n`).join(''))
  }

  lines(lines: (look: Display) => readonly string[]): void {
    const { stdout } = this.#options
    stdout.write(joinLines(lines(this.#display(stdout))))
  }

  /** Lines of the terminal that reads the answer; undefined: there is none. */
  get rows(): number | undefined {
    const { stdout, environment } = this.#options
    return stdout.isTTY === true && environment['TERM'] !== 'dumb' ? (stdout.rows ?? 24) : undefined
  }

  /**
   * Draws lines in the place of so many drawn before; gives how many there are now. What is longer than the terminal is
   * wide is cut off.
   */
  draw(before: number, lines: (look: Display) => readonly string[]): number {
    const { stdout } = this.#options
    const drawn = lines(this.#display(stdout))
    stdout.write(
      `${before === 0 ? '' : `\x1b[${before}A`}\x1b[?7l${drawn.map((line) => `\x1b[2K${line}\n`).join('')}\x1b[J\x1b[?7h`,
    )
    return drawn.length
  }

  /** Progress: only a person at a terminal sees it. */
  progress(text: string): void {
    const { stderr } = this.#options
    if (stderr.isTTY === true) stderr.write(`${this.#display(stderr).style.dim(text)}\n`)
  }

  /** Beside the answer: problems, questions, what to type next. */
  message(lines: (look: Display) => readonly string[]): void {
    this.#options.stderr.write(joinLines(lines(this.#display(this.#options.stderr))))
  }

  #display(stream: Stream): Display {
    const { environment, now } = this.#options
    return {
      style: styleFor(stream, environment),
      width: stream.isTTY === true ? (stream.columns ?? 80) : undefined,
      now: now(),
    }
  }
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

/** Indented JSON without a character that a terminal could obey. */
export function printJson(value: unknown): string {
  return printableJson(JSON.stringify(value, undefined, 2) ?? 'null')
}

/** The same on one line. */
function printJsonLine(value: unknown): string {
  return printableJson(JSON.stringify(value) ?? 'null')
}
