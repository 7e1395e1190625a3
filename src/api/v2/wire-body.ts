// The body of a request to /api/v2: JSON, or YAML where the client says so (packages 8.3, D13).
import { showText } from '../../model/show-text.js'
import { readYamlText } from '../../package/yaml-text.js'
import type { ApiContext } from '../asked.js'
import { textOfBody } from '../bounded-body.js'
import { maximumNesting } from '../endpoint.js'
import { jsonSize } from '../../model/json-size.js'
import { WireRefusal } from './wire-error.js'

const maximumAliases = 100

/** What the body says. Errors: `WireRefusal` invalid, where it is empty, too. */
export async function readWireBody(c: ApiContext): Promise<unknown> {
  const text = textOfBody(c)
  if (text.trim() === '') throw new WireRefusal('invalid', 'The body is empty. Send a document of JSON or YAML.')
  return isYaml(c.req.header('content-type')) ? readYamlBody(text) : readJsonBody(text)
}

/** The content types that mean YAML (packages 2.1), parameters aside. */
export function isYaml(contentType: string | undefined): boolean {
  return /^(text\/yml|text\/yaml|application\/x-yaml|application\/yaml) *(;|$)/i.test(contentType ?? '')
}

function readJsonBody(text: string): unknown {
  if (jsonSize(text).nesting > maximumNesting) throw tooDeep()
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new WireRefusal('invalid', 'The body cannot be read as JSON.', { cause })
  }
}

function readYamlBody(text: string): unknown {
  const read = readYamlText(text, { depth: maximumNesting, aliases: maximumAliases })
  if ('value' in read) return read.value ?? {}
  throw new WireRefusal('invalid', `The body cannot be read as YAML: ${showText(read.reason)}.`)
}

function tooDeep(): WireRefusal {
  return new WireRefusal('invalid', `The body holds lists or maps more than ${maximumNesting} deep.`)
}
