import type { JsonObject } from '../model/json.js'
import type { Resolve } from '../model/kind.js'
import type { Observed, Resource } from '../model/resource.js'

/** The desired state of a resource, not normalized. Values that only the target can name are those it has already. */
export function desiredState(
  { kind, spec, needs }: Resource,
  resolve: Resolve,
  there: Observed | undefined,
): JsonObject {
  const held = kind.encode(spec, resolve)
  return there === undefined ? held : (kind.recognise?.(held, there, needs) ?? held)
}
