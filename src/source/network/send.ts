// Sends one request over an undici dispatcher. undici's own function creates a stream for each response, which costs as
// much as the rest of a small request.
import type { Dispatcher } from 'undici'
import { ResponseBody, type Backpressure } from './response-body.js'
import type { Deadline } from './deadline.js'
import type { TrackedConnection, TrackedRequest } from './tracked-client.js'

export interface Response {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: ResponseBody
}

export type DispatchedRequest = Pick<Dispatcher.DispatchOptions, 'origin' | 'path' | 'method' | 'headers' | 'body'>

/**
 * Sends one request and returns its response, whatever its status. `readError`: converts errors while reading the body.
 * Both end with the deadline.
 */
export function send(
  dispatcher: Dispatcher,
  sent: DispatchedRequest,
  { deadline, readError }: { readonly deadline: Deadline; readonly readError: (error: unknown) => Error },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const handler = new AnswerHandler({ resolve, reject, readError }, deadline)
    const tracked: TrackedRequest = { onConnection: (connection) => handler.carriedBy(connection) }
    if (deadline.over === undefined)
      dispatcher.dispatch({ ...sent, ...tracked, headersTimeout: 0, bodyTimeout: 0 }, handler)
  })
}

interface ResponseHandlers {
  readonly resolve: (response: Response) => void
  readonly reject: (error: unknown) => void
  readonly readError: (error: unknown) => Error
}

/** The content type of a response in lower case, without parameters; '' if there is none. */
export function contentType({ headers }: Pick<Response, 'headers'>): string {
  return String(headers['content-type'] ?? '')
    .split(';')[0]!
    .trim()
    .toLowerCase()
}

export function isRedirect({ statusCode }: Pick<Response, 'statusCode'>): boolean {
  return [301, 302, 303, 307, 308].includes(statusCode)
}

/** The most 1xx responses before the final one. */
export const mostInterim = 16

/** Whether the body of a response with this status is read. */
export function hasBody(statusCode: number): boolean {
  return statusCode === 200 || statusCode === 201
}

class AnswerHandler implements Dispatcher.DispatchHandler, Backpressure {
  readonly #handlers: ResponseHandlers
  readonly #deadline: Deadline
  readonly #callOff: () => void
  #controller: Dispatcher.DispatchController | undefined
  #body: ResponseBody | undefined
  /** Set while it transfers the response; afterwards it may transfer another. */
  #connection: TrackedConnection | undefined
  #endsByClosing = false
  #interim = 0

  constructor(handlers: ResponseHandlers, deadline: Deadline) {
    this.#handlers = handlers
    this.#deadline = deadline
    this.#callOff = deadline.onOver(() => this.#end(deadline.over!.reason))
  }

  carriedBy(connection: TrackedConnection): void {
    this.#connection = connection
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    const { over } = this.#deadline
    if (over !== undefined) controller.abort(over.reason as Error) // the deadline ended while the request was queued
  }

  onResponseStart(_: unknown, statusCode: number, headers: Response['headers']): void {
    if (statusCode < 200) return this.#countInterim()
    this.#endsByClosing =
      headers['content-length'] === undefined && headers['transfer-encoding'] === undefined && hasBody(statusCode)
    this.#body = new ResponseBody(this)
    this.#handlers.resolve({ statusCode, headers, body: this.#body })
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#body?.push(chunk)
  }

  onResponseEnd(): void {
    const isReset = this.#endsByClosing && this.#connection?.isOpen === false
    this.#leave()
    if (isReset) this.#fail(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))
    else this.#body?.finish()
  }

  onResponseError(_: unknown, error: Error): void {
    this.#leave()
    this.#fail(error)
  }

  pause(): void {
    this.#connection?.pause()
  }

  resume(): void {
    this.#connection?.resume()
  }

  abort(reason: Error): void {
    this.#end(reason)
  }

  #leave(): void {
    this.#callOff()
    this.#connection?.detach()
    this.#connection = undefined
  }

  #countInterim(): void {
    if (++this.#interim > mostInterim) this.#end(new Error(`it sent more than ${mostInterim} 1xx responses`))
  }

  #end(reason: unknown): void {
    this.#fail(reason)
    this.#controller?.abort(reason as Error)
  }

  #fail(error: unknown): void {
    if (this.#body === undefined) this.#handlers.reject(error)
    else this.#body.fail(this.#handlers.readError(error))
  }
}
