import type { Json, JsonObject } from '../../model/json.js'

/** One error of a package. `idxs` equals `indexes`: InfluxDB writes the first, its command line reads the second. */
export interface ValidationError {
  readonly kind: string
  readonly fields: readonly string[]
  readonly idxs: readonly (number | null)[]
  readonly indexes: readonly (number | null)[]
  readonly reason: string
  /** The document's origin and line. Not in InfluxDB's own API. */
  readonly source?: string
  readonly line?: number
}

/** The answer to a dry run or an apply. `warnings` is not in InfluxDB's own API. */
export interface TemplateAnswer {
  readonly sources: readonly string[]
  readonly stackID: string
  readonly diff: Readonly<Record<string, readonly JsonObject[]>>
  readonly summary: Readonly<Record<string, readonly Json[]>>
  readonly errors?: readonly ValidationError[]
  readonly warnings?: readonly ValidationError[]
}

/** `invalid`: why the package cannot be applied; the answer then shows its valid part. */
export interface TemplateOutcome {
  readonly answer: TemplateAnswer
  readonly invalid?: string
}
