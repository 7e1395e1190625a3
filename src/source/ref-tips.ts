// For channels: facts about ref tips, and moves of tags. Only git has them.
import type { CommitRange, Direction, RefTip, RefTipFacts } from '../model/sources/channel.js'

/**
 * `tag`: the short name. `expected`: the current tip of the tag; null: it must not exist. `by`, `note`: who moves it
 * and why, for the new tag object.
 */
export interface Promotion {
  readonly tag: string
  readonly expected: RefTip | null
  readonly commit: string
  readonly by: string
  readonly note: string
}

export interface RefTips {
  /** The facts of a tip of this remote now. `ref`: its full name. Errors: those of `Source`. */
  describe(remote: string, tip: RefTip & { readonly ref: string }, signal: AbortSignal): Promise<RefTipFacts>
  /** How `to` relates to `from`, by the ids of commits. Errors: those of `Source`. */
  direction(
    remote: string,
    move: { readonly from: string; readonly to: string },
    signal: AbortSignal,
  ): Promise<Direction>
  /**
   * The commits of `to` without those of `from`, the nearest to `to` first, at most `most` of them. Errors: those of
   * `Source`.
   */
  commitsBetween(
    remote: string,
    move: { readonly from: string; readonly to: string; readonly most: number },
    signal: AbortSignal,
  ): Promise<CommitRange>
  /**
   * Moves a tag in the remote atomically, with a new annotated tag. Errors: `Refused` conflict if the tag is not at
   * `expected`; `Rejected` if pushes are not allowed or the remote refuses; those of `Source`.
   */
  promote(remote: string, promotion: Promotion, signal: AbortSignal): Promise<RefTip>
}
