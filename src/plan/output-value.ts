// Outputs: what other resources may read of a resource. `id` is its identity; any other is a path of its actual state,
// normalized and without plain secrets, or of what only the target sets.
import { parseFieldPath } from '../lib/text/field-path.js'
import { isObject, Unknown, type Json, type JsonObject } from '../model/json.js'
import type { Kind } from '../model/resources/kind.js'
import type { Observed } from '../model/resources/resource.js'

/** The value of an output of an existing resource; undefined: it has none there. */
export function outputValue(
  kind: Kind | undefined,
  { identity, actual, readOnly = {} }: Observed,
  output: string,
): Json | undefined {
  if (output === 'id') return identity
  const value = valueAt(readableState(kind, actual), output)
  return value === undefined ? valueAt(readOnly, output) : value
}

/** What an output may name, for a message. */
export function outputNames(kind: Kind | undefined, { actual, readOnly = {} }: Observed): readonly string[] {
  return [...new Set(['id', ...Object.keys(readableState(kind, actual)), ...Object.keys(readOnly)])]
}

/**
 * The value that an output will have after a resource is written; undefined: only the target knows it. Maps are open,
 * so a map may get more keys than are declared.
 */
export function plannedOutput(kind: Kind | undefined, desired: JsonObject, output: string): Json | undefined {
  const value = output === 'id' ? undefined : valueAt(withoutPlainSecrets(kind, desired), output)
  const values = Array.isArray(value) ? (value as readonly Json[]) : [value]
  return values.every(isClosed) ? value : undefined
}

function isClosed(value: Json | undefined): boolean {
  return value !== undefined && !Array.isArray(value) && !isObject(value) && !(value instanceof Unknown)
}

/** By actual state: a large one is normalized once, although many resources refer to it. */
const readable = new WeakMap<JsonObject, JsonObject>()

function readableState(kind: Kind | undefined, actual: JsonObject): JsonObject {
  const known = readable.get(actual)
  if (known !== undefined) return known
  const shown = withoutPlainSecrets(kind, actual)
  const state = kind?.normalise(shown) ?? shown
  readable.set(actual, state)
  return state
}

function withoutPlainSecrets(kind: Kind | undefined, state: JsonObject): JsonObject {
  return kind?.secrets?.conceal(state) ?? state
}

function valueAt(state: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = state
  for (const step of parseFieldPath(path) ?? ['any' as const]) {
    if (step === 'any') return undefined
    if ('index' in step) value = Array.isArray(value) ? (value as readonly Json[])[step.index] : undefined
    else value = isObject(value) && Object.hasOwn(value, step.key) ? value[step.key] : undefined
  }
  return value
}
