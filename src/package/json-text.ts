// Reads JSON outside of packages as strictly as a package: duplicate keys, huge numbers and lone surrogates are errors.
import type { Steps } from '../lib/async/steps.js'
import { parseJsonSteps, type JsonLimits } from './parse-json.js'
import { ParseError } from './parse-error.js'

/** `path`: of the invalid value, from the root. */
export interface BadJson {
  readonly code: 'depth' | 'too-large' | 'duplicate-key' | 'syntax'
  readonly reason: string
  readonly path: readonly (string | number)[]
}

/** Maps have null prototypes. A step for each value and for each piece of a long string. */
export function* readJsonText(text: string, limits: JsonLimits): Steps<{ readonly value: unknown } | BadJson> {
  try {
    return { value: (yield* parseJsonSteps(text, limits)).value }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const code = codes.find((one) => error.code === `package/${one}`) ?? 'syntax'
    return { code, reason: error.message, path: error.path }
  }
}

const codes = ['depth', 'too-large', 'duplicate-key'] as const
