// What the doors show of channels.
import type { Decision, BlockedBy, DetectedBy, MoveState, RefTip, Signature } from '../model/channel.js'
import type { MoveBlocker } from '../channel/blocked-move.js'

export interface PolicyView {
  readonly moves: 'any' | 'approve-back' | 'forward-only'
  /** `15m`; `0s`: none. */
  readonly minAge: string
  readonly movesPerHour: number | null
  readonly signedBy: readonly string[] | null
}

export interface ChannelView {
  readonly name: string
  readonly remote: string
  readonly ref: string
  /** What the ref leads to; null: it is not there. */
  readonly commit: string | null
  /** The one that was chosen where the ref is a range of versions. */
  readonly tag: string | null
  /** That follow it. */
  readonly stacks: readonly string[]
  readonly observedAt: string
  /** What stacks are at, but for a pin; null: nothing yet. */
  readonly released: MoveView | null
  /** Its newest move that leads somewhere. */
  readonly newest: MoveView | null
  readonly pin: { readonly commit: string; readonly by: string; readonly why: string; readonly at: string } | null
  readonly policy: PolicyView
  /** What keeps stacks from its newest move, and what would let it go; null: nothing. */
  readonly blocker: MoveBlocker | null
}

export interface AuthoredView {
  readonly name: string
  readonly email: string
  readonly at: string | null
  readonly message: string
}

export interface MoveView {
  readonly id: string
  /** REMOTE#REF */
  readonly channel: string
  readonly from: RefTip | null
  readonly to: RefTip | null
  readonly observedAt: string
  readonly detectedBy: DetectedBy
  readonly state: MoveState
  readonly blockedBy: BlockedBy | null
  readonly until: string | null
  /** Whether it goes forward from what was released before it; null: not known. */
  readonly forward: boolean | null
  readonly releasedAt: string | null
  readonly decision: {
    readonly kind: Decision['kind']
    readonly by: string
    readonly why: string
    readonly at: string
  } | null
  /** Who made the tag and the commit, and whether it is signed; null: not known. */
  readonly facts: {
    readonly tag: (AuthoredView & { readonly tag: string }) | null
    readonly commit: AuthoredView
    readonly signature: Signature
  } | null
}

/**
 * A tag, and where it would be moved. `before`: null: it is not there yet; `forward`: null: it is new, or that is not
 * known; `stacks`: that follow it.
 */
export interface PromotionView {
  readonly remote: string
  readonly tag: string
  readonly from: string
  readonly before: RefTip | null
  readonly commit: string
  readonly forward: boolean | null
  readonly stacks: readonly string[]
}

/** It was moved, by the tag object `object`. `runs`: that follow from it. */
export interface PromotedView extends PromotionView {
  readonly object: string
  readonly runs: readonly string[]
}

/** `move`: which it is about; `commit`: what was pinned. */
export interface DecisionView {
  readonly id: string
  readonly kind: Decision['kind']
  readonly move: string | null
  readonly commit: string | null
  readonly by: string
  readonly why: string
  readonly at: string
}
