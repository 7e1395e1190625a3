// A client that writes to its socket whatever it likes.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export class RawClient {
  readonly #socket: Socket
  readonly #closed: Promise<unknown>
  #text = ''

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => undefined) // the other side may end it at any time
    socket.on('data', (chunk: Buffer) => (this.#text += chunk.toString('latin1')))
  }

  static async connect(url: string): Promise<RawClient> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    return new RawClient(socket)
  }

  get text(): string {
    return this.#text
  }

  get open(): boolean {
    return !this.#socket.closed
  }

  write(text: string | Uint8Array): this {
    this.#socket.write(text)
    return this
  }

  /** Takes nothing more of what comes. */
  stopReading(): this {
    this.#socket.pause()
    return this
  }

  resume(): this {
    this.#socket.resume()
    return this
  }

  /** Everything that came until the other side closed. */
  async closed(): Promise<string> {
    await this.#closed
    return this.#text
  }

  /** The status lines of what came. */
  statuses(): readonly number[] {
    return [...this.#text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]))
  }

  destroy(): void {
    this.#socket.destroy()
  }
}
