// What can be known of the tip of a ref beside its ids, and moving one: for channels. Only git has such.
import type { RefTip, RefTipFacts } from '../model/channel.js'

/**
 * `tag`: short name. `expected`: what the tag must be at, null: it must not be there. `by`, `note`: who moves it and
 * why, in the new tag object.
 */
export interface Promotion {
  readonly tag: string
  readonly expected: RefTip | null
  readonly commit: string
  readonly by: string
  readonly note: string
}

export interface RefTips {
  /** Of what is at this remote at this moment. `ref`: its full name. Errors: those of `Source`. */
  describe(remote: string, tip: RefTip & { readonly ref: string }, signal: AbortSignal): Promise<RefTipFacts>
  /**
   * Whether `to` has `from` among its ancestors; undefined: that could not be found out within the limits. Errors:
   * those of `Source`.
   */
  isForward(
    remote: string,
    move: { readonly from: string; readonly to: string },
    signal: AbortSignal,
  ): Promise<boolean | undefined>
  /**
   * Moves a tag in the remote, at once or not at all, with an annotated tag. Errors: `Refused` conflict, where it is
   * not at `expected` (any more); `Rejected`, where nothing may be pushed there, or the remote refuses; those of
   * `Source`.
   */
  promote(remote: string, promotion: Promotion, signal: AbortSignal): Promise<RefTip>
}
