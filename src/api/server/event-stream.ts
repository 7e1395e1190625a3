// One stream of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) to one client.

import type { HeartbeatView } from '../../views/event.js'

export interface StreamLimits {
  /** Streams at once. Default 100. */
  readonly streams: number
  /** Unread bytes of a client. With more, gitmoor closes its connection. Default 1 MiB. */
  readonly unreadBytes: number
  /** The interval of events `heartbeat`. Default 15,000. */
  readonly heartbeatMs: number
}

export const streamLimits: StreamLimits = { streams: 100, unreadBytes: 1024 * 1024, heartbeatMs: 15_000 }

const encoder = new TextEncoder()

/** Ends when the client disconnects, when the server stops, or when the client does not read. */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>
  readonly #limits: StreamLimits
  readonly #drop: () => void
  readonly #onEnd: () => void
  readonly #heartbeat: NodeJS.Timeout
  readonly #signals: readonly AbortSignal[]
  readonly #onAbort = (): void => this.close()
  #controller!: ReadableStreamDefaultController<Uint8Array>
  #ended = false
  #lastId = ''

  /** `signals`: end it. `drop`: closes the connection if the client does not read. `onEnd`: called once. */
  constructor(
    limits: StreamLimits,
    {
      signals,
      drop,
      onEnd,
    }: { readonly signals: readonly AbortSignal[]; readonly drop: () => void; readonly onEnd: () => void },
  ) {
    this.#limits = limits
    this.#drop = drop
    this.#signals = signals
    this.#onEnd = onEnd
    this.body = new ReadableStream<Uint8Array>(
      { start: (controller) => void (this.#controller = controller), cancel: () => this.#end() },
      { highWaterMark: 0, size: (chunk) => chunk.byteLength },
    )
    this.#heartbeat = setInterval(() => this.#sendHeartbeat(), limits.heartbeatMs).unref()
    for (const signal of signals) signal.addEventListener('abort', this.#onAbort)
    if (signals.some(({ aborted }) => aborted)) this.close()
  }

  get ended(): boolean {
    return this.#ended
  }

  send({ id, ...event }: { readonly id: string; readonly type: string }): void {
    this.#lastId = id
    this.#write(`id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  }

  close(): void {
    if (this.#ended) return
    this.#end()
    this.#controller.close()
  }

  /** With the id of the event before it: clients that go on after a heartbeat miss nothing. */
  #sendHeartbeat(): void {
    const heartbeat: HeartbeatView = { type: 'heartbeat', intervalMs: this.#limits.heartbeatMs }
    this.send({ id: this.#lastId, ...heartbeat })
  }

  #write(text: string): void {
    if (this.#ended) return
    this.#controller.enqueue(encoder.encode(text))
    if (-(this.#controller.desiredSize ?? 0) <= this.#limits.unreadBytes) return
    this.close()
    this.#drop()
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    clearInterval(this.#heartbeat)
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#onAbort)
    this.#onEnd()
  }
}
