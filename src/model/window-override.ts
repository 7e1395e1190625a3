/** A person let a request write past a stack though a window closed it; no run records it. `at`: milliseconds since the epoch. */
export interface WindowOverride {
  readonly at: number
  readonly by: string
  /** `edit Bucket/raw`. */
  readonly what: string
  readonly why: string
  /** The closed window, in words. */
  readonly past: string
}
