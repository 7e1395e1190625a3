import type { Socket } from 'node:net'
import { Client, type buildConnector, type Dispatcher } from 'undici'

/** The connection of a request. */
export interface TrackedConnection {
  /** False after a reset. */
  readonly isOpen: boolean
  /** Pauses and resumes reading from it. */
  pause(): void
  resume(): void
  /** The response has ended. Reading may be paused; undici continues on its own. */
  detach(): void
}

/** An additional option of a request. */
export interface TrackedRequest {
  readonly onConnection?: (connection: TrackedConnection) => void
}

/**
 * An undici client with one connection that can be paused, and that knows whether it was reset.
 *
 * While paused, its socket gives undici no data: data, the end and a reset wait in the socket and at the sender.
 * undici's own pause stops its parser instead; then undici asserts, in a socket event and so for the whole process,
 * that no connection ends while its parser is paused.
 *
 * After a reset it is not open; after a regular end it still is. Nothing else distinguishes the two if the end of the
 * connection ends the response: the runtime reports a reset behind unread bytes as an end, and undici reports an end
 * for a reset.
 */
export class TrackedClient extends Client implements TrackedConnection {
  #socket: Socket | undefined
  #isPaused = false

  constructor(origin: string | URL, options: Client.Options) {
    const connector = options.connect as buildConnector.connector
    const connect: buildConnector.connector = (options, done) =>
      connector(options, (...result) => {
        const socket = result[1] as Socket | null | undefined // undefined after an error, despite the types
        if (socket != null) this.#take(socket)
        done(...result)
      })
    super(origin, { ...options, connect })
  }

  get isOpen(): boolean {
    return this.#socket?.remotePort !== undefined // read only at the end: the runtime caches the first value
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
