import type { Json, JsonObject, Secret } from '../json.js'
import type { Place } from '../problem.js'

/**
 * Values for envRefs and parameters, by env key (docs/guides/values-and-secrets.md). A `Secret` may be used by
 * credentials only. Equal values are the same object: results of reading are cached by it.
 */
export type EnvValues = ReadonlyMap<string, string | Secret>

export const noValues: EnvValues = new Map()

/** A value that the person who applies a document may set. */
export interface EnvReference {
  /** Relative to the document: `spec.associations[0].name`. */
  readonly field: string
  readonly key: string
  /** Of a parameter: `bool duration float integer string time`; '' for references that can only be texts. */
  readonly valueType: string
  /** The given value; absent: none. */
  readonly value?: Json
  readonly defaultValue?: Json
  /** Credentials: missing values are reported, but summaries do not list them. */
  readonly unlisted?: true
  /** Summaries list them, but missing values are not reported. */
  readonly mayBeMissing?: true
}

/**
 * One entry of a package as its author wrote it. `name` is the resolved `metadata.name`, '' if it is absent or neither
 * a string nor an envRef; `body` is the whole entry, with null prototypes; `values` are the given values. `locate`
 * returns the line of a pointer into `body`.
 */
export interface Document {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly body: JsonObject
  readonly values: EnvValues
  /** Texts of `spec` may have references, also if its kind does not take them (`KindDocuments.takesMeta`). */
  readonly takesReferences?: true
  readonly place: Place
  readonly locate: (pointer: string) => Place
}
