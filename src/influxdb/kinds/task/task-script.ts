import type { JsonObject } from '../../../model/json.js'
import { asText } from '../../../model/scalar.js'
import { afterImports } from '../flux/flux-words.js'

/**
 * The script that the target runs: the query's package clause and imports, `option task` built from the state, and the
 * rest of the query. Empty fields are left out of the option. The script has no other `option task`.
 */
export function taskScript(state: JsonObject): string {
  const query = asText(state['query']) ?? ''
  const end = afterImports(query)
  const imports = end === 0 ? '' : `${query.slice(0, end)}\n\n`
  return `${imports}${taskOption(state)}\n\n${query.slice(end).trimStart()}`
}

function taskOption({ name, cron, every, offset }: JsonObject): string {
  const values = {
    name: fluxText(asText(name) ?? ''),
    cron: cron ? fluxText(asText(cron) ?? '') : '',
    every: asText(every),
    offset: asText(offset),
  }
  const entries = Object.entries(values).flatMap(([key, value]) => (value ? [`${key}: ${value}`] : []))
  return `option task = {${entries.join(', ')}}`
}

/** A Flux text without code in it. */
function fluxText(text: string): string {
  const escaped = text
    .replaceAll(/["\\]|\$\{/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
  return `"${escaped}"`
}
