// JSON that is no file of a package, read as strictly as one: a key that is there twice, a number that is too large and half a character are refused.
import { parseJson, type JsonLimits } from './parse-json.js'
import { Unreadable } from './unreadable.js'

/** `path`: of the value that cannot be read, from the outside in. */
export interface BadJson {
  readonly code: 'depth' | 'too-large' | 'duplicate-key' | 'syntax'
  readonly reason: string
  readonly path: readonly (string | number)[]
}

/** Maps have null prototypes. */
export function readJsonText(text: string, limits: JsonLimits): { readonly value: unknown } | BadJson {
  try {
    return { value: parseJson(text, limits).value }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const code = codes.find((one) => error.code === `package/${one}`) ?? 'syntax'
    return { code, reason: error.message, path: error.path }
  }
}

const codes = ['depth', 'too-large', 'duplicate-key'] as const
