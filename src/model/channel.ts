import type { TipFacts } from './tip-facts.js'

/** What a ref leads to. `object`: the tag object where annotated, else the commit; `tag`: the one that was chosen where the ref is a range of versions. */
export interface Tip {
  readonly object: string
  readonly commit: string
  readonly tag?: string
}

/** `name`: the full ref that was chosen, or the commit where the ref is one; '' where an older version did not write it down. */
export interface NamedTip extends Tip {
  readonly name: string
}

/** How it was learnt that a channel moved. */
export type Learnt = 'poll' | 'webhook' | 'person' | 'promote'

/**
 * What became of a move. `released`: stacks follow it, or did until the next one was; `waiting`: until a time; `held`: until a person decides; `refused`: by the
 * policy; `vetoed`: by a person; `superseded`: the ref moved on before it was released; `gone`: the ref is not there any more.
 */
export type MoveState = 'released' | 'waiting' | 'held' | 'refused' | 'vetoed' | 'superseded' | 'gone'

/** What keeps a move from being released: a setting of the channel's policy, or that the channel is pinned. */
export type HeldBy = 'minAge' | 'movesPerHour' | 'approval' | 'pin' | 'forward-only' | 'signedBy'

/** What a person decided, in the end: `by` and `why` for the record, `at` in milliseconds since the epoch. */
export interface Decision {
  readonly kind: 'veto' | 'approve' | 'pin' | 'unpin'
  readonly by: string
  readonly why: string
  readonly at: number
}

/** One move of a ref, as it was learnt, and what became of it. Times are milliseconds since the epoch. */
export interface ChannelMove {
  /** Decimal, ascending over all channels; '' until it is written down. */
  readonly id: string
  readonly remote: string
  readonly ref: string
  /** What the ref led to before; null: it was not there. */
  readonly from: Tip | null
  /** null: it is not there any more. */
  readonly to: Tip | null
  /** The full ref of `to`. */
  readonly name: string
  readonly seenAt: number
  readonly learnt: Learnt
  readonly state: MoveState
  /** Why it is waiting, held or refused. */
  readonly why: HeldBy | null
  /** Until when it waits at least. */
  readonly until: number | null
  /** Whether it has what was released before it among its ancestors; null: not known (yet), or nothing was. */
  readonly forward: boolean | null
  /** null: not known (yet). */
  readonly facts: TipFacts | null
  /** When it became what stacks follow; null: it did not, or what they followed was the same commit. */
  readonly releasedAt: number | null
  /** What a person last decided about it. */
  readonly decision: Decision | null
}

/** All stacks that follow the channel stay at this, until it is unpinned. */
export interface ChannelPin extends NamedTip, Omit<Decision, 'kind'> {}

/** A ref that stacks follow, named `REMOTE#REF`. */
export interface Channel {
  readonly remote: string
  readonly ref: string
  /** What the ref leads to; null: it is not there (any more). */
  readonly tip: Tip | null
  readonly seenAt: number
  /** Its newest move that leads somewhere. */
  readonly move: ChannelMove | null
  /** What stacks follow but for a pin; null: nothing yet. */
  readonly released: ChannelMove | null
  readonly pin: ChannelPin | null
}

/** One decision of a person about a channel. `move`: id of the move it is about; `commit`: what was pinned. */
export interface DecisionRow extends Decision {
  readonly id: string
  readonly move: string | null
  readonly commit: string | null
}

/** A channel as it is now, and what of it is to be written down: moves that are new (without an id) or in another state, and what a person decided. */
export interface ChannelChange {
  readonly channel: Channel
  readonly moves: readonly ChannelMove[]
  readonly decision?: Omit<DecisionRow, 'id'>
  /** Why the runs that follow write though a sync window is closed. */
  readonly overrideWindow?: string
}

/** What stacks that follow a channel shall be at; null: nothing yet. */
export function offeredBy({ pin, released }: Pick<Channel, 'pin' | 'released'>): NamedTip | null {
  if (pin !== null) return pin
  return released?.to == null ? null : { ...released.to, name: released.name }
}
