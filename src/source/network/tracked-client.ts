import type { Socket } from 'node:net'
import { Client, type buildConnector, type Dispatcher } from 'undici'

/** Of a request, beside what undici takes. */
export interface Tracked {
  /** Called with the connection that carries the request. */
  readonly onConnection?: (connection: { readonly isOpen: boolean }) => void
}

/**
 * One connection. After a reset it is not open any more; after a regular end it still is. Nothing else tells the
 * two apart where the end of the connection is the end of the answer: the runtime reports a reset behind unread
 * bytes as an end, and undici takes a reset for one.
 */
export class TrackedClient extends Client {
  readonly #at: { socket?: Socket | undefined }

  constructor(origin: string | URL, options: Client.Options) {
    const at: { socket?: Socket | undefined } = {}
    const connector = options.connect as buildConnector.connector
    const connect: buildConnector.connector = (asked, done) =>
      connector(asked, (...result) => {
        at.socket = result[1] ?? undefined
        done(...result)
      })
    super(origin, { ...options, connect })
    this.#at = at
  }

  get isOpen(): boolean {
    return this.#at.socket?.remotePort !== undefined // asked for the first time at the end: the runtime remembers what it gave once
  }

  override dispatch(options: Dispatcher.DispatchOptions & Tracked, handler: Dispatcher.DispatchHandler): boolean {
    options.onConnection?.(this)
    return super.dispatch(options, handler)
  }
}
