import type { Delivery } from '../model/agent/delivery.js'
import type { PageRequest } from './page-request.js'

export type NewDelivery = Omit<Delivery, 'id'>

/** Deliveries to webhooks; only the newest of each are kept. */
export interface DeliveryTable {
  /** A delivery with the key and the body of one of the last day is not stored: that one is returned. */
  add(delivery: NewDelivery, body?: Uint8Array): Promise<{ readonly delivery: Delivery; readonly repeated: boolean }>
  finish(id: string, end: Pick<Delivery, 'result' | 'message' | 'runs' | 'tookMs'>): Promise<void>
  get(id: string): Promise<Delivery | undefined>
  /** Newest first; of one webhook, or of all. */
  list(hook: string | undefined, page: PageRequest): Promise<readonly Delivery[]>
  /** The newest delivery with a valid signature. */
  last(hook: string): Promise<Delivery | undefined>
}
