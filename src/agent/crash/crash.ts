import type { Log } from '../watch/log.js'
import { describeError } from '../../model/errors.js'
import { readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * From now on, an error that nothing caught ends the process with exit code 1: what it left behind in memory cannot be
 * trusted. The log says which remotes were being read. To be disposed.
 */
export function endOnFault(log: Log, reading: () => readonly string[]): Disposable {
  const end = (error: unknown): void => {
    try {
      log.error('the agent ends: a fault in gitmoor', {
        error: describeError(error),
        stack: error instanceof Error && error.stack !== undefined ? stackInSource(error.stack) : undefined,
        reading: reading(),
        hint: 'Start it again: nothing is lost, and the remotes that were being read are read later. Please report this line.',
      })
    } finally {
      process.exit(1)
    }
  }
  process.on('uncaughtException', end) // also of promises: the runtime hands on what nobody awaited
  return { [Symbol.dispose]: () => void process.off('uncaughtException', end) }
}

const place = /(file:\/\/[^\s()]+?\.js):(\d+):(\d+)/g

/**
 * A stack trace with places in src, where a map lies beside the file that it names. Done here, for one that is told:
 * the runtime would read maps of megabytes whenever an error is made.
 */
export function stackInSource(stack: string): string {
  const maps = new Map<string, SourceMap | undefined>()
  return stack.replaceAll(place, (whole: string, file: string, line: string, column: string) => {
    if (!maps.has(file)) maps.set(file, mapOf(file))
    const entry = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1)
    if (entry === undefined || !('originalSource' in entry)) return whole
    return `${new URL(entry.originalSource, file).href}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  })
}

function mapOf(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(file)}.map`, 'utf8')) as SourceMapPayload)
  } catch {
    return undefined // an error while an error is told must not hide it
  }
}
