// The body of a request to /api/v2: JSON, or YAML if the content type says so.
import { showText } from '../../lib/text/printable.js'
import { readYamlText } from '../../package/yaml-text.js'
import type { ApiContext } from '../../api/request-context.js'
import { bodyText } from '../../api/server/bounded-body.js'
import { maximumNesting } from '../../api/server/json-limits.js'
import { jsonSize } from '../../lib/text/json-size.js'
import { WireRefusal } from './wire-error.js'

const maximumAliases = 100

/** Values of a body with packages, including those in lists and maps: about as many as a package may have. */
const mostPackageValues = 2_100_000

/** Values and characters of YAML of a body without packages, which is parsed in one turn of the event loop. */
export const wireLimits = { values: 40_000, yamlCharacters: 16 * 1024 }

/** The parsed body of a request without packages. Errors: `WireRefusal` invalid, also for an empty body. */
export async function readWireBody(c: ApiContext): Promise<unknown> {
  const text = bodyText(c)
  const contentType = c.req.header('content-type')
  if (isYaml(contentType) && text.length > wireLimits.yamlCharacters)
    throw new WireRefusal(
      'invalid',
      `The body has more than ${wireLimits.yamlCharacters} characters of YAML. Send it as JSON.`,
    )
  return readWireText(text, contentType, wireLimits.values)
}

/** The parsed text of a body of at most so many values. */
export function readWireText(text: string, contentType: string | undefined, mostValues = mostPackageValues): unknown {
  if (text.trim() === '') throw new WireRefusal('invalid', 'The body is empty. Send a document of JSON or YAML.')
  return isYaml(contentType) ? readYamlBody(text) : readJsonBody(text, mostValues)
}

/** The content types of YAML, parameters aside. */
export function isYaml(contentType: string | undefined): boolean {
  return /^(text\/yml|text\/yaml|application\/x-yaml|application\/yaml) *(;|$)/i.test(contentType ?? '')
}

function readJsonBody(text: string, mostValues: number): unknown {
  const { nesting, values } = jsonSize(text)
  if (nesting > maximumNesting) throw tooDeep()
  if (values > mostValues) throw new WireRefusal('invalid', `The body holds more than ${mostValues} values.`)
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
