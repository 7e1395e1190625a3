import type { JsonObject } from '../model/json.js'
import type { Resolve } from '../model/kind.js'
import type { Observed, Resource } from '../model/resource.js'

/** What the target shall hold of a resource, given what is there: what only the target could name is what it holds already. Not normalised. */
export function wantedOf({ kind, spec, needs }: Resource, resolve: Resolve, there: Observed | undefined): JsonObject {
  const held = kind.encode(spec, resolve)
  return there === undefined ? held : (kind.recognise?.(held, there, needs) ?? held)
}
