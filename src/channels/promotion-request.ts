/**
 * `from`: a channel (what is released of it), a tag, a branch or a commit of 40 digits. `to`: a tag. One of them is, or
 * names, a channel: its remote is meant.
 */
export interface PromotionRequest {
  readonly from: string
  readonly to: string
}

/** `expects`: what was shown; where it is not so any more, nothing is done. */
export interface PromotionConfirmation {
  readonly why: string
  readonly by: string
  readonly expects?: { readonly commit: string; readonly object: string | null }
}
