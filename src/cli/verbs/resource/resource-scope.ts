// How verbs name one resource.
import { usageErrors } from '../../errors/usage-errors.js'

export interface Scope {
  readonly stack?: string
  readonly target?: string
}

export const targetOption = ['--target <TARGET>', 'target (default: local)'] as const

export const scopeOptions = [['--stack <NAME>', 'stack, if several own the address'], targetOption] as const

export const whichNote = 'WHICH: an address that a stack owns (Bucket/raw), or FAMILY/ID from `gitmoor resource list`.'

/** The API path of one resource. Errors: `UsageError` for a word that would change the path. */
export function resourcePath(which: string): string {
  if (['', '.', '..'].includes(which)) throw usageErrors.invalidName(which)
  return `/api/v1/resources/${encodeURIComponent(which)}`
}
