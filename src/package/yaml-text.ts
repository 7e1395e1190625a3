import type { Json } from '../model/json.js'
import { packageLimits } from './package.js'
import { parseYaml } from './parse-yaml.js'
import { ParseError } from './parse-error.js'

/** `reason`: why it cannot be read. */
export type YamlText = { readonly value: Json } | { readonly reason: string }

/**
 * The single value of a YAML text outside of packages, such as a request body, within the limits of a package's file.
 * An empty text is null. `depth`: of lists and maps.
 */
export function readYamlText(
  text: string,
  { depth, aliases }: { readonly depth: number; readonly aliases: number },
): YamlText {
  try {
    const { values } = parseYaml(text, { ...packageLimits, depth, aliases })
    return values.length > 1 ? { reason: 'it has more than one document' } : { value: values[0] ?? null }
  } catch (error) {
    if (error instanceof ParseError) return { reason: error.message }
    throw error
  }
}
