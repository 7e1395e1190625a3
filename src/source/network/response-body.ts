/** Pauses and resumes the connection of a response. */
export interface Backpressure {
  pause(): void
  resume(): void
  /** Ends the response early. */
  abort(reason: Error): void
}

type End = { readonly kind: 'whole' } | { readonly kind: 'failed'; readonly error: unknown }
type Next = IteratorResult<Uint8Array, undefined>

/** The most unread bytes; then the connection is paused. */
const mostWaitingBytes = 65_536
/** Small chunks are joined up to this size. */
const joinedBytes = 65_536

/** The body of a response as it arrives, read once. Leaving the iteration early destroys it. */
export class ResponseBody implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  readonly #flow: Backpressure
  readonly #chunks: Uint8Array[] = []
  #waitingBytes = 0
  #end: End | undefined
  #wake: (() => void) | undefined

  constructor(flow: Backpressure) {
    this.#flow = flow
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Throws the error that ended the response. */
  async next(): Promise<Next> {
    await this.peek()
    const value = this.#chunks.shift()
    if (value === undefined) return { done: true, value }
    const before = this.#waitingBytes
    this.#waitingBytes -= value.length
    if (before > mostWaitingBytes && this.#waitingBytes <= mostWaitingBytes) this.#flow.resume()
    return { done: false, value }
  }

  async return(): Promise<Next> {
    this.destroy()
    return { done: true, value: undefined }
  }

  /** The next chunk, which is not consumed; undefined at the end. */
  async peek(): Promise<Uint8Array | undefined> {
    if (this.#chunks.length === 0 && this.#end === undefined) await new Promise<void>((wake) => (this.#wake = wake))
    if (this.#chunks.length === 0 && this.#end?.kind === 'failed') throw this.#end.error
    this.#joinFirst()
    return this.#chunks[0]
  }

  /** Stops reading. */
  destroy(): void {
    this.#chunks.length = 0
    if (this.#end !== undefined) return
    this.finish()
    this.#flow.abort(new Error('The response is not read any more.'))
  }

  push(chunk: Uint8Array): void {
    if (this.#end !== undefined) return
    this.#chunks.push(chunk)
    this.#waitingBytes += chunk.length
    if (this.#waitingBytes > mostWaitingBytes) this.#flow.pause()
    this.#wake?.()
  }

  finish(): void {
    this.#close({ kind: 'whole' })
  }

  fail(error: unknown): void {
    this.#close({ kind: 'failed', error })
  }

  /** Joins unread chunks. A server may send chunks of one byte, which would cost a reader as much as large ones. */
  #joinFirst(): void {
    let bytes = 0
    const count = this.#chunks.findIndex(({ length }) => (bytes += length) > joinedBytes)
    const joined = count < 0 ? this.#chunks.length : count
    if (joined > 1) this.#chunks.splice(0, joined, Buffer.concat(this.#chunks.slice(0, joined)))
  }

  #close(end: End): void {
    this.#end ??= end
    this.#wake?.()
  }
}
