// What the doors show of webhooks.
import type { Delivery, DeliveryResult } from '../model/delivery.js'
import type { Outcome } from '../model/run.js'

/**
 * What a webhook was sent. `runs`: those it caused that are kept still; `result`: null while the remote is looked at.
 */
export interface DeliveryView extends Omit<Delivery, 'at' | 'runs' | 'result'> {
  readonly at: string
  readonly result: DeliveryResult | null
  readonly runs: readonly { readonly stack: string; readonly run: string; readonly outcome: Outcome | null }[]
}

/**
 * What its sender is told. `delivery`: its id here; `repeated`: it had come before, and this is what came of it then.
 */
export interface DeliveryAnswer extends Pick<
  DeliveryView,
  'hook' | 'event' | 'remotes' | 'result' | 'message' | 'runs'
> {
  readonly delivery: string
  readonly repeated?: boolean
}

/**
 * `last`: the newest with the right signature; `proven`: remotes of which it told a change before a look had found it,
 * `refused`: how many deliveries were, both since the agent started.
 */
export interface WebhookView {
  readonly name: string
  readonly provider: string
  readonly path: string
  readonly remotes: readonly string[]
  readonly last: DeliveryView | null
  readonly proven: readonly string[]
  readonly refused: number
}

/** A delivery that the agent made itself, and what came of it. */
export interface WebhookTestView {
  readonly webhook: WebhookView
  readonly sent: { readonly repository: string; readonly ref: string; readonly commit: string }
  readonly delivery: DeliveryView
}
