import { createHash } from 'node:crypto'
import canonicalizeModule from 'canonicalize'
import type { Change } from '../model/change.js'

// Its types say that it is an ES module; it is CommonJS, whose one export is the function.
const canonicalize = canonicalizeModule as unknown as (input: unknown) => string

/** sha256 (hex) over canonical JSON (RFC 8785). Secrets and unknowns stand as their text. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalize(value)).digest('hex')
}

/** What of a change is in a plan's digest: all that decides what is done. Not why, and not in which company. */
export function decisive(change: Change): object {
  const { displayName: _displayName, reason: _reason, needs: _needs, after: _after, ...rest } = change
  return rest
}
