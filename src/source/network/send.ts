// One request over a dispatcher of undici. What undici has for that itself makes a stream of each answer, which costs as much as all else of a small request.
import type { Dispatcher } from 'undici'
import { AnswerBody, type Flow } from './answer-body.js'
import type { Deadline } from './deadline.js'

export interface Response {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: AnswerBody
}

export type Sent = Pick<Dispatcher.DispatchOptions, 'origin' | 'path' | 'method' | 'headers' | 'body'>

/** One request and its answer, whatever its status. `readError`: what a failure is for who reads the body. Both end with the deadline. */
export function send(
  dispatcher: Dispatcher,
  sent: Sent,
  { deadline, readError }: { readonly deadline: Deadline; readonly readError: (error: unknown) => Error },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const handler = new AnswerHandler({ resolve, reject, readError }, deadline)
    if (deadline.over === undefined) dispatcher.dispatch({ ...sent, headersTimeout: 0, bodyTimeout: 0 }, handler)
  })
}

interface Told {
  readonly resolve: (response: Response) => void
  readonly reject: (error: unknown) => void
  readonly readError: (error: unknown) => Error
}

class AnswerHandler implements Dispatcher.DispatchHandler, Flow {
  readonly #told: Told
  readonly #deadline: Deadline
  readonly #callOff: () => void
  #controller: Dispatcher.DispatchController | undefined
  #body: AnswerBody | undefined

  constructor(told: Told, deadline: Deadline) {
    this.#told = told
    this.#deadline = deadline
    this.#callOff = deadline.onOver(() => this.#end(deadline.over!.reason))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    const { over } = this.#deadline
    if (over !== undefined) controller.abort(over.reason as Error) // while it waited for its turn
  }

  onResponseStart(_: unknown, statusCode: number, headers: Response['headers']): void {
    if (statusCode < 200) return // what comes before the answer
    this.#body = new AnswerBody(this)
    this.#told.resolve({ statusCode, headers, body: this.#body })
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#body?.push(chunk)
  }

  onResponseEnd(): void {
    this.#callOff()
    this.#body?.finish()
  }

  onResponseError(_: unknown, error: Error): void {
    this.#callOff()
    this.#fail(error)
  }

  pause(): void {
    this.#controller?.pause()
  }

  resume(): void {
    this.#controller?.resume()
  }

  abort(): void {
    this.#end(new Error('Nobody reads the answer any more.'))
  }

  #end(reason: unknown): void {
    this.#fail(reason)
    this.#controller?.abort(reason as Error)
  }

  #fail(error: unknown): void {
    if (this.#body === undefined) this.#told.reject(error)
    else this.#body.fail(this.#told.readError(error))
  }
}
