// Answers to input that is not valid HTTP, below the framework, in the shape of all errors.
import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { toErrorAnswer } from '../error-answer.js'
import { HttpRefusal } from '../http-refusal.js'

/**
 * Answers and closes the connection. `inProgress`: its open answers. If one has begun, or several are open, it only
 * closes the connection.
 */
export function sendClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  inProgress: readonly ServerResponse[],
): void {
  const hasBegun = inProgress.length > 1 || inProgress.some((answer) => answer.headersSent)
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegun) return void socket.destroy()
  const { http, text } = errorText(requestRefusal(error.code))
  const head = [
    `HTTP/1.1 ${http} ${STATUS_CODES[http]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy())
}

/** The answer if the framework fails before the handler: the path or the Host header is not a valid URL. */
export function unreadableAnswer(error: unknown): Response {
  const isUnreadable = error instanceof Error && error.constructor.name === 'RequestError'
  const { http, text } = errorText(isUnreadable ? requestRefusal(undefined) : error)
  return new Response(text, { status: http, headers: { 'Content-Type': 'application/json' } })
}

/** With a new `requestId`. */
function errorText(error: unknown): { readonly http: number; readonly text: string } {
  const { http, body } = toErrorAnswer(error)
  return { http, text: JSON.stringify({ error: { ...body, requestId: randomUUID() } }) }
}

function requestRefusal(code: string | undefined): HttpRefusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new HttpRefusal(408, 'The request did not arrive in time.', { code: 'api/request-timeout' })
  if (code === 'HPE_HEADER_OVERFLOW')
    return new HttpRefusal(431, 'The headers of the request are too large.', { code: 'api/head-too-large' })
  return new HttpRefusal(400, 'The request is not valid HTTP.', { code: 'api/malformed' })
}
