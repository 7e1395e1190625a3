import type { JsonObject } from './json.js'
import type { Place } from './problem.js'

/**
 * One entry of a package as its author wrote it. `name` is the resolved `metadata.name`, '' where there is none or it is not a string or envRef;
 * `body` is the whole entry, with null prototypes. `locate` gives the line of a pointer into `body`.
 */
export interface Document {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly body: JsonObject
  readonly place: Place
  readonly locate: (pointer: string) => Place
}
