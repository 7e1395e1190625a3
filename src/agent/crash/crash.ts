import type { Log } from '../watch/log.js'
import { describeError } from '../../model/errors.js'
import { readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * From now on, an uncaught error ends the process with exit code 1: its memory may be inconsistent. The log names the
 * remotes that were being read. To be disposed.
 */
export function endOnFault(log: Log, reading: () => readonly string[]): Disposable {
  const end = (error: unknown): void => {
    try {
      log.error('the agent crashed: a bug in gitmoor', {
        error: describeError(error),
        stack: error instanceof Error && error.stack !== undefined ? stackInSource(error.stack) : undefined,
        reading: reading(),
        hint:
          'Start the agent again: nothing is lost, and remotes that were being read are read later. ' +
          'Please report this line.',
      })
    } finally {
      process.exit(1)
    }
  }
  process.on('uncaughtException', end) // unhandled rejections are uncaught errors, too
  return { [Symbol.dispose]: () => void process.off('uncaughtException', end) }
}

const place = /(file:\/\/[^\s()]+?\.js):(\d+):(\d+)/g

/**
 * The stack trace with positions in src, if there is a source map beside the file. Done only for reported errors: the
 * runtime would read megabytes of maps for every error.
 */
function stackInSource(stack: string): string {
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
    return undefined // must not hide the reported error
  }
}
