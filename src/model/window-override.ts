/** A write during a closed window that a person allowed and that is not part of a run. `at`: ms since the epoch. */
export interface WindowOverride {
  readonly at: number
  readonly by: string
  /** `edit Bucket/raw`. */
  readonly what: string
  readonly why: string
  /** The closed window, in words. */
  readonly past: string
}
