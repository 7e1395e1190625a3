// The body of a request to /api/v2: JSON, or YAML where the client says so (packages 8.3, D13).
import { parseDocument } from 'yaml'
import type { ApiContext } from '../asked.js'
import { maximumNesting } from '../endpoint.js'
import { nestingOf } from '../nesting.js'
import { WireRefusal } from './wire-error.js'

const maximumAliases = 100

/** What the body says; nothing at all is an empty object. Errors: `WireRefusal` invalid. */
export async function readWireBody(c: ApiContext): Promise<unknown> {
  const text = await c.req.text()
  if (text.trim() === '') return {}
  return isYaml(c.req.header('content-type')) ? readYamlBody(text) : readJsonBody(text)
}

/** The content types that mean YAML (packages 2.1), parameters aside. */
export function isYaml(contentType: string | undefined): boolean {
  return /^(text\/yml|text\/yaml|application\/x-yaml|application\/yaml) *(;|$)/i.test(contentType ?? '')
}

function readJsonBody(text: string): unknown {
  if (nestingOf(text) > maximumNesting) throw tooDeep()
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new WireRefusal('invalid', 'The body cannot be read as JSON.', { cause })
  }
}

function readYamlBody(text: string): unknown {
  const document = parseDocument(text, { prettyErrors: false, stringKeys: true, schema: 'core' })
  const [error] = document.errors
  if (error !== undefined) throw new WireRefusal('invalid', `The body cannot be read as YAML: ${error.message}`, { cause: error })
  const value = yamlValue(() => document.toJS({ maxAliasCount: maximumAliases }))
  if (depthOf(value, 0) > maximumNesting) throw tooDeep()
  return value ?? {}
}

function yamlValue(read: () => unknown): unknown {
  try {
    return read()
  } catch (cause) {
    throw new WireRefusal('invalid', 'The body cannot be read as YAML.', { cause })
  }
}

/** Ends as soon as it is too deep. */
function depthOf(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null || depth > maximumNesting) return depth
  return Object.values(value).reduce((deepest: number, one) => Math.max(deepest, depthOf(one, depth + 1)), depth + 1)
}

function tooDeep(): WireRefusal {
  return new WireRefusal('invalid', `The body holds lists or maps more than ${maximumNesting} deep.`)
}
