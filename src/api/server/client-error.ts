// What cannot be read as a request is answered below the framework, in the shape of every other error.
import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { toErrorAnswer } from '../error-answer.js'
import { HttpRefusal } from '../http-refusal.js'

/**
 * Answers and closes the connection. `inHand`: the answers it waits for; one that has begun, or whose turn it is not,
 * is not written over.
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

/** Answers for the framework where it fails before our handler: the target or the host makes no address. */
export function unreadableAnswer(error: unknown): Response {
  const isUnreadable = error instanceof Error && error.constructor.name === 'RequestError'
  const { http, text } = errorText(isUnreadable ? requestRefusal(undefined) : error)
  return new Response(text, { status: http, headers: { 'Content-Type': 'application/json' } })
}

/** `requestId` is made, for there was no request that could have one. */
function errorText(error: unknown): { readonly http: number; readonly text: string } {
  const { http, body } = toErrorAnswer(error)
  return { http, text: JSON.stringify({ error: { ...body, requestId: randomUUID() } }) }
}

function requestRefusal(code: string | undefined): HttpRefusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new HttpRefusal(408, 'The request did not come whole in time.', { code: 'api/slow' })
  if (code === 'HPE_HEADER_OVERFLOW')
    return new HttpRefusal(431, 'The head of the request is too large.', { code: 'api/head-too-large' })
  return new HttpRefusal(400, 'The request cannot be read as HTTP.', { code: 'api/malformed' })
}
