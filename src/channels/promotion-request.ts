/**
 * `from`: a channel (its released commit), a tag, a branch or a commit of 40 digits. `to`: a tag. One of them must be a
 * channel: it gives the remote.
 */
export interface PromotionRequest {
  readonly from: string
  readonly to: string
}

/** `expects`: what the preview showed. If that has changed, nothing is pushed. */
export interface PromotionConfirmation {
  readonly why: string
  readonly by: string
  readonly expects?: { readonly commit: string; readonly object: string | null }
}
