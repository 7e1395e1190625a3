import type { Json } from '../model/json.js'
import type { Entry, EntryLines } from './parsed-cache.js'

/** The line of a pointer (RFC 6901) into an entry, or of the longest existing part of the pointer. */
export function lineIn({ value, line }: Entry, { lines, ends }: EntryLines, pointer: string): number {
  let here = value
  let at = 0
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) break
    at++
    for (const other of Object.keys(here)) {
      if (other === key) break
      at = ends[at]!
    }
    here = (here as Readonly<Record<string, Json>>)[key]!
  }
  return lines[at] ?? line
}
