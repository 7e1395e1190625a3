/** One kind of resource by id, renamed if `name` is given too; else all of that name. `kind`: a kind or a family. */
export interface ResourceSelector {
  readonly kind: string
  readonly id?: string
  readonly name?: string
}

/**
 * Everything of a target, or what both filters let through: it bears one of the labels (by display name), it is of one
 * of the kinds or families.
 */
export interface TargetSelector {
  readonly target: string
  readonly labels?: readonly string[]
  readonly kinds?: readonly string[]
}

/** Selectors of an export. Their results are combined. */
export interface ExportRequest {
  /** Name or id of a stack: what it owns or shares, under the names that it gave. */
  readonly stack?: string
  /** In place of `stack`: its id, never its name. */
  readonly stackID?: string
  readonly resources?: readonly ResourceSelector[]
  /** Where `resources` are sought; absent: on every target. */
  readonly target?: string
  readonly targets?: readonly TargetSelector[]
  /** The variables that queries speak of come along. */
  readonly withVariables?: boolean
}
