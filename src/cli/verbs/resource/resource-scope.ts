// How verbs name one resource.

export interface Scope {
  readonly stack?: string
  readonly target?: string
}

export const targetOption = ['--target <TARGET>', 'target (default: local)'] as const

export const scopeOptions = [['--stack <NAME>', 'stack, if several own the address'], targetOption] as const

export const whichNote = 'WHICH: an address that a stack owns (Bucket/raw), or FAMILY/ID from `gitmoor resource list`.'

/** The API path of one resource. The query names it. */
export const resourcePath = '/api/v1/resource'
