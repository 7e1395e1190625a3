// Fields that must be valid Flux: InfluxDB rejects a task, check or rule whose script has a syntax error.
import type { Fields } from '../fields/fields.js'
import type { FluxFacts, FluxPort } from './flux.js'

const code = 'flux-syntax'

/** Reports a query that is not Flux, and returns the facts of a valid one; undefined: unknown. */
export function refuseBadQuery(spec: Fields, query: string, flux: FluxPort): FluxFacts | undefined {
  const facts = flux.inspect(query)
  if (facts?.notChecked !== undefined) {
    const message = `the query is not checked: ${facts.notChecked}`
    spec.warning('query', 'flux-not-checked', message, 'Check the query with InfluxDB, or split it.')
    return undefined
  }
  if (facts?.wrong !== undefined)
    spec.error('query', code, `the query is not valid Flux: ${facts.wrong}`, 'InfluxDB refuses such a query.')
  return facts
}

/** Reports a text, including the code between its `${` and `}`, that would break the script. */
export function refuseBadText(fields: Fields, key: string, text: string, flux: FluxPort): void {
  const wrong = text.includes('${') ? flux.inspect(`text = ${literal(text)}`)?.wrong : undefined
  if (wrong === undefined) return
  const hint = 'InfluxDB escapes quotes and backslashes, also between ${ and }: write r.name, not r["name"].'
  fields.error(key, code, `${key} is not a valid text of Flux: ${wrong}`, hint)
}

/** Reports a name that cannot be plain text in the script. */
export function refuseBadName(spec: Fields, name: string, flux: FluxPort): void {
  const facts = name.includes('${') ? flux.inspect(`name = ${literal(name)}`) : undefined
  if (facts === undefined || (facts.wrong === undefined && !facts.interpolates)) return
  spec.error('name', code, 'the name contains ${, which InfluxDB reads as code', 'Remove ${ from the name.')
}

/** Reports a key that cannot be the name of a property. */
export function refuseBadKey(fields: Fields, key: string, flux: FluxPort): void {
  const wrong = flux.inspect(`tags = {${key}: ""}`)?.wrong
  if (wrong !== undefined)
    fields.error('key', code, `key is not a name of Flux: ${wrong}`, 'Write letters, digits and _, such as host_name.')
}

/** As InfluxDB writes a text into a script. */
function literal(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}
