/** Entries of one list of selectors. */
export const mostSelectors = 10_000

/** A resource by id, renamed if `name` is given too; else all resources with the name. `kind`: a kind or a family. */
export interface ResourceSelector {
  readonly kind: string
  readonly id?: string
  readonly name?: string
}

/**
 * All resources of a target that have one of the labels (display names) and one of the kinds or families. Absent
 * filters match everything.
 */
export interface TargetSelector {
  readonly target: string
  readonly labels?: readonly string[]
  readonly kinds?: readonly string[]
  /** Only those that no stack manages. */
  readonly unmanaged?: boolean
}

/** Selectors of an export. Their results are combined. */
export interface ExportRequest {
  /** Name or id of a stack: the resources that it owns or shares, under their names in the stack. */
  readonly stack?: string
  /** In place of `stack`: its id, never its name. */
  readonly stackID?: string
  readonly resources?: readonly ResourceSelector[]
  /** The target of `resources`; absent: every target. */
  readonly target?: string
  readonly targets?: readonly TargetSelector[]
  /** Also exports the variables that queries use. */
  readonly withVariables?: boolean
}
