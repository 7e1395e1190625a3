import type { Socket } from 'node:net'
import { Client, type buildConnector, type Dispatcher } from 'undici'

/** The connection that carries a request. */
export interface TrackedConnection {
  /** False after a reset. */
  readonly isOpen: boolean
  /** Stops and goes on reading from it. */
  pause(): void
  resume(): void
  /** The answer has ended. It may be in the middle of being read: undici goes on by itself. */
  detach(): void
}

/** Of a request, beside what undici takes. */
export interface TrackedRequest {
  readonly onConnection?: (connection: TrackedConnection) => void
}

/**
 * One connection that can be held, and that knows whether it was reset.
 *
 * To hold it, its socket gives undici nothing to read: what arrives waits in the socket and then at the sender, and its
 * end or reset waits behind it. undici's own pause stops its parser instead, and undici asserts, in an event of the
 * socket and so for the whole process, that no connection ends while its parser is paused.
 *
 * After a reset it is not open any more; after a regular end it still is. Nothing else tells the two apart where the
 * end of the connection is the end of the answer: the runtime reports a reset behind unread bytes as an end, and undici
 * takes a reset for one.
 */
export class TrackedClient extends Client implements TrackedConnection {
  #socket: Socket | undefined
  #isPaused = false

  constructor(origin: string | URL, options: Client.Options) {
    const connector = options.connect as buildConnector.connector
    const connect: buildConnector.connector = (asked, done) =>
      connector(asked, (...result) => {
        const socket = result[1] as Socket | null | undefined // after an error there is none, whatever the types say
        if (socket != null) this.#take(socket)
        done(...result)
      })
    super(origin, { ...options, connect })
  }

  get isOpen(): boolean {
    return this.#socket?.remotePort !== undefined // asked for the first time at the end: the runtime remembers what it gave once
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#socket?.emit('readable')
  }

  detach(): void {
    this.#isPaused = false
  }

  override dispatch(
    options: Dispatcher.DispatchOptions & TrackedRequest,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    options.onConnection?.(this)
    return super.dispatch(options, handler)
  }

  #take(socket: Socket): void {
    this.#socket = socket
    this.#isPaused = false
    const read = socket.read.bind(socket)
    socket.read = (size?: number): unknown => (this.#isPaused ? null : read(size))
  }
}
