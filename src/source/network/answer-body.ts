type End = { readonly kind: 'whole' } | { readonly kind: 'failed'; readonly error: unknown }
type Next = IteratorResult<Uint8Array, undefined>

/**
 * More of an answer waits only where its reader does something else first. It never comes to that where readers
 * only compute between two chunks.
 */
export const mostWaitingBytes = 8 * 1024 * 1024

/** Chunks are joined up to this size. */
const joinedBytes = 65_536

/**
 * The body of an answer as it arrives, read once. Leaving the iteration early destroys it. The sender is never
 * paused: undici asserts, in an event of the socket and so for the whole process, that a connection does not end
 * while it is paused. A reader therefore keeps up: it awaits nothing but the next chunk.
 */
export class AnswerBody implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  /** Ends the answer before its end. */
  readonly #abort: (reason: Error) => void
  readonly #chunks: Uint8Array[] = []
  #waitingBytes = 0
  #end: End | undefined
  #wake: (() => void) | undefined

  constructor(abort: (reason: Error) => void) {
    this.#abort = abort
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Throws the error that the answer ended with. */
  async next(): Promise<Next> {
    await this.peek()
    const value = this.#chunks.shift()
    if (value === undefined) return { done: true, value }
    this.#waitingBytes -= value.length
    return { done: false, value }
  }

  async return(): Promise<Next> {
    this.destroy()
    return { done: true, value: undefined }
  }

  /** The next chunk, which stays to be read; undefined after the last. */
  async peek(): Promise<Uint8Array | undefined> {
    if (this.#chunks.length === 0 && this.#end === undefined) await new Promise<void>((wake) => (this.#wake = wake))
    if (this.#chunks.length === 0 && this.#end?.kind === 'failed') throw this.#end.error
    this.#joinFirst()
    return this.#chunks[0]
  }

  /** Nobody reads it any more. */
  destroy(): void {
    this.#chunks.length = 0
    if (this.#end !== undefined) return
    this.finish()
    this.#abort(new Error('Nobody reads the answer any more.'))
  }

  push(chunk: Uint8Array): void {
    if (this.#end !== undefined) return
    this.#chunks.push(chunk)
    this.#waitingBytes += chunk.length
    if (this.#waitingBytes > mostWaitingBytes) this.#abort(new Error(`more than ${mostWaitingBytes} bytes of its answer wait to be read`))
    this.#wake?.()
  }

  finish(): void {
    this.#close({ kind: 'whole' })
  }

  fail(error: unknown): void {
    this.#close({ kind: 'failed', error })
  }

  /** A server may send chunks of one byte; what waits is read as one chunk, so that they cost a reader no more than large ones. */
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
