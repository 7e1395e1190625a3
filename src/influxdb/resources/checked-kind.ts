// Checks a resource of a client by the rules for packages.
import { whenReady } from '../../lib/async/pending.js'
import { inSlices } from '../../lib/async/steps.js'
import { asText } from '../../model/scalar.js'
import type { Identity } from '../../model/address.js'
import { Refused } from '../../model/errors.js'
import type { JsonObject } from '../../model/json.js'
import type { Place, Problem } from '../../model/problem.js'
import type { Document } from '../../model/resources/document.js'
import type { Kind } from '../../model/resources/kind.js'
import type { TargetPlatform } from '../../platform/platform.js'

/**
 * The kind that a state of the family has. A state that a package could not declare is refused, except that names may
 * be short, and charts may be of any form. Errors: `Refused` usage.
 */
export async function checkedKind(
  platform: TargetPlatform,
  family: string,
  state: JsonObject,
  signal: AbortSignal,
): Promise<Kind> {
  const kinds = platform.kinds.filter((kind) => kind.family === family)
  const [only] = kinds
  if (only?.authored === undefined) return only!
  const kind = kinds.find((one) => declare(one, state) !== undefined)
  if (kind === undefined) throw new Refused('usage', `The type ${shown(state['type'])} of the ${family} is unknown.`)
  if ((asText(state['name']) ?? '').trim() === '') throw new Refused('usage', `The ${family} has no name.`)
  if (family === 'Dashboard') return kind
  const { problems } = await inSlices(
    whenReady(() => kind.decode(documentOf(kind, declare(kind, state)!))),
    signal,
  )
  const found = problems.find(isRefused)
  if (found === undefined) return kind
  const { message, hint } = found
  throw new Refused('usage', `The ${family} is invalid: ${message}.`, hint === undefined ? {} : { hint })
}

function declare({ authored }: Kind, state: JsonObject): JsonObject | undefined {
  return authored?.declare(state, () => 'endpoint', '0000000000000001' as Identity)
}

function isRefused({ severity, code }: Problem): boolean {
  return code !== 'kinds/too-short' && (severity === 'error' || code === 'kinds/wrong-type')
}

function documentOf({ kind, apiVersions }: Kind, spec: JsonObject): Document {
  const place: Place = { file: '', index: 0, pointer: '', line: 0 }
  const [apiVersion = ''] = apiVersions
  const name = 'resource'
  const body = { apiVersion, kind, metadata: { name }, spec }
  return { apiVersion, kind, name, body, values: new Map(), place, locate: () => place }
}

function shown(type: unknown): string {
  return JSON.stringify(typeof type === 'string' ? type.slice(0, 100) : '')
}
