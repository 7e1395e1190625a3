/** A ref that stacks follow, named `REMOTE#REF`. */
export interface Channel {
  readonly remote: string
  readonly ref: string
  /** `commit`: peeled; `object`: the tag object where annotated, else the commit; null: the ref is not there (any more). */
  readonly commit: string | null
  readonly object: string | null
  readonly seenAt: number
}

/** One move, as it was learnt. Times are milliseconds since the epoch. */
export interface ChannelMove {
  readonly id: string
  readonly remote: string
  readonly ref: string
  readonly from: { readonly object: string; readonly commit: string } | null
  readonly to: { readonly object: string; readonly commit: string } | null
  readonly seenAt: number
  readonly learnt: 'poll' | 'person'
}
