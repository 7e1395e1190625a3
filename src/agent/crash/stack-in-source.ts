import { readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { fileURLToPath } from 'node:url'

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
