/** How gitmoor handles a resource: `meta` of its document. It is not a part of the desired state. */
export interface Meta {
  /** Time limit of each call that creates or updates it, or undoes that. Absent: `limits.driverCall`. */
  readonly timeoutMs?: number
}

export const noMeta: Meta = {}
