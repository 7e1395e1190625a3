import type { Json, JsonObject, Secret } from './json.js'
import type { Place } from './problem.js'

/**
 * Values for envRefs and parameters, by env key (docs/values-and-secrets.md). A `Secret` may be used by credentials
 * only. Equal values are the same object: results of reading are cached by it.
 */
export type EnvValues = ReadonlyMap<string, string | Secret>

export const noValues: EnvValues = new Map()

/** What a document leaves to whoever applies it. */
export interface EnvReference {
  /** Relative to the object, in InfluxDB's notation: `spec.associations[0].name`. */
  readonly field: string
  readonly key: string
  /** Of a parameter: `bool duration float integer string time`; '' of whatever can be nothing but a text. */
  readonly valueType: string
  /** What was supplied; absent: nothing was. */
  readonly value?: Json
  readonly defaultValue?: Json
  /** Asked for where nothing is supplied, but not listed in summaries: credentials. */
  readonly unlisted?: true
  /** Listed in summaries, but not asked for where nothing is supplied. */
  readonly unasked?: true
}

/**
 * One entry of a package as its author wrote it. `name` is the resolved `metadata.name`, '' where there is none or it is not a string or envRef;
 * `body` is the whole entry, with null prototypes; `values` what was supplied for its references. `locate` gives the line of a pointer into `body`.
 */
export interface Document {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly body: JsonObject
  readonly values: EnvValues
  readonly place: Place
  readonly locate: (pointer: string) => Place
}
