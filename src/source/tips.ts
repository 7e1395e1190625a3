// What can be known of the tip of a ref beside its ids: for channels. Only git has such.
import type { Tip } from '../model/channel.js'
import type { TipFacts } from '../model/tip-facts.js'

export interface Tips {
  /** Of what is at this remote at this moment. `ref`: its full name. Errors: those of `Source`. */
  describe(remote: string, tip: Tip & { readonly ref: string }, signal: AbortSignal): Promise<TipFacts>
  /** Whether `to` has `from` among its ancestors; undefined: that could not be found out within the limits. Errors: those of `Source`. */
  isForward(remote: string, move: { readonly from: string; readonly to: string }, signal: AbortSignal): Promise<boolean | undefined>
}
