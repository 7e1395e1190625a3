// One request to a configured address whose answer is read to its end, whatever its status.
import { Unavailable } from '../../model/errors.js'
import { noLinkLocal } from './address-policy.js'
import { Deadline } from './deadline.js'
import type { HttpClient } from './http-client.js'

export { readRetryAfter } from './http-errors.js'

export interface WholeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** The name of the server in messages. */
  readonly shown: string
  /** Milliseconds until the answer must be complete, and the setting that they come from. */
  readonly limitMs: number
  readonly limitFrom: string
  /** The longest answer. */
  readonly mostBytes: number
}

export interface WholeAnswer {
  readonly status: number
  /** Names in lower case; of several, the first. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Does not follow redirects. Errors: `Unavailable` if no complete answer came, so the request may have taken effect;
 * `Rejected` if the address or the certificate is not accepted.
 */
export async function sendWhole(
  client: HttpClient,
  { url, shown, limitMs, limitFrom, mostBytes, body, ...request }: WholeRequest,
  signal: AbortSignal,
): Promise<WholeAnswer> {
  const timeouts = { silenceMs: limitMs, totalMs: limitMs, settings: { silence: limitFrom, total: limitFrom } }
  using deadline = new Deadline(timeouts, shown, signal)
  const answer = await client.request(url, {
    ...request,
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
    shown,
    policy: noLinkLocal,
    deadline,
    keepsBody: true,
  })
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > mostBytes) throw tooLong(shown, mostBytes)
  }
  const headers = Object.entries(answer.headers).flatMap(([name, value]) => {
    const first = Array.isArray(value) ? value[0] : value
    return first === undefined ? [] : [[name.toLowerCase(), first]]
  })
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: Buffer.concat(chunks).toString('utf8'),
  }
}

function tooLong(shown: string, mostBytes: number): Unavailable {
  return new Unavailable(`${shown} answered with more than ${mostBytes} bytes.`, {
    code: 'source/server-error',
    hint: 'Check whether this is the address of the API.',
  })
}
