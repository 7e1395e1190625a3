import type { Json, JsonObject } from '../../model/json.js'

/** One error of a package (packages 3.2). `idxs` and `indexes` say the same: the server of the reference writes one, its command line reads the other (D18). */
export interface ValidationError {
  readonly kind: string
  readonly fields: readonly string[]
  readonly idxs: readonly (number | null)[]
  readonly indexes: readonly (number | null)[]
  readonly reason: string
  /** Of the agent only (D16): where the object came from, and its line there. */
  readonly source?: string
  readonly line?: number
}

/** The answer to a dry run or an apply (packages 8.3). `warnings`: of the agent only (D5, D37). */
export interface TemplateAnswer {
  readonly sources: readonly string[]
  readonly stackID: string
  readonly diff: Readonly<Record<string, readonly JsonObject[]>>
  readonly summary: Readonly<Record<string, readonly Json[]>>
  readonly errors?: readonly ValidationError[]
  readonly warnings?: readonly ValidationError[]
}

/** `invalid`: why it could not be applied as it is; the answer tells what of it is valid (D19, D20). */
export interface TemplateOutcome {
  readonly answer: TemplateAnswer
  readonly invalid?: string
}
