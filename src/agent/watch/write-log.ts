import { pino, type Logger } from 'pino'
import { printable, printableJson, shortened } from '../../lib/text/printable.js'
import { redactStrings, type Redact } from '../../secrets/redact/redact-facts.js'
import type { Log } from './log.js'

type Level = 'debug' | 'info' | 'warn' | 'error'

export interface LogOptions {
  readonly level: Level
  /** `text`: for people; `json`: one object per line. */
  readonly format: 'text' | 'json'
  readonly write: (line: string) => void
  /** Messages that the agent also prints in other words: `text` gives them level debug. */
  readonly printedElsewhere?: readonly string[]
  /** Removes secrets from each text of a line, before it is encoded as JSON. */
  readonly redact: Redact
}

/** Characters of one field. */
export const mostFactCharacters = 4_000

const ranks = { debug: 20, info: 30, warn: 40, error: 50 } as const

/** A log without secrets and control characters. */
export function openLog({ level, format, write, redact, printedElsewhere = [] }: LogOptions): Log {
  if (format === 'json')
    return jsonLog(
      pino(
        { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: levelAsWord } },
        { write: (line: string) => write(printableJson(line)) },
      ),
      redact,
    )
  const logAt =
    (of: Level) =>
    (message: string, facts: Readonly<Record<string, unknown>> = {}): void => {
      const rank = printedElsewhere.includes(message) ? ranks.debug : ranks[of]
      if (rank >= ranks[level]) write(`${textLine(of, redact(message), redactStrings(facts, redact))}\n`)
    }
  return { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') }
}

/** `2026-11-21 04:00:12Z info  agent started  url=http://127.0.0.1:4470 data="/srv/git moor"` */
function textLine(level: Level, message: string, facts: Readonly<Record<string, unknown>>): string {
  const time = new Date()
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z')
  const known = Object.entries(facts).filter(([, value]) => value !== undefined)
  const pairs = known.map(([name, value]) => `${printable(name)}=${factText(value)}`)
  return `${time} ${level.padEnd(5)} ${printable(message)}${pairs.length === 0 ? '' : `  ${pairs.join(' ')}`}`
}

/** On one line. Text that is not one word is in double quotes, escaped as in JSON. */
function factText(value: unknown): string {
  const text = shortened(typeof value === 'string' ? value : JSON.stringify(value), mostFactCharacters)
  const isBare = typeof value !== 'string' || (/^[^\s"=]+$/.test(text) && printable(text) === text)
  return printable(isBare ? text : JSON.stringify(text))
}

function jsonLog(logger: Logger, redact: Redact): Log {
  const logAt =
    (level: Level) =>
    (message: string, facts: Readonly<Record<string, unknown>> = {}): void =>
      logger[level](bounded(redactStrings(facts, redact)), redact(message))
  return { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') }
}

/** pino's own form is a number. */
function levelAsWord(level: string): { readonly level: string } {
  return { level }
}

function bounded(facts: Readonly<Record<string, unknown>>): object {
  const entries = Object.entries(facts)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? shortened(value, mostFactCharacters) : value]),
  )
}
