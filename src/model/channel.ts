/** A ref that stacks follow, named `REMOTE#REF`. */
export interface Channel {
  readonly remote: string
  readonly ref: string
  /** `commit`: peeled; `object`: the tag object where annotated, else the commit; null: the ref is not there (any more). */
  readonly commit: string | null
  readonly object: string | null
  /** As `Tip` has it; null: the ref is a name, or not there. */
  readonly tag: string | null
  readonly seenAt: number
}

/** What a ref leads to. `object`: the tag object where annotated, else the commit; `tag`: the one that was chosen where the ref is a range of versions. */
export interface Tip {
  readonly object: string
  readonly commit: string
  readonly tag?: string
}

/** How it was learnt that a channel moved. */
export type Learnt = 'poll' | 'webhook' | 'person' | 'promote'

/** One move, as it was learnt. Times are milliseconds since the epoch. */
export interface ChannelMove {
  readonly id: string
  readonly remote: string
  readonly ref: string
  readonly from: Tip | null
  readonly to: Tip | null
  readonly seenAt: number
  readonly learnt: Learnt
}
