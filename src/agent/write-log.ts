import { pino, type Logger } from 'pino'
import { printable } from '../model/printable.js'
import type { Log } from './log.js'

export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  /** `text`: lines for a person; `json`: one object a line. */
  readonly format: 'text' | 'json'
  readonly write: (line: string) => void
  /** Takes secrets out of a line. */
  readonly redact: (text: string) => string
}

const ranks = { debug: 20, info: 30, warn: 40, error: 50 } as const

/** A log that never shows a secret or a control character. */
export function openLog({ level, format, write, redact }: LogOptions): Log {
  if (format === 'json')
    return jsonLog(pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write: (line: string) => write(redact(line)) }))
  const tell =
    (of: 'info' | 'warn' | 'error') =>
    (message: string, facts: Readonly<Record<string, unknown>> = {}): void => {
      if (ranks[of] < ranks[level]) return
      const said = Object.entries(facts).map(
        ([name, value]) => `${name}=${printable(typeof value === 'string' ? value : JSON.stringify(value))}`,
      )
      write(`${redact([new Date().toISOString(), of.toUpperCase().padEnd(5), message, ...said].join(' '))}\n`)
    }
  return { info: tell('info'), warn: tell('warn'), error: tell('error') }
}

function jsonLog(logger: Logger): Log {
  return {
    info: (message, facts) => logger.info(facts ?? {}, message),
    warn: (message, facts) => logger.warn(facts ?? {}, message),
    error: (message, facts) => logger.error(facts ?? {}, message),
  }
}
