/** What stops and goes on with what the other side sends. */
export interface Flow {
  pause(): void
  resume(): void
  /** Ends it before its end. */
  abort(): void
}

type End = { readonly kind: 'whole' } | { readonly kind: 'failed'; readonly error: unknown }
type Next = IteratorResult<Uint8Array, undefined>

/** As much waits to be read; the other side waits with more. */
const mostWaiting = 64 * 1024
const ended: Next = { done: true, value: undefined }

/** The body of an answer as it arrives, read once. Who reads no further destroys it, as leaving the iteration does. */
export class AnswerBody implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  readonly #flow: Flow
  readonly #chunks: Uint8Array[] = []
  #waiting = 0
  #end: End | undefined
  #wake: (() => void) | undefined

  constructor(flow: Flow) {
    this.#flow = flow
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Throws what it ended with. */
  async next(): Promise<Next> {
    if (this.#chunks.length === 0) await this.peek()
    const value = this.#chunks.shift()
    if (value === undefined) return ended
    const before = this.#waiting
    this.#waiting -= value.length
    if (before > mostWaiting && this.#waiting <= mostWaiting) this.#flow.resume()
    return { done: false, value }
  }

  async return(): Promise<Next> {
    this.destroy()
    return ended
  }

  /** What comes next, which stays to be read; undefined: nothing any more. */
  async peek(): Promise<Uint8Array | undefined> {
    if (this.#chunks.length === 0 && this.#end === undefined) await new Promise<void>((wake) => (this.#wake = wake))
    if (this.#chunks.length === 0 && this.#end?.kind === 'failed') throw this.#end.error
    return this.#chunks[0]
  }

  /** Nobody reads it any more. */
  destroy(): void {
    this.#chunks.length = 0
    if (this.#end !== undefined) return
    this.#close({ kind: 'whole' })
    this.#flow.abort()
  }

  push(chunk: Uint8Array): void {
    if (this.#end !== undefined) return
    this.#chunks.push(chunk)
    this.#waiting += chunk.length
    if (this.#waiting > mostWaiting) this.#flow.pause()
    this.#wake?.()
  }

  finish(): void {
    this.#close({ kind: 'whole' })
  }

  fail(error: unknown): void {
    this.#close({ kind: 'failed', error })
  }

  #close(end: End): void {
    this.#end ??= end
    this.#wake?.()
  }
}
