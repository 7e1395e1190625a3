import type { Json } from '../model/json.js'
import { packageLimits } from './package.js'
import { parseYaml } from './parse-yaml.js'
import { Unreadable } from './unreadable.js'

/** `reason`: why it cannot be read. */
export type YamlText = { readonly value: Json } | { readonly reason: string }

/** The one value of a text in YAML that is no package, such as the body of a request, within the bounds of a package's file; nothing is null. `depth`: of lists and maps in each other. */
export function readYamlText(text: string, { depth, aliases }: { readonly depth: number; readonly aliases: number }): YamlText {
  try {
    const { values } = parseYaml(text, { ...packageLimits, depth, aliases })
    return values.length > 1 ? { reason: 'it holds more than one document' } : { value: values[0] ?? null }
  } catch (error) {
    if (error instanceof Unreadable) return { reason: error.message }
    throw error
  }
}
