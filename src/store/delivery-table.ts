import type { Delivery } from '../model/delivery.js'
import type { PageOf } from './page-of.js'

export type NewDelivery = Omit<Delivery, 'id'>

/** What webhooks were sent; of each only the newest are kept. */
export interface DeliveryTable {
  /** What has the key and the body of one of the last day is not written down: that one is given. */
  add(delivery: NewDelivery, body?: Uint8Array): Promise<{ readonly delivery: Delivery; readonly repeated: boolean }>
  finish(id: string, end: Pick<Delivery, 'result' | 'message' | 'runs' | 'tookMs'>): Promise<void>
  get(id: string): Promise<Delivery | undefined>
  /** Newest first; of one webhook, or of all. */
  list(hook: string | undefined, page: PageOf): Promise<readonly Delivery[]>
  /** The newest that was sent with the right signature. */
  last(hook: string): Promise<Delivery | undefined>
}
